import type { Json } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';

/** One parameter of a filter. One with a default may be omitted; so may an optional one, which is then undefined. */
export interface Parameter {
  readonly name: string;
  readonly default?: null | boolean | number | string;
  readonly optional?: true;
  /** What the argument names: a test of `select`, which must be written in quotes and known at parse time. */
  readonly names?: 'test';
}

/** The values of a filter's arguments, in the order of its parameters. */
export type Arguments = readonly (Json | undefined)[];

interface FilterBase {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly parameters: readonly Parameter[];
  /** One sentence for the generated documentation. */
  readonly description: string;
}

interface StrictFilter extends FilterBase {
  readonly acceptsMissing?: never;
  /**
   * Returns undefined if there is no result, such as the first item of an empty list: an error unless `default`
   * follows.
   */
  apply(input: Json, args: Arguments, evaluation: Evaluation): Json | undefined;
}

interface LenientFilter extends FilterBase {
  /** The input may be a path that does not exist. */
  readonly acceptsMissing: true;
  apply(input: Json | undefined, args: Arguments, evaluation: Evaluation): Json | undefined;
}

/** A function of the expression language. Filters never change their input. */
export type Filter = StrictFilter | LenientFilter;

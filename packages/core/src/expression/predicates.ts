import { isSameJson } from '../base/json-same.ts';
import { isObject, type Json } from '../json.ts';
import type { Evaluation } from './evaluation.ts';
import { comesBefore, contains, truthy } from './operators.ts';

interface PredicateBase {
  readonly name: string;
  readonly aliases?: readonly string[];
  /**
   * Compared with a second value: only in filters such as `select('gt', 3)`, because expressions have operators for it.
   */
  readonly comparing?: true;
  /** One sentence for the generated documentation. */
  readonly description: string;
}

interface StrictPredicate extends PredicateBase {
  readonly acceptsMissing?: never;
  holds(value: Json, other: Json, evaluation: Evaluation): boolean;
}

interface LenientPredicate extends PredicateBase {
  readonly acceptsMissing: true;
  holds(value: Json | undefined): boolean;
}

/** A test: written after `is`, or named in `select` and `reject`. */
export type Predicate = StrictPredicate | LenientPredicate;

/** All tests. */
export const predicates: readonly Predicate[] = [
  { name: 'defined', acceptsMissing: true, description: 'The path exists.', holds: (value) => value !== undefined },
  {
    name: 'undefined',
    acceptsMissing: true,
    description: 'The path does not exist.',
    holds: (value) => value === undefined,
  },
  { name: 'none', aliases: ['null'], description: 'The value is null.', holds: (value) => value === null },
  { name: 'true', description: 'The value is true.', holds: (value) => value === true },
  { name: 'false', description: 'The value is false.', holds: (value) => value === false },
  {
    name: 'truthy',
    description: 'The value is not null, false, 0, empty text, an empty list or an empty object.',
    holds: (value, _other, evaluation) => truthy(value, evaluation),
  },
  { name: 'boolean', description: 'The value is true or false.', holds: (value) => typeof value === 'boolean' },
  { name: 'number', description: 'The value is a number.', holds: (value) => typeof value === 'number' },
  { name: 'integer', description: 'The value is a whole number.', holds: (value) => Number.isInteger(value) },
  { name: 'string', description: 'The value is text.', holds: (value) => typeof value === 'string' },
  { name: 'list', description: 'The value is a list.', holds: (value) => Array.isArray(value) },
  { name: 'mapping', description: 'The value is an object.', holds: (value) => isObject(value) },
  {
    name: 'even',
    description: 'The value is an even whole number.',
    holds: (value) => typeof value === 'number' && value % 2 === 0,
  },
  {
    name: 'odd',
    description: 'The value is an odd whole number.',
    holds: (value) => typeof value === 'number' && Math.abs(value % 2) === 1,
  },
  {
    name: 'eq',
    aliases: ['==', 'equalto'],
    comparing: true,
    description: 'The values are equal and have the same type.',
    holds: isSameJson,
  },
  {
    name: 'ne',
    aliases: ['!='],
    comparing: true,
    description: 'The values are not equal.',
    holds: (value, other, evaluation) => !isSameJson(value, other, evaluation),
  },
  {
    name: 'lt',
    aliases: ['<', 'lessthan'],
    comparing: true,
    description: 'The value is less than the other one.',
    holds: (value, other, evaluation) => comesBefore(value, other, evaluation),
  },
  {
    name: 'le',
    aliases: ['<='],
    comparing: true,
    description: 'The value is less than or equal to the other one.',
    holds: (value, other, evaluation) => !comesBefore(other, value, evaluation),
  },
  {
    name: 'gt',
    aliases: ['>', 'greaterthan'],
    comparing: true,
    description: 'The value is greater than the other one.',
    holds: (value, other, evaluation) => comesBefore(other, value, evaluation),
  },
  {
    name: 'ge',
    aliases: ['>='],
    comparing: true,
    description: 'The value is greater than or equal to the other one.',
    holds: (value, other, evaluation) => !comesBefore(value, other, evaluation),
  },
  {
    name: 'in',
    comparing: true,
    description: 'The value is an item of a list, a key of an object or a part of a text.',
    holds: (value, other, evaluation) => contains(other, value, evaluation),
  },
];

const byName = new Map(predicates.flatMap((test) => [test.name, ...(test.aliases ?? [])].map((name) => [name, test])));

/** The test with this name or alias. */
export function findPredicate(name: string): Predicate | undefined {
  return byName.get(name);
}

/** All names of tests, including aliases. */
export const predicateNames: readonly string[] = [...byName.keys()];

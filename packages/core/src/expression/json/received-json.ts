import { exactJsonInSlices } from '../../base/exact-json.ts';
import { exceededLimit, type JsonLimits, maxContainers, maxDifferentNames } from '../../base/json-text.ts';
import { jsonCharactersPerStep, type Meter, type SlicedWork } from '../../base/meter.ts';
import type { Json } from '../../json.ts';

/** The same depth as for JSON sent to the service itself, so that later steps can process the value safely. */
const maxDepth = 64;
/** Parsing a million short strings takes 0.3 s. */
const maxValues = 1_000_000;

/** The structure that JSON from outside the service may have: answers of servers and of models. */
const usualLimits: JsonLimits = {
  depth: maxDepth,
  values: maxValues,
  containers: maxContainers,
  names: maxDifferentNames,
  stringLength: Number.POSITIVE_INFINITY,
};

/**
 * A text from outside, parsed: its value, or the limit that it exceeds, or `invalid` for text that is not JSON. `excess`
 * is the end of a sentence.
 */
export type ReceivedJson =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'exceeded'; readonly limit: keyof JsonLimits; readonly excess: string }
  | { readonly kind: 'invalid' };

interface ReceivedOptions {
  readonly meter?: Meter | undefined;
  readonly limits?: JsonLimits;
  /**
   * `exact`: numbers that a double cannot hold become text, because the sender may have written exact digits. `doubles`:
   * the text was written from doubles, so all its numbers are exact already.
   */
  readonly numbers?: 'exact' | 'doubles';
}

/**
 * Parses a text that the service received. The scan and the parser cannot pause. For 10 MiB each takes at most 100 ms:
 * the parser has a limited number of values, lists, objects and names to make.
 * @throws StepError `work_limit`
 */
export function* receivedJson(
  text: string,
  { meter, limits = usualLimits, numbers = 'exact' }: ReceivedOptions = {},
): SlicedWork<ReceivedJson> {
  meter?.spend(text.length / jsonCharactersPerStep);
  yield;
  const limit = exceededLimit(text, limits);
  if (limit !== null) return { kind: 'exceeded', limit, excess: excessOf[limit](limits[limit]) };
  yield;
  try {
    const value = numbers === 'exact' ? yield* exactJsonInSlices(text) : (JSON.parse(text) as Json);
    return { kind: 'value', value };
  } catch {
    return { kind: 'invalid' };
  }
}

const excessOf: Readonly<Record<keyof JsonLimits, (most: number) => string>> = {
  depth: (most) => `is nested deeper than ${most} levels`,
  values: (most) => `has more than ${most} values`,
  containers: (most) => `has more than ${most} lists and objects`,
  names: (most) => `has more than ${most} different names in its objects`,
  stringLength: (most) => `has a text of more than ${most} characters`,
};

import { receivedNumberOf } from '../../base/resolved.ts';
import type { Json } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { type Comparable, sortsBefore } from '../operators.ts';
import { flag } from './arguments.ts';
import { attributePath, attributesOf } from './attribute.ts';
import type { Parameter } from './filter.ts';

/**
 * Parameters of filters that compare items: whether letters compare case-sensitively (default: no), and the part to
 * compare.
 */
export const caseSensitive: Parameter = { name: 'case_sensitive', default: false };
export const attribute: Parameter = { name: 'attribute', optional: true };

/** An item and its comparison key. */
export interface Keyed {
  readonly item: Json;
  readonly key: Json;
  /** What the order depends on: the key, or its number if all keys are numbers or received as numbers. */
  readonly rank: Comparable;
}

/** The items of a list with their comparison keys. */
export function keyed(
  items: readonly Json[],
  options: { readonly caseSensitive: Json | undefined; readonly attribute: Json | undefined },
  evaluation: Evaluation,
): readonly Keyed[] {
  const isCaseSensitive = flag(options.caseSensitive, "'case_sensitive'", evaluation);
  const keys = attributesOf(items, { path: attributePath(options.attribute, evaluation) }, evaluation);
  const ranks = numbersIn(keys);
  return items.map((item, index) => {
    const key = keys[index] ?? null;
    const rank = ranks?.[index] ?? key;
    if (isCaseSensitive || typeof key !== 'string') return { item, key, rank };
    evaluation.spendOnText(key.length);
    const lowerCase = key.toLowerCase();
    return { item, key: lowerCase, rank: ranks === null ? lowerCase : rank };
  });
}

/** The numbers that all keys are; null if one of them is not. Only then is the order the same for every pair. */
function numbersIn(keys: readonly Json[]): readonly Comparable[] | null {
  const numbers: Comparable[] = [];
  for (const key of keys) {
    const number = receivedNumberOf(key);
    if (number === null) return null;
    numbers.push(number);
  }
  return numbers;
}

/** Sorting compares each of n items about log n times; at this cost 15,000 items can be sorted. */
const comparisonSteps = 0.25;

/** Negative if the left key comes first, positive if the right one does. */
export function compareKeys(left: Keyed, right: Keyed, evaluation: Evaluation): number {
  evaluation.spend(comparisonSteps);
  if (sortsBefore(left.rank, right.rank, evaluation)) return -1;
  return sortsBefore(right.rank, left.rank, evaluation) ? 1 : 0;
}

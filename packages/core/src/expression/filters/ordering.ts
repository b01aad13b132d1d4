import type { Json } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { comesBefore } from '../operators.ts';
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
}

/** The items of a list with their comparison keys. */
export function keyed(
  items: readonly Json[],
  options: { readonly caseSensitive: Json | undefined; readonly attribute: Json | undefined },
  evaluation: Evaluation,
): readonly Keyed[] {
  const isCaseSensitive = flag(options.caseSensitive, "'case_sensitive'", evaluation);
  const keys = attributesOf(items, { path: attributePath(options.attribute, evaluation) }, evaluation);
  return items.map((item, index) => {
    const key = keys[index] ?? null;
    if (isCaseSensitive || typeof key !== 'string') return { item, key };
    evaluation.spendOnText(key.length);
    return { item, key: key.toLowerCase() };
  });
}

/** Sorting compares each of n items about log n times; at this cost 15,000 items can be sorted. */
const comparisonSteps = 0.25;

/** Negative if the left key comes first, positive if the right one does. */
export function compareKeys(left: Keyed, right: Keyed, evaluation: Evaluation): number {
  evaluation.spend(comparisonSteps);
  if (comesBefore(left.key, right.key, evaluation)) return -1;
  return comesBefore(right.key, left.key, evaluation) ? 1 : 0;
}

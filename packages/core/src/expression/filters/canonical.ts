import { isObject, type Json } from '../../json.ts';
import type { Evaluation } from '../evaluation.ts';
import { toJson } from '../text.ts';

/** Sorting the keys of every object on the way is about ten times the work of writing JSON. */
const canonicalCharactersPerStep = 4;

/** A text that two values share exactly when they are equal: JSON with keys in order. */
export function canonical(value: Json, evaluation: Evaluation): string {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string') evaluation.spendOnText(value.length);
    return typeof value === 'string' ? `"${value}` : String(value);
  }
  // Written once for its checks of size and depth, without which sorting the keys could not recurse safely.
  const size = toJson(value, 0, evaluation).length;
  evaluation.spend(size / canonicalCharactersPerStep);
  return JSON.stringify(value, (_key, part: Json) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

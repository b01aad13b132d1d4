import { isArray, isObject, type Json } from '../json.ts';
import { keyCount } from './key-count.ts';
import type { Meter } from './meter.ts';

/**
 * Whether two JSON values are the same, in any order of keys. Works without recursion, so at any depth. Charges each
 * list, object and text to the meter, if there is one.
 * @throws StepError `work_limit`
 */
export function isSameJson(left: Json, right: Json, meter?: Pick<Meter, 'spend' | 'spendOnText'>): boolean {
  const open: [Json | undefined, Json | undefined][] = [[left, right]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [a, b] = pair;
    if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) meter?.spendOnText(a.length);
    if (a === b) continue;
    if (isArray(a) && isArray(b) && a.length === b.length) {
      meter?.spend(a.length);
      for (const [index, item] of a.entries()) open.push([item, b[index]]);
    } else if (isObject(a) && isObject(b) && keyCount(a) === keyCount(b)) {
      meter?.spend(keyCount(a));
      for (const [key, item] of Object.entries(a)) {
        if (!Object.hasOwn(b, key)) return false;
        open.push([item, b[key]]);
      }
    } else {
      return false;
    }
  }
  return true;
}

import { isArray, isObject, type Json } from '../json.ts';
import { keyCount } from './key-count.ts';
import type { Meter } from './meter.ts';

/**
 * Whether two JSON values are the same, in any order of keys. Works without recursion, so at any depth. Charges each
 * list, object and text to the meter, if there is one.
 * @throws StepError `work_limit`
 */
export function isSameJson(left: Json, right: Json, meter?: SpentWork): boolean {
  const open: Pair[] = [];
  if (!isSamePlain(left, right, open, meter)) return false;
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    if (!isSameOutside(pair, open, meter)) return false;
  }
  return true;
}

type SpentWork = Pick<Meter, 'spend' | 'spendOnText'>;
/** Two lists or objects. */
type Pair = readonly [left: Json, right: Json];

/** Compares two plain values, and adds two others to `open`, to be compared later. */
function isSamePlain(left: Json | undefined, right: Json | undefined, open: Pair[], meter?: SpentWork): boolean {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length) {
    meter?.spendOnText(left.length);
  }
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  open.push([left, right]);
  return true;
}

/**
 * Compares two lists or objects. Most of their items are plain values, which are compared at once: a pair for each of
 * them would take ten times as long, and much memory.
 */
function isSameOutside([left, right]: Pair, open: Pair[], meter?: SpentWork): boolean {
  if (isArray(left) && isArray(right)) {
    if (left.length !== right.length) return false;
    meter?.spend(left.length);
    for (let at = 0; at < left.length; at += 1) {
      if (!isSamePlain(left[at], right[at], open, meter)) return false;
    }
    return true;
  }
  if (!isObject(left) || !isObject(right)) return false;
  const count = keyCount(left);
  if (count !== keyCount(right)) return false;
  meter?.spend(count);
  // A list of the names or values of an object with very many takes longer than this loop. JSON has own names only.
  for (const name in left) {
    if (!Object.hasOwn(right, name) || !isSamePlain(left[name], right[name], open, meter)) return false;
  }
  return true;
}

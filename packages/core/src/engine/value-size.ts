import { maxValueDepth } from '../expression/limits.ts';
import { isArray, type Json, type JsonObject } from '../json.ts';

/** Measuring a smaller value again takes no longer than the memory for its size is worth. */
const leastCached = 10_000;

/**
 * What an empty list or object counts. Its JSON has two characters, but to parse and to present it takes as long as for a
 * dozen others: five million empty lists stalled other requests for more than a second. A payload of 5 MiB with as many
 * lists and objects as a webhook accepts, 500,000, can still be passed on.
 */
const emptySize = 24;

const cached = new WeakMap<object, number>();

/**
 * The size of a step's outputs, or of the items of a loop: the length of their JSON, approximately, with more for each
 * list and object. Many steps may output the same large value, and one may refer to it thousands of times at any depth.
 * Values never change, so a large one is measured once. Counting stops above the limit.
 */
export function valueSize(value: JsonObject | readonly Json[], limit = Number.POSITIVE_INFINITY): number {
  return sizeOf(value, limit, 0);
}

/** Infinity for a value that is nested too deep to be walked. */
function sizeOf(value: Json, limit: number, depth: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  if (depth === maxValueDepth) return Number.POSITIVE_INFINITY;
  const known = cached.get(value);
  if (known !== undefined) return known;
  const size = isArray(value) ? sizeOfItems(value, limit, depth) : sizeOfFields(value, limit, depth);
  if (size > leastCached && size <= limit) cached.set(value, size);
  return size;
}

function sizeOfFields(value: JsonObject, limit: number, depth: number): number {
  let size = emptySize;
  // Listing the names of an object with very many takes longer than this loop. JSON has own names only.
  for (const name in value) {
    size += name.length + 4 + sizeOf(value[name] ?? null, limit - size, depth + 1);
    if (size > limit) break;
  }
  return size;
}

function sizeOfItems(value: readonly Json[], limit: number, depth: number): number {
  let size = emptySize;
  for (const item of value) {
    size += 1 + sizeOf(item, limit - size, depth + 1);
    if (size > limit) break;
  }
  return size;
}

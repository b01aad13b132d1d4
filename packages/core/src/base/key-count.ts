import type { JsonObject } from '../json.ts';

/**
 * Counts of more keys than this are cached: counting takes a millisecond or more. An object this large is a payload or
 * an output, which never changes.
 */
const leastCached = 10_000;

const cached = new WeakMap<JsonObject, number>();

/** The number of an object's keys. JavaScript has to list all keys for it, so the count of a large object is cached. */
export function keyCount(object: JsonObject): number {
  const known = cached.get(object);
  if (known !== undefined) return known;
  const count = Object.keys(object).length;
  if (count > leastCached) cached.set(object, count);
  return count;
}

import { jsonSize } from '../expression/json-size.ts';
import { isArray, type Json, type JsonObject } from '../json.ts';

/** Measuring a smaller value takes no longer than looking up its size. */
const leastCached = 10_000;

const cached = new WeakMap<object, number>();

/**
 * The size of a step's outputs, or of the items of a loop. Many steps may output the same large value, which is never
 * changed: it is measured once.
 */
export function valueSize(value: JsonObject | readonly Json[]): number {
  if (isArray(value)) return sizeOf(value);
  return Object.entries(value).reduce((size, [port, output]) => size + port.length + 4 + sizeOf(output), 2);
}

function sizeOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return jsonSize(value, Number.POSITIVE_INFINITY);
  const known = cached.get(value);
  if (known !== undefined) return known;
  const size = jsonSize(value, Number.POSITIVE_INFINITY);
  if (size > leastCached) cached.set(value, size);
  return size;
}

import { jsonSize } from '../expression/json-size.ts';
import { isArray, type Json, type JsonObject } from '../json.ts';

/** Measuring a smaller value takes no longer than looking up its size. */
const leastCached = 10_000;

const cached = new WeakMap<object, number>();

/**
 * Levels at which a known value is looked up: a step that combines the outputs of others has them in a list or an object,
 * which is in one of its ports.
 */
const cachedLevels = 2;

/**
 * The size of a step's outputs, or of the items of a loop. Many steps may output the same large value, which is never
 * changed: it is measured once. Counting stops above the limit: one value may be referenced thousands of times.
 */
export function valueSize(value: JsonObject | readonly Json[], limit = Number.POSITIVE_INFINITY): number {
  return isArray(value) ? sizeOf(value, limit) : sizeOfFields(value, limit, cachedLevels);
}

function sizeOfFields(value: JsonObject, limit: number, levels: number): number {
  let size = 2;
  for (const name in value) {
    size += name.length + 4 + sizeOf(value[name] ?? null, limit - size, levels);
    if (size > limit) break;
  }
  return size;
}

function sizeOfItems(value: readonly Json[], limit: number, levels: number): number {
  let size = 2;
  for (const item of value) {
    size += 1 + sizeOf(item, limit - size, levels);
    if (size > limit) break;
  }
  return size;
}

function sizeOf(value: Json, limit: number, levels = cachedLevels): number {
  if (levels === 0 || typeof value !== 'object' || value === null) return jsonSize(value, limit);
  const known = cached.get(value);
  if (known !== undefined) return known;
  const size = isArray(value) ? sizeOfItems(value, limit, levels - 1) : sizeOfFields(value, limit, levels - 1);
  if (size > leastCached && size <= limit) cached.set(value, size);
  return size;
}

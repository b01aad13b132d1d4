import { isArray, type Json } from '../../json.ts';
import { maxValueDepth } from '../limits.ts';

/**
 * A lower bound of a value's length as JSON; counting stops above the limit. Infinity for a value that is nested too
 * deep to walk. A value that is referenced several times counts each time, as it would in its JSON.
 */
export function jsonSize(value: Json, limit: number, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  if (depth === maxValueDepth) return Number.POSITIVE_INFINITY;
  let size = 2;
  if (isArray(value)) {
    for (const item of value) {
      size += 1 + jsonSize(item, limit - size, depth + 1);
      if (size > limit) return size;
    }
    return size;
  }
  // JSON has own properties only; listing the entries of an object with many names takes twice as long.
  for (const key in value) {
    size += key.length + 4 + jsonSize(value[key] ?? null, limit - size, depth + 1);
    if (size > limit) return size;
  }
  return size;
}

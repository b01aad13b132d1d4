import { isArray, type Json } from '../json.ts';
import { maxValueDepth } from './limits.ts';

/**
 * At least how many characters a value has as JSON, counted only until it is over the limit. A value nested too deep
 * to be walked is infinitely large. A value that is used in many places counts in each: its JSON would, too.
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
  for (const [key, item] of Object.entries(value)) {
    size += key.length + 4 + jsonSize(item, limit - size, depth + 1);
    if (size > limit) return size;
  }
  return size;
}

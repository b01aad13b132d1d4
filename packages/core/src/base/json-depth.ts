import type { Json } from '../json.ts';

/**
 * Whether lists and objects nest deeper than `limit` levels; `[]` is one level. Works without recursion, so that it can
 * guard code that recurses.
 */
export function isDeeperThan(value: Json, limit: number): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const nested = level.filter((item) => typeof item === 'object' && item !== null);
    if (nested.length > 0 && depth === limit) return true;
    level = nested.flatMap((item) => Object.values(item));
  }
  return false;
}

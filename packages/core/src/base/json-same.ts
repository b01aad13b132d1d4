import { isArray, isObject, type Json } from '../json.ts';

/** Whether two JSON values are the same, in any order of keys. Works without recursion, so at any depth. */
export function isSameJson(left: Json, right: Json): boolean {
  const open: [Json | undefined, Json | undefined][] = [[left, right]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (isArray(a) && isArray(b) && a.length === b.length) {
      for (const [index, item] of a.entries()) open.push([item, b[index]]);
    } else if (isObject(a) && isObject(b) && Object.keys(a).length === Object.keys(b).length) {
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

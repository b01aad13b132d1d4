import { isObject, type Json } from '../src/json.ts';
import { type BlockNode, hash } from './random-world.ts';

/** The output of a step of a random graph, built from all values that it can read. All error messages look alike. */
export function stepValue({ nodeId }: BlockNode, input: Json, loop: Json): Json {
  return `${nodeId}:${hash(JSON.stringify([plain(input), plain(loop)])).toString(36)}`;
}

/** A value with each error replaced by one word, and its keys sorted. */
export function plain(value: Json): Json {
  if (isObject(value)) {
    if ('error_code' in value) return 'an error';
    const keys = Object.keys(value).sort();
    return Object.fromEntries(keys.map((key) => [key, plain(value[key] ?? null)]));
  }
  return Array.isArray(value) ? value.map(plain) : value;
}

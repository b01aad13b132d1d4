import { hash } from 'node:crypto';

/**
 * Generated keys are `mr_` and 43 URL-safe characters; the operator's key in MILLRACE_API_KEY may be any visible text.
 */
const shape = /^[\x21-\x7e]{8,200}$/;

/**
 * Enough of a key to recognise it in a list, too little to guess the rest: 5 of the 43 characters of a generated key.
 */
const prefixLength = 8;

/** True if a text has the form of an API key; other texts are never hashed or looked up. */
export function looksLikeKey(text: string): boolean {
  return shape.test(text);
}

/**
 * The SHA-256 of a key in hex, the only form that is stored. A key has 256 random bits, so a slow hash would add
 * nothing.
 */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** All that is stored of a key: the hash by which it is found, and the prefix that lists show. */
export function storedForm(key: string): { readonly hash: string; readonly prefix: string } {
  return { hash: hashOfKey(key), prefix: prefixOfKey(key) };
}

function prefixOfKey(key: string): string {
  // Never more than a quarter, so that a short key of the operator is not shown completely.
  return key.slice(0, Math.min(prefixLength, Math.floor(key.length / 4)));
}

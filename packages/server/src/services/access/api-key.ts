import { hash } from 'node:crypto';

/** The service makes `mr_` and 43 url-safe characters; the operator's own, by MILLRACE_API_KEY, may be any visible text. */
const shape = /^[\x21-\x7e]{8,200}$/;

/** Enough of a key to recognise it by in a list, too little to guess the rest: of ours 5 of its 43 characters. */
const prefixLength = 8;

/** Whether a text can be an API key at all; what cannot is never hashed or looked up. */
export function looksLikeKey(text: string): boolean {
  return shape.test(text);
}

/** The SHA-256 of a key in hex: all that is stored of it. A key is 256 random bits, so a slow hash would add nothing. */
export function hashOfKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** All that is stored of a key: how it is found, and what a list of keys shows of it. */
export function storedForm(key: string): { readonly hash: string; readonly prefix: string } {
  return { hash: hashOfKey(key), prefix: prefixOfKey(key) };
}

function prefixOfKey(key: string): string {
  // Never more than a quarter: a short key of the operator's must not be shown whole.
  return key.slice(0, Math.min(prefixLength, Math.floor(key.length / 4)));
}

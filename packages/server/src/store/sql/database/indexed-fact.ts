import { indexedWords, type Json } from '@millrace/core';

/** The SQL function by which a migration indexes the facts of older versions. */
export const factIndexFunction = 'fact_index';

/**
 * What the index has of a fact: each different word once for the key and once for the value. Each has the space before
 * it, because the facts of all spaces share the index: a search reads nothing about the facts of other spaces.
 */
export function indexOf(spaceId: number, key: string, value: Json): string {
  const keys = indexedWords(key).map((word) => inKey(spaceId, word));
  return [...keys, ...indexedWords(value).map((word) => inValue(spaceId, word))].join(' ');
}

/** A word of a key, as the index has it. */
export const inKey = (spaceId: number, word: string) => `${spaceId}k${word}`;
/** A word of a value, as the index has it. */
export const inValue = (spaceId: number, word: string) => `${spaceId}v${word}`;

/** The same for a row, as SQL has it. */
export function indexOfRow(spaceId: unknown, key: unknown, value: unknown): string {
  return indexOf(Number(spaceId), String(key), JSON.parse(String(value)) as Json);
}

import { indexedWords, type Json } from '@millrace/core';

/** The SQL function by which a migration writes the words of facts that older versions stored. */
export const wordBlockFunction = 'word_block';

/** Facts with neighbouring ids share one block of words, so that a search reads few rows. */
export const factsPerBlock = 16;

/** The block of a fact of this id. */
export const blockOf = (id: number): number => Math.floor(id / factsPerBlock);

/** A fact with the words by which it is found. */
export interface WordedFact {
  readonly id: number;
  readonly key: string;
  readonly value: Json;
}

/**
 * The words of some facts, sorted: for each word of each fact a number of 53 bits. Its upper 48 bits are the hash of the
 * word, so that a search of ten million words finds a wrong one once in thirty million times; then come the place of the
 * fact in its block, and whether the word is one of the key.
 */
export type WordBlock = Float64Array;

/** What follows the hash: the place, and one bit for the key. */
const placesPerHash = 2 * factsPerBlock;

const placeOf = (id: number): number => (id % factsPerBlock) * 2;

const noWords: WordBlock = new Float64Array(0);

/** The words of one fact. */
export function wordsOf({ id, key, value }: WordedFact): WordBlock {
  const entries = (words: readonly string[], place: number) => words.map((word) => hashOf(word) + place);
  const place = placeOf(id);
  return Float64Array.from([...entries(indexedWords(value), place), ...entries(indexedWords(key), place + 1)]).sort();
}

/** A block with these words of a fact in place of those that it had. */
export function withWords(block: WordBlock, id: number, added: WordBlock): WordBlock {
  const place = placeOf(id);
  const merged = new Float64Array(block.length + added.length);
  let count = 0;
  let next = 0;
  for (const entry of block) {
    if (Math.floor((entry % placesPerHash) / 2) * 2 === place) continue;
    for (; (added[next] ?? Infinity) < entry; next += 1) merged[count++] = added[next] ?? 0;
    merged[count++] = entry;
  }
  merged.set(added.subarray(next), count);
  return merged.slice(0, count + added.length - next);
}

/** A block without the words of a fact. */
export function withoutWords(block: WordBlock, id: number): WordBlock {
  return withWords(block, id, noWords);
}

/** Reports the facts of a block that have a word, once for the value and once for the key. */
export function findWord(
  block: WordBlock,
  { hash, number }: { readonly hash: number; readonly number: number },
  found: (id: number, isInKey: boolean) => void,
): void {
  let [from, to] = [0, block.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((block[middle] ?? 0) < hash) from = middle + 1;
    else to = middle;
  }
  for (let entry = block[from]; entry !== undefined && entry < hash + placesPerHash; entry = block[++from]) {
    const place = entry - hash;
    found(number * factsPerBlock + Math.floor(place / 2), place % 2 === 1);
  }
}

/** A block as the database has it. */
export function toBytes(block: WordBlock): Buffer {
  return Buffer.from(block.buffer, block.byteOffset, block.byteLength);
}

export function fromBytes(bytes: Buffer | undefined): WordBlock {
  if (bytes === undefined) return noWords;
  const { buffer, byteOffset, byteLength } = bytes;
  const isAligned = byteOffset % Float64Array.BYTES_PER_ELEMENT === 0;
  const aligned = isAligned ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  return new Float64Array(aligned, isAligned ? byteOffset : 0, byteLength / Float64Array.BYTES_PER_ELEMENT);
}

/** The block of facts in a list as JSON: `[[id, key, value as JSON], …]`. */
export function blockOfRows(rows: unknown): Buffer {
  let block = noWords;
  for (const [id, key, value] of JSON.parse(String(rows)) as [number, string, string][])
    block = withWords(block, id, wordsOf({ id, key, value: JSON.parse(value) as Json }));
  return toBytes(block);
}

/** 48 bits, above those of the place. Two FNV hashes with different starts. */
export function hashOf(word: string): number {
  let [low, high] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    high ^= high >>> 13;
  }
  return ((high & 0xffff) * 2 ** 32 + (low >>> 0)) * placesPerHash;
}

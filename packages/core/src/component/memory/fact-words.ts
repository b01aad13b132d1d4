import { isArray, type Json } from '../../json.ts';
import { searchText } from './search-text.ts';

/** Different words of a value, or of a key, that a search finds: as many as a few pages of text have. */
export const maxIndexedWords = 1000;
/** Different words of a search. */
export const maxFactWords = 16;

/** A character of a script that puts no spaces between words, or a run of other letters and digits. */
const wordPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;

/** The different words of a text, in lower case and without accents. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(searchText(text).match(wordPattern));
}

/** The words of a search that count; it finds the facts that have one of them. */
export function searchWords(query: string): readonly string[] {
  return [...wordsOf(query)].slice(0, maxFactWords);
}

/** The words of a key or a value by which a search finds its fact. */
export function indexedWords(value: Json): readonly string[] {
  return [...wordsOf(searchableText(value))].slice(0, maxIndexedWords);
}

/** The texts in a value that a search can find, in their order: names of fields, texts and numbers. */
function searchableText(value: Json): string {
  const texts: string[] = [];
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === null) continue;
    if (typeof next !== 'object') texts.push(String(next));
    else if (isArray(next)) open.push(...next.toReversed());
    else for (const [name, item] of Object.entries(next).toReversed()) open.push(item, name);
  }
  return texts.join(' ');
}

import { charactersPerStep } from '../base/meter.ts';

/**
 * Up to this length the built-in search is used: it is faster, and even its worst case (length of the text × length of
 * the part) stays small. Longer parts can be chosen so that it runs for many seconds.
 */
const nativeLength = 32;

/** The search for longer parts looks at each character by itself, which takes about ten times longer. */
const matchedCharactersPerStep = 24;

/** Searches for a part of a text in time linear in the length of the text, independent of the length of the part. */
export class TextSearch {
  readonly part: string;
  /**
   * Knuth–Morris–Pratt: the length of the longest border of each prefix of the part. Found by the first search, because
   * that is work that its caller charges for.
   */
  #borders: Int32Array | null = null;

  constructor(part: string) {
    this.part = part;
  }

  /** The steps of work for a search through a text of this length. */
  stepsFor(length: number): number {
    if (length < this.part.length) return 0;
    const perStep = this.part.length > nativeLength ? matchedCharactersPerStep : charactersPerStep;
    return (length + this.part.length) / perStep;
  }

  /** The offset of the first occurrence at or after `from`, or -1. */
  indexIn(text: string, from: number): number {
    if (this.part.length <= nativeLength) return text.indexOf(this.part, from);
    if (text.length - from < this.part.length) return -1;
    this.#borders ??= bordersOf(this.part);
    const borders = this.#borders;
    let matched = 0;
    for (let at = from; at < text.length; at += 1) {
      matched = extend(this.part, borders, matched, text.charCodeAt(at));
      if (matched === this.part.length) return at + 1 - matched;
    }
    return -1;
  }
}

function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let border = 0;
  for (let at = 1; at < part.length; at += 1) {
    border = extend(part, borders, border, part.charCodeAt(at));
    borders[at] = border;
  }
  return borders;
}

/** How much of the part matches after this character is read with `matched` characters matched before. */
function extend(part: string, borders: Int32Array, matched: number, character: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== character) length = borders[length - 1] ?? 0;
  return part.charCodeAt(length) === character ? length + 1 : length;
}

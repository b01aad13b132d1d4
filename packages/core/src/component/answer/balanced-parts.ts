import type { SlicedWork } from '../../base/meter.ts';

/** A list or an object in a text, or something that looks like one. */
export interface BalancedPart {
  readonly text: string;
  readonly kind: 'list' | 'object';
  /** Whether its lines contain nothing else. */
  readonly isAlone: boolean;
}

const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);
const newline = '\n'.charCodeAt(0);
const braces = ['{'.charCodeAt(0), '}'.charCodeAt(0)] as const;
const brackets = ['['.charCodeAt(0), ']'.charCodeAt(0)] as const;

/** Enough for some numbers. */
const charactersOfBeginning = 200;
/** Characters that are read before a pause: a fraction of a millisecond. */
const charactersPerPiece = 100_000;
/** Pairs that are looked at before a pause: some 3 ms. */
const pairsPerPiece = 5_000;

/** The lists and objects in a text. */
export interface TextParts {
  /** The last one first. */
  readonly balanced: readonly BalancedPart[];
  /** The place of the last list of texts, lists or objects, or object, that never ends; -1 if there is none. */
  readonly unended: number;
}

/**
 * The outermost lists and objects of a text whose brackets are balanced. Only those that begin like JSON: brackets in prose
 * are not parts, but can contain some. What follows the beginning of a list or an object that never ends is a part of it,
 * and is not searched.
 */
export function* textParts(text: string): SlicedWork<TextParts> {
  const pairs = new Pairs(text);
  let pause = charactersPerPiece;
  for (let at = 0; at < text.length; at += 1) {
    at = pairs.read(at);
    if (at < pause) continue;
    pause = at + charactersPerPiece;
    yield;
  }
  return { balanced: yield* pairs.outermost(), unended: pairs.unended };
}

class Pairs {
  readonly #text: string;
  /** The places of the brackets that are open. */
  readonly #open: number[] = [];
  #openBraces = 0;
  /** Up to here no quotation mark has a second one on its line: each would search the rest of the line again. */
  #unendedTo = 0;
  /** The first and the last place of each pair, in the order of the last places. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the character at a place, and the string that it begins. Returns the last place that was read. */
  read(at: number): number {
    const unit = this.#text.charCodeAt(at);
    if (unit === quote) return this.#open.length > 0 ? this.#endOfString(at) : at;
    if (unit === braces[0] || unit === brackets[0]) {
      this.#open.push(at);
      if (unit === braces[0]) this.#openBraces += 1;
    } else if (unit === braces[1] || unit === brackets[1]) this.#close(at, unit === braces[1]);
    return at;
  }

  #close(at: number, isBrace: boolean): void {
    // A bracket that was never opened closes nothing. The counts are kept so that no search is needed.
    if ((isBrace ? this.#openBraces : this.#open.length - this.#openBraces) === 0) return;
    for (;;) {
      const from = this.#open.pop() ?? 0;
      const wasBrace = this.#text.charCodeAt(from) === braces[0];
      if (wasBrace) this.#openBraces -= 1;
      if (wasBrace !== isBrace) continue;
      this.#from.push(from);
      this.#to.push(at);
      return;
    }
  }

  /** A quotation mark that has no second one on its line begins no string, and no later one on that line does. */
  #endOfString(start: number): number {
    if (start < this.#unendedTo) return start;
    let at = start + 1;
    for (; at < this.#text.length; at += 1) {
      const unit = this.#text.charCodeAt(at);
      if (unit === quote) return at;
      if (unit === newline) break;
      if (unit === backslash) at += 1;
    }
    this.#unendedTo = at;
    return start;
  }

  /** A number in brackets can be a source or an interval; whatever else begins like JSON is an answer that was cut off. */
  get unended(): number {
    return this.#open.findLast((from) => this.#isUnended(from)) ?? -1;
  }

  /** A bracket in quotation marks is prose. */
  #isUnended(from: number): boolean {
    const beginning = this.#text.slice(from, from + charactersOfBeginning);
    return (
      /^(?:\{\s*"[^"\n]*(?:"\s*:|$)|\[\s*(?:"[^"\n]*(?:"\s*[,\]]|"?$)|[{[]))/.test(beginning) &&
      !/["'`]/.test(this.#text.charAt(from - 1))
    );
  }

  *outermost(): SlicedWork<readonly BalancedPart[]> {
    const parts: BalancedPart[] = [];
    let end = this.#open.find((from) => this.#beginsJson(from)) ?? this.#text.length;
    for (let pair = this.#to.length - 1; pair >= 0; pair -= 1) {
      if (pair % pairsPerPiece === 0) yield;
      const [from = 0, to = 0] = [this.#from[pair], this.#to[pair]];
      if (to >= end || !this.#beginsJson(from)) continue;
      parts.push(this.#part(from, to + 1));
      end = from;
    }
    return parts;
  }

  #beginsJson(from: number): boolean {
    if (this.#text.charCodeAt(from) === braces[0]) return this.#matchesAt(/\{\s*["}]/y, from);
    if (!this.#matchesAt(/\[\s*(?:["{[\]\-\d]|true|false|null)/y, from)) return false;
    // The interval [0, 1) is not JSON. The beginning shows it; all of each list would take too long.
    const beginning = this.#text.slice(from, from + charactersOfBeginning);
    return (
      this.#matchesAt(/\[\s*["{[]/y, from) ||
      /^\[(?:[-+.,\s\deE]|true|false|null)*(?:,\s*["{[]|\]|[a-z]{0,4}$)/.test(beginning)
    );
  }

  #matchesAt(pattern: RegExp, place: number): boolean {
    pattern.lastIndex = place;
    return pattern.test(this.#text);
  }

  #part(from: number, to: number): BalancedPart {
    const text = this.#text.slice(from, to);
    return { text, kind: text.startsWith('{') ? 'object' : 'list', isAlone: this.#isAlone(from, to) };
  }

  #isAlone(from: number, to: number): boolean {
    let before = from - 1;
    while (isBlank(this.#text.charAt(before))) before -= 1;
    const after = /[^\S\n]*(?:\n|$)/y;
    after.lastIndex = to;
    return (before < 0 || this.#text.charCodeAt(before) === newline) && after.test(this.#text);
  }
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\r';
}

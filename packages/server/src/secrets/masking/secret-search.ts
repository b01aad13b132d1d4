import { type Meter, runThrough, type SlicedWork } from '@millrace/core';
import { encodingsOf, isBeginning, readFrom } from './encodings.ts';

/** The replacement for a secret. */
export const mask = '****';

/**
 * Enough characters to find the few places where a secret may begin. The pattern for ten secrets is compiled in about
 * 50 ms; with eight characters it takes four times as long.
 */
const beginningLength = 4;
/** The longest spelling of such a beginning: each of its characters has up to 4 bytes, each written as `%25xx`. */
const maxBeginning = beginningLength * 4 * 5;
/**
 * The maximum number of characters compared in vain, about 100 ms of work. Only a text made to be slow exceeds it;
 * the rest of that text is then masked.
 */
const maxWasted = 2_000_000;

/** Characters searched between two pauses: less than a millisecond for one secret, a few for the most secrets. */
const windowLength = 65_536;
/** The pattern looks at each character once for each beginning, at about one nanosecond each. */
const beginningCharactersPerStep = 100;
/** Comparing a character in all its spellings takes about 20 ns for each encoding. */
const comparedCharactersPerStep = 4;

/** A secret in a text. */
interface Found {
  readonly start: number;
  readonly end: number;
}

/** The work on one text so far. */
interface Spent {
  wasted: number;
  readonly meter?: Meter | undefined;
}

/** Finds secrets in texts, plain and in the encodings of encodings.ts. */
export class SecretSearch {
  readonly #encodings: ReturnType<typeof encodingsOf>;
  /** Where a secret may begin; null if nothing is searched for. */
  readonly #beginnings: RegExp | null;

  readonly #beginningCount: number;

  /** The first characters of the secrets: most characters of a text are not among them. */
  readonly #firsts: ReadonlySet<string>;

  /** @param encode how each character is escaped in the searched texts, e.g. as JSON; by default, not at all */
  constructor(secrets: readonly string[], encode = (text: string): string => text) {
    const encodings = encodingsOf(secrets);
    this.#encodings = encodings.map(({ characters, style }) => ({ characters, style: cached(style, encode) }));
    const spellings = this.#encodings.flatMap(({ characters: [first = ''], style }) => style(first));
    this.#firsts = new Set(spellings.map((spelling) => spelling.charAt(0).toLowerCase()));
    const sources = beginningsOf(this.#encodings);
    this.#beginningCount = sources.length;
    this.#beginnings = sources.length === 0 ? null : new RegExp(sources.join('|'), 'gi');
  }

  /** Whether a text contains a secret. */
  isIn(text: string): boolean {
    return runThrough(this.#find(text, 0, { wasted: 0 })) !== null;
  }

  /** The text with each secret masked. */
  redact(text: string): string {
    return runThrough(this.redaction(text));
  }

  /** The same in slices, for a text that may be long. */
  *redaction(text: string, meter?: Meter): SlicedWork<string> {
    const spent: Spent = { wasted: 0, meter };
    let redacted = '';
    let from = 0;
    for (;;) {
      const found = yield* this.#find(text, from, spent);
      if (found === null) return from === 0 ? text : redacted + text.slice(from);
      redacted += text.slice(from, found.start) + mask;
      from = found.end;
      yield;
    }
  }

  /**
   * Like `redact`, for text that arrives in pieces: returns as `left` the end that may be the beginning of a secret.
   */
  redactSoFar(text: string): { readonly redacted: string; readonly left: string } {
    const spent: Spent = { wasted: 0 };
    const next = () => runThrough(this.#find(text, from, spent));
    let redacted = '';
    let from = 0;
    for (let found = next(); found !== null; found = next()) {
      if (this.#mayBeIncomplete(text, found.start)) break;
      redacted += text.slice(from, found.start) + mask;
      from = found.end;
    }
    let open = from;
    while (open < text.length && !this.#mayBeIncomplete(text, open)) open += 1;
    return { redacted: redacted + text.slice(from, open), left: text.slice(open) };
  }

  #mayBeIncomplete(text: string, start: number): boolean {
    if (!this.#firsts.has(text.charAt(start).toLowerCase())) return false;
    return this.#encodings.some((encoding) => isBeginning(encoding, text, start));
  }

  /** The first secret at or after a position. */
  *#find(text: string, from: number, spent: Spent): SlicedWork<Found | null> {
    for (let start = from; start < text.length; start += windowLength) {
      const found = this.#findIn(text, start, spent);
      if (found !== null) return found;
      yield;
    }
    return null;
  }

  /** The first secret that begins in the window at a position. */
  #findIn(text: string, from: number, spent: Spent): Found | null {
    if (this.#beginnings === null) return null;
    const window = text.slice(from, from + windowLength + maxBeginning);
    this.#beginnings.lastIndex = 0;
    let searched = 0;
    for (let match = this.#beginnings.exec(window); match !== null; match = this.#beginnings.exec(window)) {
      if (match.index >= windowLength) break;
      this.#charge(match.index - searched, spent);
      searched = match.index;
      const found = this.#readAt(text, from + searched, spent);
      if (found !== null) return found;
      this.#beginnings.lastIndex = searched + 1;
    }
    this.#charge(Math.min(windowLength, window.length) - searched, spent);
    return null;
  }

  #charge(searched: number, { meter }: Spent): void {
    meter?.spend((searched * this.#beginningCount) / beginningCharactersPerStep);
  }

  /** The secret at a position where one may begin. */
  #readAt(text: string, start: number, spent: Spent): Found | null {
    const readings = this.#encodings.map((encoding) => readFrom(encoding, text, start));
    const read = readings.reduce((sum, reading) => sum + reading.end - start, 0);
    spent.meter?.spend((read + readings.length) / comparedCharactersPerStep);
    // The longest match: an encoder may have doubled the backslash that a secret ends with.
    const end = Math.max(...readings.map((reading) => (reading.isWhole ? reading.end : 0)));
    if (end > 0) return { start, end };
    spent.wasted += read;
    return spent.wasted > maxWasted ? { start, end: text.length } : null;
  }
}

/**
 * A pattern for the first characters of each text to find, in any mixture of its encodings: one pattern for each encoding
 * would take several times as long to compile.
 */
function beginningsOf(encodings: ReturnType<typeof encodingsOf>): readonly string[] {
  const groups = Map.groupBy(encodings, ({ characters }) => characters.slice(0, beginningLength).join(''));
  return [...groups.values()].map((group) => {
    const characters = group[0]?.characters.slice(0, beginningLength) ?? [];
    const spellings = characters.map((character) => new Set(group.flatMap(({ style }) => style(character))));
    return spellings.map((ways) => `(?:${Array.from(ways, escaped).join('|')})`).join('');
  });
}

/** An encoding with a cache of its results by character, for long texts. */
function cached(style: (character: string) => readonly string[], encode: (text: string) => string): typeof style {
  const cache = new Map<string, readonly string[]>();
  return (character) => {
    const spellings = cache.get(character) ?? style(character).map(encode);
    cache.set(character, spellings);
    return spellings;
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

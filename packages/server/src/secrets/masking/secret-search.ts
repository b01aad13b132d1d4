import { encodingsOf, isBeginning, readFrom } from './encodings.ts';

/** The replacement for a secret. */
export const mask = '****';

/**
 * Enough characters to find the few places where a secret may begin; a pattern of whole secrets takes too long to
 * build.
 */
const beginningLength = 8;
/**
 * The maximum number of characters compared in vain, about 100 ms of work. Only a text made to be slow exceeds it;
 * the rest of that text is then masked.
 */
const maxWasted = 2_000_000;

/** Finds secrets in texts, plain and in the encodings of encodings.ts. */
export class SecretSearch {
  readonly #encodings: ReturnType<typeof encodingsOf>;
  /** Where a secret may begin; null if nothing is searched for. */
  readonly #beginnings: RegExp | null;

  /** The first characters of the secrets: most characters of a text are not among them. */
  readonly #firsts: ReadonlySet<string>;

  /** @param encode how each character is escaped in the searched texts, e.g. as JSON; by default, not at all */
  constructor(secrets: readonly string[], encode = (text: string): string => text) {
    const encodings = encodingsOf(secrets);
    this.#encodings = encodings.map(({ characters, style }) => ({ characters, style: cached(style, encode) }));
    const spellings = this.#encodings.flatMap(({ characters: [first = ''], style }) => style(first));
    this.#firsts = new Set(spellings.map((spelling) => spelling.charAt(0).toLowerCase()));
    const sources = this.#encodings.map(({ characters, style }) =>
      characters.slice(0, beginningLength).map((character) => `(?:${style(character).map(escaped).join('|')})`),
    );
    const different = new Set(sources.map((source) => source.join('')));
    this.#beginnings = different.size === 0 ? null : new RegExp([...different].join('|'), 'gi');
  }

  /** Whether a text contains a secret. */
  isIn(text: string): boolean {
    return this.#find(text, 0, { wasted: 0 }) !== null;
  }

  /** The text with each secret masked. */
  redact(text: string): string {
    const spent = { wasted: 0 };
    let redacted = '';
    let from = 0;
    for (let found = this.#find(text, from, spent); found !== null; found = this.#find(text, from, spent)) {
      redacted += text.slice(from, found.start) + mask;
      from = found.end;
    }
    return from === 0 ? text : redacted + text.slice(from);
  }

  /**
   * Like `redact`, for text that arrives in pieces: returns as `left` the end that may be the beginning of a secret.
   */
  redactSoFar(text: string): { readonly redacted: string; readonly left: string } {
    const spent = { wasted: 0 };
    let redacted = '';
    let from = 0;
    for (let found = this.#find(text, from, spent); found !== null; found = this.#find(text, from, spent)) {
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

  #find(
    text: string,
    from: number,
    spent: { wasted: number },
  ): { readonly start: number; readonly end: number } | null {
    if (this.#beginnings === null) return null;
    this.#beginnings.lastIndex = from;
    for (let match = this.#beginnings.exec(text); match !== null; match = this.#beginnings.exec(text)) {
      const { index: start } = match;
      const readings = this.#encodings.map((encoding) => readFrom(encoding, text, start));
      // The longest match: an encoder may have doubled the backslash that a secret ends with.
      const end = Math.max(...readings.map((reading) => (reading.isWhole ? reading.end : 0)));
      if (end > 0) return { start, end };
      spent.wasted += readings.reduce((sum, reading) => sum + reading.end - start, 0);
      if (spent.wasted > maxWasted) return { start, end: text.length };
      this.#beginnings.lastIndex = start + 1;
    }
    return null;
  }
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

import { encodingsOf, isBeginning, readFrom } from './encodings.ts';

/** The replacement for a secret. */
export const mask = '****';

/** Enough characters to find the few places where a secret may begin; a pattern of all of them takes long to build. */
const beginningLength = 8;
/**
 * Characters that are compared without a match before the whole rest counts as a secret, about a second's work: only a
 * text made for that repeats the beginning of a long secret so often.
 */
const mostInVain = 20_000_000;

/** Finds secrets in texts, in any encoding. */
export class SecretSearch {
  readonly #encodings: ReturnType<typeof encodingsOf>;
  /** Where a secret may begin; null if nothing is searched for. */
  readonly #beginnings: RegExp | null;

  /** The first characters of the secrets: most characters of a text are not among them. */
  readonly #firsts: ReadonlySet<string>;

  /** Texts may be encoded character by character. */
  constructor(secrets: readonly string[], encode = (text: string): string => text) {
    const encodings = encodingsOf(secrets);
    this.#encodings = encodings.map(({ characters, style }) => ({ characters, style: known(style, encode) }));
    const ways = this.#encodings.flatMap(({ characters: [first = ''], style }) => style(first));
    this.#firsts = new Set(ways.map((way) => way.charAt(0).toLowerCase()));
    const sources = this.#encodings.map(({ characters, style }) =>
      characters.slice(0, beginningLength).map((character) => `(?:${style(character).map(escaped).join('|')})`),
    );
    const different = new Set(sources.map((source) => source.join('')));
    this.#beginnings = different.size === 0 ? null : new RegExp([...different].join('|'), 'gi');
  }

  /** Whether a text contains a secret. */
  isIn(text: string): boolean {
    return this.#find(text, 0, { inVain: 0 }) !== null;
  }

  /** The text with each secret masked. */
  redact(text: string): string {
    const spent = { inVain: 0 };
    let rest = '';
    let from = 0;
    for (let found = this.#find(text, from, spent); found !== null; found = this.#find(text, from, spent)) {
      rest += text.slice(from, found.start) + mask;
      from = found.end;
    }
    return from === 0 ? text : rest + text.slice(from);
  }

  /** The same for a text that continues: a possible beginning of a secret, or of a longer one, is held back. */
  redactSoFar(text: string): { readonly redacted: string; readonly left: string } {
    const spent = { inVain: 0 };
    let rest = '';
    let from = 0;
    for (let found = this.#find(text, from, spent); found !== null; found = this.#find(text, from, spent)) {
      if (this.#mayGoOn(text, found.start)) break;
      rest += text.slice(from, found.start) + mask;
      from = found.end;
    }
    let open = from;
    while (open < text.length && !this.#mayGoOn(text, open)) open += 1;
    return { redacted: rest + text.slice(from, open), left: text.slice(open) };
  }

  #mayGoOn(text: string, start: number): boolean {
    if (!this.#firsts.has(text.charAt(start).toLowerCase())) return false;
    return this.#encodings.some((encoding) => isBeginning(encoding, text, start));
  }

  #find(
    text: string,
    from: number,
    spent: { inVain: number },
  ): { readonly start: number; readonly end: number } | null {
    if (this.#beginnings === null) return null;
    this.#beginnings.lastIndex = from;
    for (let match = this.#beginnings.exec(text); match !== null; match = this.#beginnings.exec(text)) {
      const { index: start } = match;
      const readings = this.#encodings.map((encoding) => readFrom(encoding, text, start));
      // The longest match: an encoder may have doubled the backslash that a secret ends with.
      const end = Math.max(...readings.map((reading) => (reading.isWhole ? reading.end : 0)));
      if (end > 0) return { start, end };
      spent.inVain += readings.reduce((sum, reading) => sum + reading.end - start, 0);
      if (spent.inVain > mostInVain) return { start, end: text.length };
      this.#beginnings.lastIndex = start + 1;
    }
    return null;
  }
}

/** An encoding with a cache of its results by character, for long texts. */
function known(style: (character: string) => readonly string[], encode: (text: string) => string): typeof style {
  const made = new Map<string, readonly string[]>();
  return (character) => {
    const ways = made.get(character) ?? style(character).map(encode);
    made.set(character, ways);
    return ways;
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

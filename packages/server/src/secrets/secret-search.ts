import { endOf, isBeginning, writingsOf } from './writings.ts';

/** What stands in a secret's place. */
export const mask = '****';

/** Enough characters to find the few places where a secret may begin; a pattern of all of them takes long to make. */
const beginningLength = 8;

/** Finds secrets in texts, however they are written there. */
export class SecretSearch {
  readonly #writings: ReturnType<typeof writingsOf>;
  /** Where one may begin; null where nothing is searched. */
  readonly #beginnings: RegExp | null;

  /** Texts may have been encoded, each character by itself. */
  constructor(secrets: readonly string[], encode = (text: string): string => text) {
    const writings = writingsOf(secrets);
    this.#writings = writings.map(({ characters, style }) => ({
      characters,
      style: (each) => style(each).map(encode),
    }));
    const sources = this.#writings.map(({ characters, style }) =>
      characters.slice(0, beginningLength).map((character) => `(?:${style(character).map(escaped).join('|')})`),
    );
    const different = new Set(sources.map((source) => source.join('')));
    this.#beginnings = different.size === 0 ? null : new RegExp([...different].join('|'), 'gi');
  }

  /** Whether a text holds one. */
  isIn(text: string): boolean {
    return this.#find(text, 0) !== null;
  }

  /** The text with a mask in the place of each. */
  redact(text: string): string {
    let rest = '';
    let from = 0;
    for (let found = this.#find(text, from); found !== null; found = this.#find(text, from)) {
      rest += text.slice(from, found.start) + mask;
      from = found.end;
    }
    return from === 0 ? text : rest + text.slice(from);
  }

  /** How many of the last characters may be the beginning of one. */
  beginningAtEnd(text: string): number {
    for (let start = 0; start < text.length; start += 1) {
      if (this.#writings.some((writing) => isBeginning(writing, text, start))) return text.length - start;
    }
    return 0;
  }

  #find(text: string, from: number): { readonly start: number; readonly end: number } | null {
    if (this.#beginnings === null) return null;
    this.#beginnings.lastIndex = from;
    for (let match = this.#beginnings.exec(text); match !== null; match = this.#beginnings.exec(text)) {
      const { index: start } = match;
      // The longest: a writer may have doubled the backslash that a secret ends with.
      const end = Math.max(...this.#writings.map((writing) => endOf(writing, text, start) ?? 0));
      if (end > 0) return { start, end };
      this.#beginnings.lastIndex = start + 1;
    }
    return null;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

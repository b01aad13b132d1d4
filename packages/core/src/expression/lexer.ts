import { exactNumber } from '../base/exact-json.ts';
import { ExpressionError, placeAt } from './expression-error.ts';

/** Longer operators first, so that `**` is not read as two `*`. */
const symbols = ['**', '//', '==', '!=', '<=', '>=', ...'+-*/%~<>=|.,:()[]{}'] as const;

/** Operators of other languages, and their equivalents here. */
const foreign: readonly (readonly [string, string])[] = [
  ['===', "Write '==' to compare."],
  ['!==', "Write '!=' to compare."],
  ['&&', "Write 'and' instead of '&&'."],
  ['||', "Write 'or' instead of '||', or one '|' before a filter."],
  ['??', "Write '| default(…)' instead of '??'."],
  ['?.', "Write '.' and a default: 'a.b | default(…)' instead of 'a?.b'."],
  ['?', "Write 'a if condition else b' instead of 'condition ? a : b'."],
  ['`', 'Put text in \' or ".'],
];

/** One word or symbol of an expression; `end` is the offset just after it. */
export type Token = { readonly offset: number; readonly end: number } & (
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'symbol'; readonly symbol: string }
  | { readonly kind: 'end' }
);

const tooManyDigits = 'This number has too many digits to be exact: put it in quotes, as text.';
const notANumber = "This is neither a number nor a name: put text in quotes, and write such an object key as ['…'].";

/** The characters of names: letters of any alphabet, digits and `_`. */
const nameCharacter = /\p{ID_Continue}/u;
const digit = /[0-9]/;
const space = /[ \t\r\n\u00a0]/;

/**
 * Reads the tokens of a text one by one, from `start` up to `limit`, and only on demand: a template continues after
 * `}}`.
 */
export class Lexer {
  readonly text: string;
  readonly #limit: number;
  #at: number;

  constructor(text: string, start: number, limit: number) {
    this.text = text;
    this.#at = start;
    this.#limit = limit;
  }

  next(): Token {
    while (this.#matches(space)) this.#at += 1;
    const offset = this.#at;
    if (offset >= this.#limit) return { kind: 'end', offset, end: offset };
    const character = this.text[offset] ?? '';
    if (digit.test(character)) return this.#number(offset);
    if (character === "'" || character === '"') return this.#string(offset, character);
    if (nameCharacter.test(character)) return this.#name(offset);
    return this.#symbol(offset);
  }

  /** The name or index right after a dot, where `0.1` is two indexes and not a fraction. */
  nextMember(): Token {
    const offset = this.#at;
    if (!this.#matches(digit)) return this.next();
    this.#skipDigits();
    if (this.#matches(nameCharacter)) this.fail(notANumber, offset);
    return { kind: 'number', value: Number(this.text.slice(offset, this.#at)), offset, end: this.#at };
  }

  fail(reason: string, offset: number): never {
    throw new ExpressionError(reason, placeAt(this.text, offset));
  }

  #matches(pattern: RegExp): boolean {
    return this.#at < this.#limit && pattern.test(this.text[this.#at] ?? '');
  }

  #skipDigits(): void {
    while (this.#matches(digit)) this.#at += 1;
  }

  #name(offset: number): Token {
    while (this.#matches(nameCharacter)) this.#at += 1;
    return { kind: 'name', name: this.text.slice(offset, this.#at), offset, end: this.#at };
  }

  #number(offset: number): Token {
    this.#skipDigits();
    if (this.#matches(/\./) && digit.test(this.text[this.#at + 1] ?? '')) {
      this.#at += 1;
      this.#skipDigits();
    }
    if (this.#matches(/[eE]/)) {
      this.#at += 1;
      if (this.#matches(/[+-]/)) this.#at += 1;
      this.#skipDigits();
    }
    const written = this.text.slice(offset, this.#at);
    const value = Number(written);
    if (Number.isNaN(value) || this.#matches(nameCharacter)) {
      this.fail(notANumber, offset);
    }
    if (!Number.isFinite(value)) this.fail('This number is too large.', offset);
    if (typeof exactNumber(written) === 'string') this.fail(tooManyDigits, offset);
    return { kind: 'number', value, offset, end: this.#at };
  }

  #string(offset: number, quote: string): Token {
    let value = '';
    let from = offset + 1;
    for (let at = from; at < this.#limit; at += 1) {
      const character = this.text[at];
      if (character === quote) {
        this.#at = at + 1;
        value += this.text.slice(from, at);
        if (!value.isWellFormed()) this.fail('This text contains half of a surrogate pair.', offset);
        return { kind: 'string', value, offset, end: this.#at };
      }
      if (character === '\\') {
        const escaped = this.#escape(at);
        value += this.text.slice(from, at) + escaped.value;
        from = at + escaped.length;
        at = from - 1;
      }
    }
    const tooLong = this.#limit < this.text.length ? ' within the length of an expression' : '';
    this.fail(`This text has no closing ${quote}${tooLong}.`, offset);
  }

  #escape(at: number): { value: string; length: number } {
    const letter = this.text[at + 1] ?? '';
    const value = escapes.get(letter);
    if (value !== undefined) return { value, length: 2 };
    const digits = letter === 'u' ? 4 : letter === 'x' ? 2 : 0;
    const code = this.text.slice(at + 2, at + 2 + digits);
    if (digits > 0 && /^[0-9a-fA-F]+$/.test(code) && code.length === digits) {
      return { value: String.fromCharCode(Number.parseInt(code, 16)), length: 2 + digits };
    }
    this.fail(
      'A backslash in a text must be followed by one of \\ \' " / n t r b f, xNN or uNNNN; write \\\\ for a backslash.',
      at,
    );
  }

  #symbol(offset: number): Token {
    const hint = foreign.find(([sign]) => this.text.startsWith(sign, offset));
    if (hint !== undefined) this.fail(hint[1], offset);
    const symbol = symbols.find((candidate) => this.text.startsWith(candidate, offset));
    if (symbol === undefined) return this.#meaningless(offset);
    this.#at = offset + symbol.length;
    return { kind: 'symbol', symbol, offset, end: this.#at };
  }

  #meaningless(offset: number): never {
    const character = String.fromCodePoint(this.text.codePointAt(offset) ?? 0);
    if (character === '!') this.fail("Write 'not' instead of '!'.", offset);
    if (character === '$') this.fail(dollarReason(this.text.slice(offset + 1, offset + 20)), offset);
    if (character === '#')
      this.fail("Blocks such as {{#if}} are not supported: write 'a if condition else b'.", offset);
    this.fail(`The character ${JSON.stringify(character)} has no meaning here.`, offset);
  }
}

/** Names with a dollar sign in other products, by their beginnings, and what to write here. */
const dollarNames: readonly (readonly [string, string])[] = [
  [
    'json',
    "Write '<node>.<port>' of the node before, e.g. fetch.result, in place of '$json'; 'input' is the payload of the trigger.",
  ],
  ['node', "Write '<node>.<port>', e.g. fetch.result, in place of '$node'."],
  ['items', "Write '<node>.<port>', e.g. fetch.result, in place of '$items'."],
  ['(', "Write '<node>.<port>', e.g. fetch.result, in place of '$(…)'."],
  ['input', "Write '<node>.<port>' of the node before, e.g. fetch.result, in place of '$input'."],
  ['trigger', "Write 'trigger.payload' in place of '$trigger'."],
  ['vars', "Write 'vars.<name>' in place of '$vars'."],
  ['env', "Write 'vars.<name>' in place of '$env': the variables of the process are not readable."],
  ['now', `Write 'now' | date("yyyy-MM-dd'T'HH:mm:ss") in place of '$now'.`],
  ['today', "Write 'now' | date('yyyy-MM-dd') in place of '$today'."],
  ['execution', "Write 'run.id' in place of '$execution'."],
  ['workflow', "Write 'run.workflow' in place of '$workflow'."],
];

function dollarReason(rest: string): string {
  const found = dollarNames.find(([name]) => rest.startsWith(name));
  return found?.[1] ?? "Names have no '$': write 'trigger.payload.<name>', 'vars.<name>' or '<node>.<port>'.";
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['/', '/'],
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
]);

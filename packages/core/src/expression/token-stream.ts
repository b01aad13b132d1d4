import { Lexer, type Token } from './lexer.ts';
import { maxExpressionLength, maxNesting, maxOperators } from './limits.ts';

/** The tokens of one expression with one token of look-ahead, and the counters that limit the depth of its tree. */
export class TokenStream {
  readonly text: string;
  readonly #start: number;
  readonly #lexer: Lexer;
  #current: Token;
  #nesting = 0;
  #operators = 0;

  constructor(text: string, start: number) {
    this.text = text;
    this.#start = start;
    this.#lexer = new Lexer(text, start, Math.min(text.length, start + maxExpressionLength + 1));
    this.#current = this.#lexer.next();
  }

  get current(): Token {
    return this.#current;
  }

  /** Advances to the next token and returns the current one. */
  advance(): Token {
    const passed = this.#current;
    this.#current = this.#lexer.next();
    if (this.#current.offset - this.#start > maxExpressionLength) {
      this.fail(`An expression has at most ${maxExpressionLength} characters.`, this.#start);
    }
    return passed;
  }

  /** Skips a dot; a name or an index follows. */
  advanceToMember(): void {
    this.#current = this.#lexer.nextMember();
  }

  isSymbol(symbol: string): boolean {
    return this.#current.kind === 'symbol' && this.#current.symbol === symbol;
  }

  isName(name: string): boolean {
    return this.#current.kind === 'name' && this.#current.name === name;
  }

  /** Skips this symbol if it is next. */
  accept(symbol: string): boolean {
    const found = this.isSymbol(symbol);
    if (found) this.advance();
    return found;
  }

  /** Skips this word if it is next. */
  acceptName(name: string): boolean {
    const found = this.isName(name);
    if (found) this.advance();
    return found;
  }

  /** Skips this symbol, which must be next; returns the offset after it. */
  expect(symbol: string, after: string): number {
    if (!this.isSymbol(symbol)) this.fail(`Expected '${symbol}' ${after}, but found ${this.describe()}.`);
    return this.advance().end;
  }

  /** Parses one level deeper, for recursive rules. */
  nested<T>(read: () => T): T {
    this.#nesting += 1;
    if (this.#nesting > maxNesting) this.fail(`Brackets, signs and conditions nest at most ${maxNesting} deep.`);
    const result = read();
    this.#nesting -= 1;
    return result;
  }

  /** Counts an operator, a dot or a filter. */
  countOperator(): void {
    this.#operators += 1;
    if (this.#operators > maxOperators) this.fail(`An expression has at most ${maxOperators} operators.`);
  }

  /** A description of the next token. */
  describe(): string {
    const token = this.#current;
    switch (token.kind) {
      case 'end':
        return 'the end of the text';
      case 'name':
        return `'${token.name}'`;
      case 'number':
        return 'a number';
      case 'string':
        return 'text in quotes';
      case 'symbol':
        return `'${token.symbol}'`;
    }
  }

  fail(reason: string, offset: number = this.#current.offset): never {
    return this.#lexer.fail(reason, offset);
  }
}

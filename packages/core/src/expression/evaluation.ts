import type { Instant } from '../time.ts';
import { ExpressionError, placeAt } from './expression-error.ts';
import { charactersPerStep, maxTextLength } from './limits.ts';
import type { Scope } from './scope.ts';

/** What the evaluation of an expression, a template or a whole config may use, and where in the text it is. */
export class Evaluation {
  readonly scope: Scope;
  /** What `'now' | date` gives. */
  readonly now: Instant | undefined;
  /** The text that offsets count in. */
  text = '';
  /** Where an error of the current operator or filter is reported. */
  offset = 0;
  /** True once a list or object was made, which could be larger than what it was made of. */
  built = false;
  /** How much JSON the built results came to so far. */
  builtSize = 0;
  #fuel: number;

  constructor(scope: Scope, fuel: number, now: Instant | undefined) {
    this.scope = scope;
    this.now = now;
    this.#fuel = fuel;
  }

  /** Uses up steps. Every loop over data calls this before or while it works. */
  spend(steps: number): void {
    this.#fuel -= steps;
    if (this.#fuel < 0) {
      this.fail('This takes too many steps to evaluate: work on fewer items, or in a code node.');
    }
  }

  /** Uses up the steps for scanning or copying a text once. */
  spendOnText(length: number): void {
    this.spend(length / charactersPerStep);
  }

  /** Checks the length of a text before it is built. */
  checkLength(length: number): void {
    if (length > maxTextLength) this.fail(`The text would be longer than ${maxTextLength} characters.`);
  }

  fail(reason: string): never {
    throw new ExpressionError(reason, placeAt(this.text, this.offset));
  }
}

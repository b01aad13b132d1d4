import { charactersPerStep, type Meter } from '../base/meter.ts';
import type { Instant } from '../time.ts';
import { ExpressionError, placeAt } from './expression-error.ts';
import { maxTextLength } from './limits.ts';
import type { Scope } from './scope.ts';

/** What an evaluation shares with others. */
interface EvaluationOptions {
  readonly now?: Instant | undefined;
  readonly meter?: Meter | undefined;
}

/**
 * The limits of the evaluation of an expression, a template or a whole config, and its current position in the text.
 */
export class Evaluation {
  readonly scope: Scope;
  /** The result of `'now' | date`. */
  readonly now: Instant | undefined;
  /** The text that offsets refer to. */
  text = '';
  /** Where an error of the current operator or filter is reported. */
  offset = 0;
  /** True after a list or object was built, which could be larger than its source. */
  built = false;
  /** True while the value becomes a part of a text, where null counts as missing for `default`. */
  inText = false;
  /** The size of the built results so far, as JSON. */
  builtSize = 0;
  /** The absolute values of integers beyond 2^53 that were calculated here, exactly. */
  readonly largeIntegers = new Set<number>();
  #fuel: number;
  /** The limit of the whole attempt; undefined outside of one. */
  readonly #meter: Meter | undefined;

  constructor(scope: Scope, fuel: number, { now, meter }: EvaluationOptions) {
    this.scope = scope;
    this.now = now;
    this.#fuel = fuel;
    this.#meter = meter;
  }

  /** Consumes steps. Every loop over data calls this before or during its work. */
  spend(steps: number): void {
    this.#meter?.spend(steps);
    this.#fuel -= steps;
    if (this.#fuel < 0) {
      this.fail('The expression takes too many steps to evaluate: use fewer items, or a code node.');
    }
  }

  /** Consumes the steps for scanning or copying a text once. */
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

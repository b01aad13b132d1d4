import { StepError } from '../errors.ts';

/**
 * Steps of one attempt: ten configs full of expressions, or five rules for each of 200,000 items. They take a third of a
 * second.
 */
export const maxAttemptSteps = 3_000_000;

/**
 * Milliseconds of work of one attempt. The steps are an estimate: this ends work that takes longer on a slow machine or
 * for an unusual value.
 */
export const maxAttemptMs = 2_000;

/** Milliseconds after which work lets others have the event loop: nobody notices such a delay. */
export const sliceMs = 10;

/** Steps between two looks at the clock: about a millisecond of work. */
const stepsPerLook = 10_000;

/** Characters per step of plain text work: copying or scanning them takes about as long as one step. */
export const charactersPerStep = 256;

/** Reading or writing JSON takes about ten times longer per character. */
export const jsonCharactersPerStep = 16;

/** The source of monotonic time, in milliseconds. */
type Monotonic = () => number;

/** Limits the work of one attempt on the event loop. Everything whose cost depends on data is charged before it is done. */
export class Meter {
  readonly #monotonic: Monotonic;
  #left: number;
  #nextLook: number;
  /** Null while the attempt waits, which is not work. */
  #sliceBegan: number | null;
  /** Milliseconds of the slices before the current one. */
  #usedMs = 0;

  constructor(monotonic: Monotonic, steps = maxAttemptSteps) {
    this.#monotonic = monotonic;
    this.#left = steps;
    this.#nextLook = Math.max(0, steps - stepsPerLook);
    this.#sliceBegan = monotonic();
  }

  /** Charges steps. @throws StepError `work_limit` */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= this.#nextLook) return;
    this.#nextLook = Math.max(0, this.#left - stepsPerLook);
    if (this.#left < 0 || this.#usedMs + this.#sliceMs() > maxAttemptMs) {
      const message = 'The step has more work than one step may have: give it fewer or smaller values, or fewer rules.';
      throw new StepError('work_limit', message);
    }
  }

  /** Charges for scanning or copying texts once. @throws StepError `work_limit` */
  spendOnText(length: number): void {
    this.spend(length / charactersPerStep);
  }

  /** True when the work should continue in a later turn of the event loop. */
  get isSliceOver(): boolean {
    return this.#sliceMs() > sliceMs;
  }

  /** Notes that the work continues. */
  beginSlice(): void {
    this.#sliceBegan ??= this.#monotonic();
  }

  /** Notes that the attempt waits, or that others have the event loop. */
  endSlice(): void {
    this.#usedMs += this.#sliceMs();
    this.#sliceBegan = null;
  }

  #sliceMs(): number {
    return this.#sliceBegan === null ? 0 : this.#monotonic() - this.#sliceBegan;
  }
}

/** Work that may stop at each `yield` and continue in a later turn of the event loop. */
export type SlicedWork<Result> = Generator<undefined, Result, undefined>;

/** A text, or the work that makes it. */
export type SlicedText = string | SlicedWork<string>;

/** The text when its work is done. */
export function* finishedText(text: SlicedText): SlicedWork<string> {
  return typeof text === 'string' ? text : yield* text;
}

/** Does sliced work without a pause. */
export function runThrough<Result>(work: SlicedWork<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  keyCount,
  type Meter,
  own,
  runThrough,
  type SlicedWork,
} from '@millrace/core';

/** What the work of a comparison is charged to. */
export type Spending = Pick<Meter, 'spend' | 'spendOnText'>;

/** For comparisons of values that nobody else chose, such as those of a test file. */
export const unlimited: Spending = { spend: () => undefined, spendOnText: () => undefined };

/** The allowance of a comparison is spent. */
export class AllowanceSpent extends Error {}

/** Characters that are compared or copied in the time of a step. */
const charactersPerStep = 256;

/** Allows a number of steps, for work that is left out if it takes more. */
export class Allowance implements Spending {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new AllowanceSpent();
  }

  spendOnText(length: number): void {
    this.spend(length / charactersPerStep);
  }
}

/** A comparison of two objects or lists takes about as long as this many steps. */
const stepsPerPair = 4;

/** Comparisons between two looks at the clock. */
const comparisonsAtOnce = 256;

/** The expected part of a text, a list or an object: `{contains: …}`. */
export function partOf(expected: Json): Json | undefined {
  return isObject(expected) && Object.keys(expected).length === 1 ? own(expected, 'contains') : undefined;
}

/** Whether a value matches the expected one, see `differences`; as work that stops at the first difference. */
export class Matching {
  readonly #meter: Spending;
  #comparisons = 0;

  constructor(meter: Spending) {
    this.#meter = meter;
  }

  /** @throws StepError `work_limit` */
  *of(expected: Json, came: Json | undefined): SlicedWork<boolean> {
    if (this.#isDue) yield;
    if (came === undefined) return false;
    if (typeof expected !== 'object' || expected === null) return this.#isSame(expected, came);
    this.#meter.spend(stepsPerPair);
    const part = partOf(expected);
    if (part !== undefined) return yield* this.#part(part, came);
    if (isArray(expected)) {
      if (!isArray(came) || came.length !== expected.length) return false;
      for (const [index, item] of expected.entries()) if (!(yield* this.of(item, came[index]))) return false;
      return true;
    }
    if (!isObject(expected) || !isObject(came)) return false;
    const [count, cameCount] = [keyCount(expected), keyCount(came)];
    this.#meter.spend(count + cameCount);
    return count === cameCount && (yield* this.#keys(expected, came));
  }

  *#keys(expected: JsonObject, came: JsonObject): SlicedWork<boolean> {
    for (const key in expected) if (!(yield* this.of(expected[key] ?? null, own(came, key)))) return false;
    return true;
  }

  *#part(part: Json, came: Json): SlicedWork<boolean> {
    if (isObject(part) && isObject(came)) return yield* this.#keys(part, came);
    if (isArray(came)) {
      for (const item of isArray(part) ? part : [part]) if (!(yield* this.#isIn(item, came))) return false;
      return true;
    }
    if (typeof part !== 'string' || typeof came !== 'string') return false;
    this.#meter.spendOnText(came.length);
    return came.includes(part);
  }

  *#isIn(item: Json, list: readonly Json[]): SlicedWork<boolean> {
    const isPlain = typeof item !== 'object' || item === null;
    for (const one of list) {
      if (!isPlain) {
        if (yield* this.of(item, one)) return true;
        continue;
      }
      if (this.#isDue) yield;
      if (this.#isSame(item, one)) return true;
    }
    return false;
  }

  #isSame(expected: Json, came: Json): boolean {
    this.#meter.spend(1);
    if (typeof expected === 'string') this.#meter.spendOnText(expected.length);
    return expected === came;
  }

  get #isDue(): boolean {
    this.#comparisons += 1;
    return this.#comparisons % comparisonsAtOnce === 0;
  }
}

/** Whether a value matches the expected one. */
export function isExpected(expected: Json, came: Json | undefined, meter = unlimited): boolean {
  return runThrough(new Matching(meter).of(expected, came));
}

import type { Page } from 'playwright-core';

/** A sample is void if the fixed work took this many times as long as on the quiet machine. */
const maxSlowdown = 1.3;
/** A sample is void if the speed of the machine changed by this share while it was measured. */
const maxDrift = 0.2;

/** Milliseconds of a fixed loop in the page: how fast the machine is at this moment. */
function workIn(page: Page): Promise<number> {
  return page.evaluate<number>('bench.work()');
}

/** Measures how busy the machine is, so that samples of a busy machine are not used. */
export class Calibration {
  /** The time of the fixed work when nothing else ran: the shortest of several. */
  readonly reference: number;
  readonly #page: Page;

  private constructor(page: Page, reference: number) {
    this.#page = page;
    this.reference = reference;
  }

  static async start(page: Page): Promise<Calibration> {
    const times: number[] = [];
    for (let round = 0; round < 8; round += 1) times.push(await workIn(page));
    return new Calibration(page, Math.min(...times));
  }

  /** Runs a measurement; the sample is void if the machine was busy before or after it, or changed its speed. */
  async sample<T>(measure: () => Promise<T>): Promise<{ readonly value: T; readonly isVoid: boolean }> {
    const before = await workIn(this.#page);
    const value = await measure();
    const after = await workIn(this.#page);
    const slowest = Math.max(before, after);
    const isVoid = slowest > maxSlowdown * this.reference || Math.abs(after - before) > maxDrift * this.reference;
    return { value, isVoid };
  }
}

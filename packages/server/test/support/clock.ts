import type { Clock } from '../../src/clock.ts';

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
  #at = Date.parse('2026-01-31T12:00:00Z');

  now(): number {
    return this.#at;
  }

  monotonic(): number {
    return this.#at;
  }

  advance(ms: number): void {
    this.#at += ms;
  }
}

import type { Instant } from '@millrace/core';

/** Time, as everything that needs it gets it: the wall clock for moments, a monotonic one for durations. */
export interface Clock {
  now(): Instant;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number;
}

/** A timer that can be taken back. */
export type CancelTimer = () => void;

export interface Timers {
  /** Calls `fn` once after `ms` milliseconds. */
  after(ms: number, fn: () => void): CancelTimer;
  /** Calls `fn` in a later turn of the event loop, after pending I/O. */
  soon(fn: () => void): void;
  /** Calls `fn` after a millisecond or more, with the milliseconds of it in which the event loop had nothing to do. */
  unhurried(fn: (idleMs: number) => void): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

// setTimeout keeps its delay in 32 bits; a longer one would fire at once.
const longestTimeout = 2 ** 31 - 1;

export const systemTimers: Timers = {
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(0, ms), longestTimeout));
    return () => clearTimeout(timer);
  },
  soon: (fn) => void setImmediate(fn),
  unhurried(fn) {
    const before = performance.eventLoopUtilization().idle;
    setTimeout(() => fn(performance.eventLoopUtilization().idle - before), 1);
  },
};

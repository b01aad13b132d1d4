import type { Instant } from '@millrace/core';

/** Time for all code that needs it: the wall clock for points in time, a monotonic clock for durations. */
export interface Clock {
  now(): Instant;
  /** Milliseconds since an arbitrary start; never decreases. */
  monotonic(): number;
}

/** Cancels a timer. */
export type CancelTimer = () => void;

export interface Timers {
  /** Calls `fn` once after `ms` milliseconds. */
  after(ms: number, fn: () => void): CancelTimer;
  /** Calls `fn` in a later turn of the event loop, after pending I/O. */
  soon(fn: () => void): void;
  /** Calls `fn` after at least a millisecond, with the milliseconds in which the event loop was idle. */
  unhurried(fn: (idleMs: number) => void): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

// setTimeout stores its delay in 32 bits; a longer one would fire at once.
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

/** The current time as the service's log writes it, for a thread that does not load the logger. */
export function logTime(): string {
  return new Date().toISOString();
}

import type { Clock, Timers } from './clock.ts';

interface Alarm {
  readonly at: number;
  readonly fn: () => void;
}

/** Time that stands still until a caller advances it: clock and timers of one world. */
export class VirtualTime {
  #now: number;
  /** The offset of the wall clock. */
  #set = 0;
  readonly #alarms = new Set<Alarm>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  /** The idle time that the event loop reports; by default it is always idle. */
  idleMs = Number.POSITIVE_INFINITY;

  readonly clock: Clock = { now: () => this.#now + this.#set, monotonic: () => this.#now };

  readonly timers: Timers = {
    after: (ms, fn) => {
      const alarm = { at: this.#now + Math.max(0, ms), fn };
      this.#alarms.add(alarm);
      return () => void this.#alarms.delete(alarm);
    },
    soon: (fn) => void setImmediate(fn),
    unhurried: (fn) => void setImmediate(() => fn(this.idleMs)),
  };

  /** The number of active timers; it should be zero at the end. */
  get pending(): number {
    return this.#alarms.size;
  }

  /** Advances time and fires due timers in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let next = this.#due(until); next !== undefined; next = this.#due(until)) {
      this.#now = Math.max(this.#now, next.at);
      this.#alarms.delete(next);
      next.fn();
    }
    this.#now = until;
  }

  /** Sets the wall clock forward or back; no time passes. */
  setClock(byMs: number): void {
    this.#set += byMs;
  }

  /** Advances time to the next timer and fires what is due; false if there is none. */
  advanceToNext(): boolean {
    const next = this.#due(Number.POSITIVE_INFINITY);
    if (next !== undefined) this.advance(Math.max(0, next.at - this.#now));
    return next !== undefined;
  }

  /** Advances time at once, like a machine that slept: what became due fires once, late. */
  skip(ms: number): void {
    this.#now += ms;
    const due = [...this.#alarms].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    // A timer may cancel another one.
    for (const alarm of due) if (this.#alarms.delete(alarm)) alarm.fn();
  }

  #due(until: number): Alarm | undefined {
    return [...this.#alarms].filter((alarm) => alarm.at <= until).sort((a, b) => a.at - b.at)[0];
  }
}

import type { Instant } from '@millrace/core';
import type { CancelTimer } from '../ground/clock.ts';
import type { ClockSet } from '../store/waits.ts';
import type { RunnerPorts } from './ports.ts';
import { ClockDrift } from './run/clock-drift.ts';

/** Waits that are answered in one transaction, so that many of them leave room for other work. */
const wakeBatch = 100;
/** Milliseconds after which the clock is read again, in case it was set. */
const longestSleepMs = 60_000;
/** Milliseconds before a retry, if the store failed. */
const retryMs = 1000;

/** Continues runs whose waits fall due. One timer, for the earliest of all waits. */
export class WakeUps {
  readonly #ports: Pick<RunnerPorts, 'store' | 'clock' | 'timers' | 'log'>;
  #timer: { readonly at: Instant; readonly cancel: CancelTimer } | null = null;
  #unsubscribe: (() => void) | null = null;
  #looking = false;
  #stopped = false;
  readonly #drift: ClockDrift;
  /** When the clock was last checked, on the monotonic clock. */
  #checkedAt: number;
  /** A change of the clock that the store does not know yet. */
  #clockSet: ClockSet | null = null;

  constructor(ports: Pick<RunnerPorts, 'store' | 'clock' | 'timers' | 'log'>) {
    this.#ports = ports;
    this.#drift = new ClockDrift(ports.clock);
    this.#checkedAt = ports.clock.monotonic();
  }

  /** Waits that fell due while the service was down end at once. */
  start(): void {
    this.#unsubscribe = this.#ports.store.subscribe({ waitsUntil: (at) => this.#lookAt(at) });
    this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.#unsubscribe?.();
    this.#timer?.cancel();
  }

  /** Detects that the clock was set: some waits are due by the clock, and others after a duration. */
  checkClock(): void {
    if (this.#noteSetClock()) this.#look();
  }

  #noteSetClock(): boolean {
    const { clock } = this.#ports;
    const byMs = this.#drift.check();
    const now = clock.monotonic();
    // The clock was set since the last check, and waits that began after that have times of the new clock.
    const since = clock.now() - (now - this.#checkedAt);
    this.#checkedAt = now;
    if (byMs === 0) return false;
    this.#setBy({ byMs, since });
    // It was set for a time of the old clock.
    this.#timer?.cancel();
    this.#timer = null;
    return true;
  }

  /** Looks for due waits at this time at the latest. */
  #lookAt(at: Instant): void {
    const now = this.#ports.clock.now();
    const next = Math.min(at, now + longestSleepMs);
    if (this.#stopped || (this.#timer !== null && this.#timer.at <= next)) return;
    this.#timer?.cancel();
    const cancel = this.#ports.timers.after(next - now, () => {
      this.#timer = null;
      this.#look();
    });
    this.#timer = { at: next, cancel };
  }

  #look(): void {
    // A look in progress finds this wait too: at its end it reads when the next one falls due.
    if (this.#stopped || this.#looking) return;
    this.#looking = true;
    this.#wakeAll().then(
      (next) => {
        this.#looking = false;
        if (next !== null) this.#lookAt(next);
      },
      (error: unknown) => {
        this.#looking = false;
        this.#ports.log.warn({ err: error }, 'waiting runs could not be woken; trying again');
        this.#lookAt(this.#ports.clock.now() + retryMs);
      },
    );
  }

  /** Returns when the next one falls due. */
  async #wakeAll(): Promise<Instant | null> {
    const { store, clock } = this.#ports;
    for (;;) {
      const count = await this.#wakeSome();
      if (this.#stopped) return null;
      if (count === wakeBatch) continue;
      const next = await store.waits.nextDue();
      // Time has passed meanwhile, or the clock was set.
      if (this.#clockSet === null && (next === null || next > clock.now())) return next;
    }
  }

  async #wakeSome(): Promise<number> {
    const { store, clock } = this.#ports;
    this.#noteSetClock();
    const clockSet = this.#clockSet;
    this.#clockSet = null;
    try {
      return await store.waits.wakeDue({ now: clock.now(), limit: wakeBatch, clockSet });
    } catch (error) {
      // Nothing was stored, so the store does not know it yet.
      if (clockSet !== null) this.#setBy(clockSet);
      throw error;
    }
  }

  #setBy({ byMs, since }: ClockSet): void {
    this.#clockSet = { byMs: byMs + (this.#clockSet?.byMs ?? 0), since: this.#clockSet?.since ?? since };
  }
}

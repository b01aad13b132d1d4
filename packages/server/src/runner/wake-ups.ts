import type { Instant } from '@millrace/core';
import type { CancelTimer } from '../ground/clock.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { RunnerPorts } from './ports.ts';

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
  readonly #watch: Pick<ClockWatch, 'check'>;
  /** A change of the clock that the store could not store. */
  #unstoredMs = 0;

  constructor(ports: Pick<RunnerPorts, 'store' | 'clock' | 'timers' | 'log'>, watch: Pick<ClockWatch, 'check'>) {
    this.#ports = ports;
    this.#watch = watch;
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

  /** By how much the clock was set without the store knowing it. */
  get unstoredMs(): number {
    return this.#unstoredMs;
  }

  /** The clock was set. Some waits are due by the clock, and others after a duration. */
  clockSet(byMs: number): void {
    const allMs = byMs + this.#unstoredMs;
    this.#unstoredMs = 0;
    // It was set for a time of the old clock.
    this.#timer?.cancel();
    this.#timer = null;
    // At once: whatever is written after this has times of the new clock.
    this.#ports.store.waits.followClock({ byMs: allMs }).then(
      () => this.#look(),
      (error: unknown) => {
        this.#ports.log.warn({ err: error }, 'a change of the clock could not be stored; trying again');
        this.#unstoredMs += allMs;
        this.#lookAt(this.#ports.clock.now() + retryMs);
      },
    );
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
      // Time has passed meanwhile.
      if (next === null || next > clock.now()) return next;
    }
  }

  #wakeSome(): Promise<number> {
    const { store, clock } = this.#ports;
    this.#watch.check();
    if (this.#unstoredMs !== 0) this.clockSet(0);
    return store.waits.wakeDue({ now: clock.now(), limit: wakeBatch });
  }
}

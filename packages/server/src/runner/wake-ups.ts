import type { Instant } from '@millrace/core';
import type { CancelTimer } from '../ground/clock.ts';
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

  constructor(ports: Pick<RunnerPorts, 'store' | 'clock' | 'timers' | 'log'>) {
    this.#ports = ports;
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
      const count = await store.waits.wakeDue({ now: clock.now(), limit: wakeBatch });
      if (this.#stopped) return null;
      if (count === wakeBatch) continue;
      const next = await store.waits.nextDue();
      // Time has passed meanwhile.
      if (next === null || next > clock.now()) return next;
    }
  }
}

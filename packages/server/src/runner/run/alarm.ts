import type { Instant } from '@millrace/core';
import type { CancelTimer } from '../../ground/clock.ts';
import type { RunnerPorts } from '../ports.ts';

/** A timer for the earliest of the times that it is set for. */
export class Alarm {
  readonly #ports: Pick<RunnerPorts, 'clock' | 'timers'>;
  readonly #ring: () => void;
  #set: { readonly at: Instant; readonly cancel: CancelTimer } | null = null;

  constructor(ports: Pick<RunnerPorts, 'clock' | 'timers'>, ring: () => void) {
    this.#ports = ports;
    this.#ring = ring;
  }

  /** Fires at this time at the latest. */
  setFor(at: Instant): void {
    if (this.#set !== null && this.#set.at <= at) return;
    this.off();
    const { clock, timers } = this.#ports;
    this.#set = { at, cancel: timers.after(at - clock.now(), this.#ring) };
  }

  off(): void {
    this.#set?.cancel();
    this.#set = null;
  }
}

import type { Clock, Timers } from '../../ground/clock.ts';

/** Rejections per second that do not wait: more of them are a flood. */
const freePerSecond = 100;
/**
 * Milliseconds before a request is rejected in a flood. Callers that send again at once would otherwise use more than
 * half of the processor for rejections, and the queue would empty more slowly. A fifth of a second is short beside the
 * seconds in `Retry-After`.
 */
const holdMs = 200;
/** Rejections that wait at once; each holds its request in memory. Further ones do not wait. */
const maxHeld = 1000;

interface Ports {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Pick<Timers, 'after'>;
}

/** Delays rejections in a flood of them, so that callers who do not pause take less of the processor from the runs. */
export class HeldRejections {
  readonly #ports: Ports;
  #held = 0;
  #second = { from: Number.NEGATIVE_INFINITY, count: 0 };

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async wait(): Promise<void> {
    if (this.#countThisSecond() <= freePerSecond || this.#held >= maxHeld) return;
    this.#held += 1;
    await new Promise<void>((resolve) => this.#ports.timers.after(holdMs, resolve));
    this.#held -= 1;
  }

  #countThisSecond(): number {
    const now = this.#ports.clock.monotonic();
    if (now - this.#second.from >= 1000) this.#second = { from: now, count: 0 };
    this.#second.count += 1;
    return this.#second.count;
  }
}

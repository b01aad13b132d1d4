import type { CancelTimer, Clock, Timers } from '../ground/clock.ts';

const idleMs = 30_000;
const answerMs = 10_000;

interface HeartbeatPorts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Pick<Timers, 'after'>;
  /** Sends a ping. */
  readonly ask: () => void;
  /** No answer arrived. */
  readonly silent: () => void;
}

/** Sends pings to an idle client and detects a missing answer. */
export class Heartbeat {
  readonly #ports: HeartbeatPorts;
  #lastReceivedAt: number;
  #cancel: CancelTimer;

  constructor(ports: HeartbeatPorts) {
    this.#ports = ports;
    this.#lastReceivedAt = ports.clock.monotonic();
    this.#cancel = ports.timers.after(idleMs, () => this.#beat());
  }

  /** The client sent something. */
  received(): void {
    this.#lastReceivedAt = this.#ports.clock.monotonic();
  }

  stop(): void {
    this.#cancel();
  }

  #beat(): void {
    const { clock, timers, ask, silent } = this.#ports;
    const idle = clock.monotonic() - this.#lastReceivedAt;
    if (idle < idleMs) {
      this.#cancel = timers.after(idleMs - idle, () => this.#beat());
      return;
    }
    ask();
    const askedAt = clock.monotonic();
    this.#cancel = timers.after(answerMs, () => {
      if (this.#lastReceivedAt < askedAt) silent();
      else this.#cancel = timers.after(idleMs - answerMs, () => this.#beat());
    });
  }
}

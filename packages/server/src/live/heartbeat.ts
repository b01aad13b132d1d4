import type { CancelTimer, Clock, Timers } from '../ground/clock.ts';

const idleMs = 30_000;
const answerMs = 10_000;

interface HeartbeatPorts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Pick<Timers, 'after'>;
  /** Asks for a sign of life. */
  readonly ask: () => void;
  /** None came. */
  readonly silent: () => void;
}

/** Asks a client that is silent for a sign of life, and notices when none comes. */
export class Heartbeat {
  readonly #ports: HeartbeatPorts;
  #heardAt: number;
  #cancel: CancelTimer;

  constructor(ports: HeartbeatPorts) {
    this.#ports = ports;
    this.#heardAt = ports.clock.monotonic();
    this.#cancel = ports.timers.after(idleMs, () => this.#beat());
  }

  /** The client said something. */
  heard(): void {
    this.#heardAt = this.#ports.clock.monotonic();
  }

  stop(): void {
    this.#cancel();
  }

  #beat(): void {
    const { clock, timers, ask, silent } = this.#ports;
    const idle = clock.monotonic() - this.#heardAt;
    if (idle < idleMs) {
      this.#cancel = timers.after(idleMs - idle, () => this.#beat());
      return;
    }
    ask();
    const askedAt = clock.monotonic();
    this.#cancel = timers.after(answerMs, () => {
      if (this.#heardAt < askedAt) silent();
      else this.#cancel = timers.after(idleMs - answerMs, () => this.#beat());
    });
  }
}

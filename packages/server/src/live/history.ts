import type { LiveEvent } from '@millrace/core';

/** An event as it was told: all of its message but the channel's name. */
export interface ToldEvent {
  readonly seq: number;
  readonly type: LiveEvent['type'];
  /** The run that it is about; null for one about the workflow itself. */
  readonly executionId: string | null;
  /** The message from its timestamp on. */
  readonly rest: string;
  /** The same for readers who see nothing of anybody's runs; most events have nothing of them. */
  readonly guestRest: string;
}

/** What happened after a moment. */
export interface Missed {
  /** False where older events are not kept any more: the caller has to read anew what they told. */
  readonly complete: boolean;
  readonly events: readonly ToldEvent[];
}

/** What a client may have missed between two connections: some minutes of a busy workflow. */
const maxHistoryEvents = 1000;
/** Half of what a reader may be behind by, so that a replay leaves room for what happens meanwhile. */
const maxHistoryBytes = 512 * 1024;

/** The last events of one workflow. */
export class History {
  readonly #events: ToldEvent[] = [];
  #floor: number;
  #lastSeq: number;
  #bytes = 0;

  /** @param floor the number before the first event's; greater than any that was given away before */
  constructor(floor: number) {
    this.#floor = floor;
    this.#lastSeq = floor;
  }

  /** Of the last event. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Of what is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  add(event: ToldEvent): void {
    this.#events.push(event);
    this.#lastSeq = event.seq;
    this.#bytes += Buffer.byteLength(event.rest);
    while (this.#events.length > maxHistoryEvents || this.#bytes > maxHistoryBytes) this.dropOldest();
  }

  /** Counts an event that is not kept. */
  pass(seq: number): void {
    this.#lastSeq = seq;
  }

  dropOldest(): void {
    const oldest = this.#events.shift();
    if (oldest === undefined) return;
    this.#floor = oldest.seq;
    this.#bytes -= Buffer.byteLength(oldest.rest);
  }

  /** What followed the event of this number. */
  after(seq: number): Missed {
    return {
      // A number that was never given away comes from before a restart, or from another service.
      complete: seq >= this.#floor && seq <= this.#lastSeq,
      events: this.#events.filter((event) => event.seq > seq),
    };
  }
}

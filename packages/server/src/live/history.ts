import type { LiveEvent } from '@millrace/core';
import { newEpoch } from '../ground/ids.ts';

/** A published event: its whole message except the channel name. */
export interface PublishedEvent {
  readonly seq: number;
  readonly type: LiveEvent['type'];
  /** The run it belongs to; null for an event of the workflow itself. */
  readonly executionId: string | null;
  /** The message from its timestamp on. */
  readonly rest: string;
  /** The same for public viewers, who see nothing of runs; most events contain nothing of them. */
  readonly publicRest: string;
}

/** A position in the events of one workflow. */
export interface Position {
  /** The number of an event. */
  readonly seq: number;
  /** The sequence to which the number belongs; null for a client that did not store it. */
  readonly epoch: string | null;
}

/** The events after a position. */
export interface Missed {
  /** False if older events have been deleted: the caller must read the state again. */
  readonly complete: boolean;
  readonly events: readonly PublishedEvent[];
}

/** What a client may miss between two connections: some minutes of a busy workflow. */
const maxHistoryEvents = 1000;
/** Half of the buffer of a reader, so that a replay leaves room for new events. */
const maxHistoryBytes = 512 * 1024;

/** The most recent events of one workflow. */
export class History {
  /** Numbers of different sequences may overlap: after the clock was set back, and between workflows. */
  readonly epoch = newEpoch();
  readonly #events: PublishedEvent[] = [];
  #floor: number;
  #lastSeq: number;
  #bytes = 0;

  /** @param floor the number before that of the first event; greater than any number used before */
  constructor(floor: number) {
    this.#floor = floor;
    this.#lastSeq = floor;
  }

  /** The number of the last event. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Bytes of the stored events. */
  get bytes(): number {
    return this.#bytes;
  }

  add(event: PublishedEvent): void {
    this.#events.push(event);
    this.#lastSeq = event.seq;
    this.#bytes += Buffer.byteLength(event.rest);
    while (this.#events.length > maxHistoryEvents || this.#bytes > maxHistoryBytes) this.dropOldest();
  }

  /** Counts an event that is not stored. */
  pass(seq: number): void {
    this.#lastSeq = seq;
  }

  dropOldest(): void {
    const oldest = this.#events.shift();
    if (oldest === undefined) return;
    this.#floor = oldest.seq;
    this.#bytes -= Buffer.byteLength(oldest.rest);
  }

  /** The events after this position: none if it belongs to another sequence. */
  after({ seq, epoch }: Position): Missed {
    if (epoch !== null && epoch !== this.epoch) return { complete: false, events: [] };
    return {
      // A number that was never used comes from before a restart, or from another service.
      complete: seq >= this.#floor && seq <= this.#lastSeq,
      events: this.#events.filter((event) => event.seq > seq),
    };
  }
}

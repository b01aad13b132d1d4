import { openTokenLength } from '@millrace/core';
import type { CancelTimer, Timers } from '../ground/clock.ts';
import type { Hub } from './hub.ts';

/** The attempt whose model is streaming. */
export interface Speaker {
  readonly workflowId: number;
  readonly executionId: string;
  readonly nodeId: string;
  readonly frame: string;
  readonly attempt: number;
  /** The index of the call of the model, for an agent with tools. */
  readonly call?: number;
}

/** Takes streamed model text. */
export interface TokenSink {
  push(text: string): void;
  /** Publishes what is buffered: no more text is coming, or not for a while. */
  flush(): void;
}

/** Ten times per second is as fast as people read; one message per token would be mostly envelope. */
const batchMs = 100;
/** Maximum buffered characters of a batch: a fast model produces some hundred in a tenth of a second. */
const maxBatch = 4096;

/** Opens a sink for the subscribers of a run; null if there are none. */
export function tokenSink(hub: Hub, timers: Timers, speaker: Speaker): TokenSink | null {
  return hub.runHasSubscribers(speaker) ? new TokenBatches(hub, timers, speaker) : null;
}

/** Publishes a model's text in batches, each with its position. */
class TokenBatches implements TokenSink {
  readonly #hub: Hub;
  readonly #timers: Timers;
  readonly #speaker: Speaker;
  #cancel: CancelTimer | null = null;
  #batch = '';
  #offset = 0;

  constructor(hub: Hub, timers: Timers, speaker: Speaker) {
    this.#hub = hub;
    this.#timers = timers;
    this.#speaker = speaker;
  }

  push(text: string): void {
    this.#batch += text;
    if (this.#batch.length >= maxBatch) this.#publish(openEnd(this.#batch));
    else this.#cancel ??= this.#timers.after(batchMs, () => this.#publish(openEnd(this.#batch)));
  }

  flush(): void {
    this.#publish(halfCharacter(this.#batch));
  }

  /** @param open how many characters at the end of the batch wait for more text */
  #publish(open: number): void {
    this.#cancel?.();
    this.#cancel = null;
    const { workflowId, ...place } = this.#speaker;
    const text = this.#batch.slice(0, this.#batch.length - open);
    if (text === '') return;
    this.#hub.publishEphemeral({ workflowId, event: { type: 'token', ...place, offset: this.#offset, text } });
    this.#offset += text.length;
    this.#batch = this.#batch.slice(text.length);
  }
}

/** Half of a surrogate pair, as a provider may send it, is not valid text in JSON: it waits for the other half. */
function halfCharacter(text: string): number {
  return /[\ud800-\udbff]$/.test(text) ? 1 : 0;
}

/** A link that a model repeats is not divided, because it would not be found in its parts to be hidden from viewers. */
function openEnd(text: string): number {
  return Math.max(halfCharacter(text), openTokenLength(text));
}

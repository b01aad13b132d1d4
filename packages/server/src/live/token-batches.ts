import type { CancelTimer, Timers } from '../ground/clock.ts';
import type { Hub } from './hub.ts';

/** The attempt of a step whose model speaks. */
export interface Speaker {
  readonly workflowId: number;
  readonly executionId: string;
  readonly nodeId: string;
  readonly frame: string;
  readonly attempt: number;
}

/** Takes a model's text as it comes. */
export interface TokenSink {
  push(text: string): void;
  /** Tells what waits: nothing more comes, or not for a while. */
  flush(): void;
}

/** Ten times a second is as fast as text can be read; a message for each token would be mostly envelope. */
const batchMs = 100;
/** Characters of a batch that wait for its time: a fast model's tenth of a second has some hundred. */
const maxBatch = 4096;

/** Opens a way to those who listen to a run; null where nobody does. */
export function tokenSink(hub: Hub, timers: Timers, speaker: Speaker): TokenSink | null {
  return hub.hears(speaker) ? new TokenBatches(hub, timers, speaker) : null;
}

/** Tells a model's text in batches, each with the place where it belongs. */
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
    if (this.#batch.length >= maxBatch) this.flush();
    else this.#cancel ??= this.#timers.after(batchMs, () => this.flush());
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const { workflowId, ...place } = this.#speaker;
    // Half of a pair of surrogates, as a provider may cut one, is no text that JSON can say: it waits for the other.
    const text = /[\ud800-\udbff]$/.test(this.#batch) ? this.#batch.slice(0, -1) : this.#batch;
    if (text === '') return;
    this.#hub.tellPassing({ workflowId, event: { type: 'token', ...place, offset: this.#offset, text } });
    this.#offset += text.length;
    this.#batch = this.#batch.slice(text.length);
  }
}

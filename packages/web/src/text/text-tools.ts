import type { CanonicalTexts } from './merge-text.ts';
import type { NodePlace } from './node-places.ts';
import type { TextAnswer, TextRequest, TextTask } from './text-worker.ts';

/** A large text keeps a parser busy for a second; a hostile one, until the worker is stopped. */
const maxMs = 20_000;

interface Waiting {
  readonly resolve: (answer: TextAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: number;
}

/** The work on texts, in a worker so that typing and dragging stay smooth. A worker that fails is replaced. */
export class TextTools {
  #worker: Worker | null = null;
  #number = 0;
  readonly #waiting = new Map<number, Waiting>();

  async merge(text: string, canonical: CanonicalTexts): Promise<string | null> {
    const { merged = null } = await this.#ask({ kind: 'merge', text, canonical });
    return merged;
  }

  async places(text: string): Promise<readonly NodePlace[]> {
    const { places = [] } = await this.#ask({ kind: 'places', text });
    return places;
  }

  close(): void {
    this.#end(new Error('The text pane was closed.'));
  }

  #ask(task: TextTask): Promise<TextAnswer> {
    this.#number += 1;
    const request: TextRequest = { number: this.#number, task };
    const worker = this.#started();
    return new Promise((resolve, reject) => {
      const timer = window.setTimeout(() => this.#end(new Error('The text took too long to process.')), maxMs);
      this.#waiting.set(request.number, { resolve, reject, timer });
      worker.postMessage(request);
    });
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL('./text-worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<TextAnswer>) => {
      const waiting = this.#waiting.get(data.number);
      this.#waiting.delete(data.number);
      window.clearTimeout(waiting?.timer);
      waiting?.resolve(data);
    };
    worker.onerror = () => this.#end(new Error('The text could not be processed.'));
    this.#worker = worker;
    return worker;
  }

  #end(error: Error): void {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject, timer } of this.#waiting.values()) {
      window.clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}

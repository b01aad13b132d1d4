import type { BodyWatch, ModelAnswer } from '@millrace/core';
import type { TextRedactor } from '../secrets/llm-endpoint.ts';
import { EventStream } from './event-stream.ts';
import type { AnswerReader } from './protocol.ts';

/** A streamed answer: passes on its text as it arrives, and assembles the whole answer. */
export class AnswerStream {
  readonly #reader: AnswerReader;
  readonly #redactor: TextRedactor;
  readonly #listen: (text: string) => void;
  readonly #events = new EventStream();
  #text = '';
  /** Whether the provider streams: some send the whole answer even if streaming was requested. */
  isUsed = false;
  /** Whether a part of it was not JSON. Set at its end. */
  isGarbled = false;
  /** The provider's error. Set at its end. */
  error: string | null = null;

  constructor(reader: AnswerReader, redactor: TextRedactor, listen: (text: string) => void) {
    this.#reader = reader;
    this.#redactor = redactor;
    this.#listen = listen;
  }

  readonly watch: BodyWatch = ({ status, headers }) => {
    const isStream = headers['content-type']?.toLowerCase().startsWith('text/event-stream') ?? false;
    if (status !== 200 || !isStream) return null;
    this.isUsed = true;
    return (bytes) => this.#take(this.#events.push(bytes));
  };

  /** The complete answer; null if it broke off, or a part of it could not be read. */
  end(): ModelAnswer | null {
    // A truncated part at the end is not garbled: the answer broke off there.
    this.isGarbled = this.#reader.isGarbled;
    this.#take(this.#events.end());
    this.#say(this.#redactor.end());
    const { error } = this.#reader;
    this.error = error && this.#redactor.push(error) + this.#redactor.end();
    const end = error === null && !this.isGarbled ? this.#reader.end() : null;
    return end && { text: this.#text, ...end };
  }

  #take(events: readonly string[]): void {
    for (const data of events) this.#say(this.#redactor.push(this.#reader.take(data)));
  }

  #say(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#listen(text);
  }
}

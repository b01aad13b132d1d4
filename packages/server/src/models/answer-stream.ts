import type { BodyWatch, ModelAnswer } from '@millrace/core';
import type { TextRedactor } from '../secrets/llm-endpoint.ts';
import { EventStream } from './event-stream.ts';
import type { AnswerReader } from './protocol.ts';

/** An answer while it comes: tells its text, and puts it together. */
export class AnswerStream {
  readonly #reader: AnswerReader;
  readonly #redactor: TextRedactor;
  readonly #listen: (text: string) => void;
  readonly #events = new EventStream();
  #text = '';
  /** Whether the provider streams: some answer whole, whatever they are asked. */
  isUsed = false;
  /** Whether a part of it was no JSON. Known at its end. */
  isGarbled = false;
  /** What the provider says went wrong. Known at its end. */
  fault: string | null = null;

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

  /** The answer, once all of it has come; null when it broke off, or a part of it could not be read. */
  end(): ModelAnswer | null {
    // What is cut off at the end is not garbled: there the answer broke off.
    this.isGarbled = this.#reader.isGarbled;
    this.#take(this.#events.end());
    this.#say(this.#redactor.end());
    const { fault } = this.#reader;
    this.fault = fault && this.#redactor.push(fault) + this.#redactor.end();
    const end = fault === null && !this.isGarbled ? this.#reader.end() : null;
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

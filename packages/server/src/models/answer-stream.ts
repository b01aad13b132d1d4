import { type BodyWatch, jsonCharactersPerStep, type Meter } from '@millrace/core';
import type { TextRedactor } from '../secrets/llm-endpoint.ts';
import { EventStream } from './event-stream.ts';
import type { AnswerReader, ProtocolAnswer } from './protocol.ts';

/** Reading an event takes as long as some steps, however short it is. */
const stepsPerEvent = 20;
/** So does reading a line, also an empty one: 9 MB of line breaks take half a second. */
const stepsPerLine = 0.5;

interface AnswerStreamParts {
  readonly reader: AnswerReader;
  /** Creates what removes the secrets from one text. */
  readonly redactor: () => TextRedactor;
  readonly listen: (text: string) => void;
  /** Limits the work of reading the answer. */
  readonly meter: Meter;
  /** Does work that is recorded as that of the attempt. */
  readonly perform: <Result>(act: () => Result) => Result;
  /** The most characters of the answer's text, and the error if it has more. */
  readonly most: number;
  readonly tooLong: () => Error;
}

/** A streamed answer: passes on its text as it arrives, and assembles the whole answer. */
export class AnswerStream {
  readonly #parts: AnswerStreamParts;
  readonly #events = new EventStream();
  readonly #spoken: TextRedactor;
  #chargedLines = 0;
  #text = '';
  /** Whether the provider streams: some send the whole answer even if streaming was requested. */
  isUsed = false;
  /** Whether a part of it was not JSON. Set at its end. */
  isGarbled = false;
  /** The provider's error. Set at its end. */
  error: string | null = null;

  constructor(parts: AnswerStreamParts) {
    this.#parts = parts;
    this.#spoken = parts.redactor();
  }

  readonly watch: BodyWatch = ({ status, headers }) => {
    const isStream = headers['content-type']?.toLowerCase().startsWith('text/event-stream') ?? false;
    if (status !== 200 || !isStream) return null;
    this.isUsed = true;
    return (bytes) => this.#work(() => this.#take(this.#events.push(bytes)));
  };

  /** The complete answer; null if it broke off, or a part of it could not be read. */
  end(): ProtocolAnswer | null {
    return this.#work(() => {
      const { reader } = this.#parts;
      // A truncated part at the end is not garbled: the answer broke off there.
      this.isGarbled = reader.isGarbled;
      this.#take(this.#events.end());
      this.#say(this.#spoken.end());
      this.error = reader.error && this.#masked(reader.error);
      const end = reader.error === null && !this.isGarbled ? reader.end((text) => this.#masked(text)) : null;
      return end && { text: this.#text, ...end };
    });
  }

  #masked(text: string): string {
    const redactor = this.#parts.redactor();
    return redactor.push(text) + redactor.end();
  }

  /** Between two pieces the attempt waits, which is not work. */
  #work<Result>(act: () => Result): Result {
    const { meter, perform } = this.#parts;
    meter.beginSlice();
    try {
      return perform(act);
    } finally {
      meter.endSlice();
    }
  }

  #take(events: readonly string[]): void {
    const { reader, meter, most, tooLong } = this.#parts;
    meter.spend((this.#events.lines - this.#chargedLines) * stepsPerLine);
    this.#chargedLines = this.#events.lines;
    for (const data of events) {
      meter.spend(stepsPerEvent + data.length / jsonCharactersPerStep);
      this.#say(this.#spoken.push(reader.take(data)));
      if (reader.heldLength > most) throw tooLong();
    }
  }

  #say(text: string): void {
    if (text === '') return;
    this.#text += text;
    if (this.#text.length > this.#parts.most) throw this.#parts.tooLong();
    this.#parts.listen(text);
  }
}

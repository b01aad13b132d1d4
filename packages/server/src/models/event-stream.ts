/**
 * Parses server-sent events from bytes that arrive in pieces of any length: returns each event's data, without its
 * name.
 */
export class EventStream {
  /** The lines that were read so far, also empty ones and comments. */
  lines = 0;
  readonly #decoder = new TextDecoder();
  /** The beginning of a line that is not complete, in the pieces in which it arrived. */
  #rest: string[] = [];
  /** The data lines of the event that is not complete. */
  #data: string[] = [];

  /** The data of the events that end in this piece, in order. */
  push(bytes: Uint8Array): readonly string[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The data of the last event if no blank line ended it: some servers end the response instead. */
  end(): readonly string[] {
    return this.#read(`${this.#decoder.decode()}\n\n`);
  }

  #read(text: string): readonly string[] {
    const isEnded = /[\r\n]/.test(text) || this.#rest.at(-1)?.endsWith('\r') === true;
    if (text !== '') this.#rest.push(text);
    // Joining the pieces of a long line for each new one would take quadratic time.
    if (!isEnded) return [];
    // A line ends with CR, LF or both. After a CR at the end of a piece, LF may follow; that LF is not an empty line.
    const lines = this.#rest.join('').split(/\r\n|\n|\r(?!\n|$)/);
    this.#rest = [lines.pop() ?? ''];
    this.lines += lines.length;
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): readonly string[] {
    if (line === '') {
      const data = this.#data;
      this.#data = [];
      return data.length === 0 ? [] : [data.join('\n')];
    }
    // Comments, names and ids of events add nothing to their data.
    if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    return [];
  }
}

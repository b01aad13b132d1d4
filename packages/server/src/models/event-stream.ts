/** Reads what server-sent events say, as their bytes come in pieces of any length: each event's data, without its name. */
export class EventStream {
  readonly #decoder = new TextDecoder();
  /** What has come of a line that has not ended. */
  #rest = '';
  /** The lines of data of the event that has not ended. */
  #data: string[] = [];

  /** The data of the events that end in this piece, in order. */
  push(bytes: Uint8Array): readonly string[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** What the last event says where nothing ended it: some servers end the answer instead. */
  end(): readonly string[] {
    return this.#read(`${this.#decoder.decode()}\n\n`);
  }

  #read(text: string): readonly string[] {
    // A line ends with CR, LF or both. One that ends with CR here may go on with LF: then it was no empty line.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!\n|$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): readonly string[] {
    if (line === '') {
      const data = this.#data;
      this.#data = [];
      return data.length === 0 ? [] : [data.join('\n')];
    }
    // Comments, names and numbers of events say nothing that their data does not.
    if (line.startsWith('data:')) this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    return [];
  }
}

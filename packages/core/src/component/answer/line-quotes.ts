/**
 * Knows which places are inside strings. JSON strings never span lines, so each line is read on its own, and a quotation mark
 * without a second one on its line, as in 5", begins no string.
 */
export class LineQuotes {
  readonly #marks: Iterator<RegExpExecArray>;
  /** The quotation marks of the string that was read last. */
  #from = -1;
  #to = -1;

  constructor(text: string) {
    this.#marks = text.matchAll(/\\.|"|\n/g);
  }

  /** Asked for places in ascending order, so that the text is read once. */
  areOpenAt(place: number): boolean {
    while (this.#to < place) this.#readString();
    return this.#from < place && place < this.#to;
  }

  /** Reads the next string; beyond the end, there is one at no place. */
  #readString(): void {
    let from: number | null = null;
    for (;;) {
      const { value, done } = this.#marks.next();
      if (done === true) break;
      const [mark] = value;
      if (mark === '\n') from = null;
      else if (mark === '"' && from === null) from = value.index;
      else if (mark === '"' && from !== null) {
        [this.#from, this.#to] = [from, value.index];
        return;
      }
    }
    [this.#from, this.#to] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  }
}

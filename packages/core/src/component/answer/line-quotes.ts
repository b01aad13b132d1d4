/** Knows which places are between quotation marks. JSON strings never span lines, so each line is read on its own. */
export class LineQuotes {
  readonly #marks: Iterator<RegExpExecArray>;
  #next: RegExpExecArray | undefined;
  #areOpen = false;

  constructor(text: string) {
    this.#marks = text.matchAll(/\\.|"|\n/g);
    this.#advance();
  }

  /** Asked for places in ascending order, so that the text is read once. */
  areOpenAt(place: number): boolean {
    while (this.#next !== undefined && this.#next.index < place) {
      const [mark] = this.#next;
      if (mark === '\n') this.#areOpen = false;
      else if (mark === '"') this.#areOpen = !this.#areOpen;
      this.#advance();
    }
    return this.#areOpen;
  }

  #advance(): void {
    const { value, done } = this.#marks.next();
    this.#next = done === true ? undefined : value;
  }
}

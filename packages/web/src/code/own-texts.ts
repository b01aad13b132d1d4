/**
 * The texts that an editor has reported and not received back yet. A report comes back as the new value a moment later,
 * when more may have been typed: it must not replace that.
 */
export class OwnTexts {
  #reported: string[] = [];

  report(text: string): void {
    this.#reported.push(text);
  }

  /** Whether a value is a text that the editor itself has reported; what it reported earlier was skipped. */
  isOwn(value: string): boolean {
    const index = this.#reported.lastIndexOf(value);
    this.#reported = index === -1 ? [] : this.#reported.slice(index + 1);
    return index !== -1;
  }
}

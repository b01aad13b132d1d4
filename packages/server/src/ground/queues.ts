/** Lets work on the same thing wait for its turn, while work on other things goes on. */
export class Queues {
  /** The last work on each thing that is under way. */
  readonly #last = new Map<number, Promise<unknown>>();

  run<T>(id: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    // What became of the work before is its own caller's to hear.
    const turn = before === undefined ? work() : before.then(work, work);
    this.#last.set(id, turn);
    return turn.finally(() => {
      if (this.#last.get(id) === turn) this.#last.delete(id);
    });
  }
}

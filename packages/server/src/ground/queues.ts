/** Runs tasks for the same key one after the other, and tasks for different keys at the same time. */
export class Queues {
  /** The last task of each key in progress. */
  readonly #last = new Map<number, Promise<unknown>>();

  run<T>(id: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    // The previous task's result belongs to its own caller.
    const turn = before === undefined ? work() : before.then(work, work);
    this.#last.set(id, turn);
    return turn.finally(() => {
      if (this.#last.get(id) === turn) this.#last.delete(id);
    });
  }
}

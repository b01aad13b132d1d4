/**
 * Collects what arrives in a burst and delivers it together, in a task of its own. Without it, each item would draw the
 * page, and React gives up after fifty in a row: somebody else pastes that many nodes with one key.
 */
export class Batch<Item> {
  readonly #deliver: (items: readonly Item[]) => void;
  readonly #later: (fn: () => void) => () => void;
  #items: Item[] = [];
  #cancel: () => void = () => undefined;

  constructor(deliver: (items: readonly Item[]) => void, later = nextTask) {
    this.#deliver = deliver;
    this.#later = later;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length === 1) this.#cancel = this.#later(() => this.#deliver(this.#items.splice(0)));
  }

  /** Delivers nothing more. */
  end(): void {
    this.#cancel();
    this.#items = [];
  }
}

function nextTask(fn: () => void): () => void {
  const timer = setTimeout(fn);
  return () => clearTimeout(timer);
}

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}

/**
 * A map with a limit for the memory of its values, because a caller may choose how large they are. If they take too much
 * memory, the least recently used ones are dropped. The newest value stays, however large it is.
 */
export class WeighedCache<K, V> {
  /** In the order of last use. */
  readonly #entries = new Map<K, Entry<V>>();
  readonly #maxBytes: number;
  readonly #dropped: (value: V) => void;
  #bytes = 0;

  /**
   * @param maxBytes the limit of the estimated memory of all values
   * @param dropped called for each value that is deleted or dropped, not for one that is replaced
   */
  constructor(maxBytes: number, dropped: (value: V) => void = () => undefined) {
    this.#maxBytes = maxBytes;
    this.#dropped = dropped;
  }

  /** The estimated memory of all values. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: K, value: V, bytes: number): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#entries.size === 1) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    this.#dropped(entry.value);
  }
}

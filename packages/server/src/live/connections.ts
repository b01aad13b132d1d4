import type { CancelTimer, Timers } from '../ground/clock.ts';
import type { Connection } from './connection.ts';
import type { Holder } from './principal.ts';

/** Of one key: the tabs of a person on a few machines. */
const maxPerKey = 20;
/** Half of the second within which a connection ends with its key; the other half is for the look-ups. */
const watchMs = 500;

/** All open connections, and the watch over what allows them. */
export class Connections {
  readonly #timers: Timers;
  /** With the key that each came with; null for those that have shown none yet. */
  readonly #open = new Map<Connection, number | null>();
  #cancelWatch: CancelTimer | null = null;
  #isRecheckDue = false;
  #isRechecking = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Those that are open at the moment. */
  get all(): readonly Connection[] {
    return [...this.#open.keys()];
  }

  add(connection: Connection): void {
    if (!this.#open.has(connection)) this.#open.set(connection, null);
    this.#cancelWatch ??= this.#timers.after(watchMs, () => this.#watch());
  }

  /** Counts a connection among those of its key; false when the key has too many. */
  admit(connection: Connection, { keyId }: Holder): boolean {
    const count = [...this.#open.values()].filter((other) => other === keyId).length;
    if (count >= maxPerKey) return false;
    this.#open.set(connection, keyId);
    return true;
  }

  remove(connection: Connection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    this.#cancelWatch?.();
    this.#cancelWatch = null;
  }

  /** Asks for each connection whether its key stands and its channels may still be read, and closes it if not. */
  recheck(): void {
    this.#isRecheckDue = true;
    if (!this.#isRechecking) void this.#recheckAll();
  }

  async #recheckAll(): Promise<void> {
    this.#isRechecking = true;
    while (this.#isRecheckDue && this.#open.size > 0) {
      this.#isRecheckDue = false;
      const areChecked = await this.#recheckEach();
      // The database cannot say now. The watch asks again.
      if (!areChecked) {
        this.#isRecheckDue = true;
        break;
      }
    }
    this.#isRechecking = false;
  }

  async #recheckEach(): Promise<boolean> {
    try {
      for (const connection of this.all) {
        await connection.recheck();
        // Each in a turn of its own: look-ups for a thousand connections must not hold up everybody.
        await new Promise<void>((resolve) => this.#timers.soon(resolve));
      }
      return true;
    } catch {
      return false;
    }
  }

  #watch(): void {
    this.#cancelWatch = this.#timers.after(watchMs, () => this.#watch());
    for (const connection of this.all) connection.checkKey();
    if (this.#isRecheckDue) this.recheck();
  }
}

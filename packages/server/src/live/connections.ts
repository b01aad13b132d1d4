import type { CancelTimer, Timers } from '../ground/clock.ts';
import type { Closing } from './closings.ts';
import type { Connection } from './connection.ts';
import type { Principal } from './principal.ts';

/** Per key: a person's tabs on a few machines. */
const maxPerKey = 20;
/** Per user, who may have many keys: far below the connections that the service has for all. */
const maxPerUser = 200;
/** Half of the second within which a connection ends with its key; the other half is for the look-ups. */
const watchMs = 500;

/** All open connections, and the periodic check of their keys. */
export class Connections {
  readonly #timers: Timers;
  /** With the key and the user of each; null for those that have not sent a key yet. */
  readonly #open = new Map<Connection, Pick<Principal, 'keyId' | 'user'> | null>();
  #cancelWatch: CancelTimer | null = null;
  #isRecheckDue = false;
  #isRechecking = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** The connections that are open now. */
  get all(): readonly Connection[] {
    return [...this.#open.keys()];
  }

  add(connection: Connection): void {
    if (!this.#open.has(connection)) this.#open.set(connection, null);
    this.#cancelWatch ??= this.#timers.after(watchMs, () => this.#watch());
  }

  /** Adds a connection to the counts of its key and of its user; returns why it must close if one has too many. */
  admit(connection: Connection, { keyId, user }: Principal): Closing | null {
    const own = [...this.#open.values()].filter((other) => other?.user.id === user.id);
    if (own.filter((other) => other?.keyId === keyId).length >= maxPerKey) return 'crowd';
    if (own.length >= maxPerUser) return 'userCrowd';
    this.#open.set(connection, { keyId, user });
    return null;
  }

  remove(connection: Connection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    this.#cancelWatch?.();
    this.#cancelWatch = null;
  }

  /** Checks for each connection whether its key is valid and its channels may be read, and closes it if not. */
  recheck(): void {
    this.#isRecheckDue = true;
    if (!this.#isRechecking) void this.#recheckAll();
  }

  async #recheckAll(): Promise<void> {
    this.#isRechecking = true;
    while (this.#isRecheckDue && this.#open.size > 0) {
      this.#isRecheckDue = false;
      const areChecked = await this.#recheckEach();
      // The database cannot respond now. The next check tries again.
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
        // One per turn of the event loop: look-ups for a thousand connections must not block other work.
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

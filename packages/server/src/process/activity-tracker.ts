import type { Store } from '../store/store.ts';

/** Turns of the event loop in which nothing happens, after which nothing will: what one has resolved may begin the next. */
const quietTurns = 3;

/** Knows what is under way in real time, so that virtual time stands still for it. */
export class Busy {
  readonly #pending = new Set<Promise<unknown>>();

  /** Notes that a promise is under way, until it is settled. */
  track<T>(promise: Promise<T>): Promise<T> {
    this.#pending.add(promise);
    const forget = () => void this.#pending.delete(promise);
    promise.then(forget, forget);
    return promise;
  }

  /** Calls `fn` in a later turn of the event loop. */
  soon(fn: () => void): void {
    void this.track(
      new Promise<void>((resolve) => {
        setImmediate(() => {
          fn();
          resolve();
        });
      }),
    );
  }

  /** The store, each of whose calls is noted while it is under way. */
  watched(store: Store): Store {
    const part = (target: object): object =>
      new Proxy(target, {
        get: (_target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => this.#watch(value.apply(target, args));
        },
      });
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value === 'function') return value.bind(target);
        return typeof value === 'object' && value !== null ? part(value) : value;
      },
    });
  }

  #watch(result: unknown): unknown {
    return result instanceof Promise ? this.track(result) : result;
  }

  /** Resolves when nothing is under way, and nothing more begins by itself. */
  async idle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#pending.size === 0) continue;
      await Promise.allSettled(this.#pending);
      quiet = -1;
    }
  }
}

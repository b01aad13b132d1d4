import type { Store } from '../store/store.ts';

/** Idle turns of the event loop after which nothing more will happen: a resolved promise may start the next task. */
const quietTurns = 3;

/** Tracks what is in progress in real time, so that virtual time stands still for it. */
export class ActivityTracker {
  readonly #pending = new Set<Promise<unknown>>();

  /** Tracks a promise until it is settled. */
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

  /** The store, with each of its calls tracked. */
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

  /** Resolves when nothing is in progress and nothing more starts by itself. */
  async idle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#pending.size === 0) continue;
      await Promise.allSettled(this.#pending);
      quiet = -1;
    }
  }
}

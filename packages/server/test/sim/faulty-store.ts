import { Problem } from '@millrace/core';
import type { Store } from '../../src/store/store.ts';
import type { Mishap, MishapPlan } from './crash-points.ts';

/** A process of the simulated service. When it dies, the results of its pending calls are never delivered. */
export interface Incarnation {
  readonly name: string;
  isAlive: boolean;
  /** Ends its subscriptions. */
  readonly unsubscribes: (() => void)[];
}

interface Call {
  readonly point: string;
  readonly make: () => unknown;
}

/** A call of the store with its argument and its result. */
export interface Answer {
  readonly point: string;
  readonly asked: unknown;
  readonly value: unknown;
}

/** Counts the calls of the store, and triggers the mishaps of a plan. */
export class FaultyStore {
  /** The point of each call so far. */
  readonly calls: string[] = [];
  /** `point: mishap`, for each mishap that happened. */
  readonly happened: string[] = [];
  /** Calls without a result so far. */
  pending = 0;
  readonly #store: Store;
  readonly #plan: MishapPlan;
  readonly #strike: (mishap: Mishap, incarnation: Incarnation) => void;
  readonly #answered: (answer: Answer) => void;

  constructor(parts: {
    readonly store: Store;
    readonly plan: MishapPlan;
    /** Applies a mishap to the process. */
    readonly strike: (mishap: Mishap, incarnation: Incarnation) => void;
    /** Called with each result of the store, even if the process does not live to receive it. */
    readonly answered: (answer: Answer) => void;
  }) {
    this.#store = parts.store;
    this.#plan = parts.plan;
    this.#strike = parts.strike;
    this.#answered = parts.answered;
  }

  /** The store as one process sees it. */
  for(incarnation: Incarnation): Store {
    const part = (name: string, target: object): object =>
      new Proxy(target, {
        get: (_none, verb) => {
          const value: unknown = Reflect.get(target, verb);
          if (typeof value !== 'function') return value;
          const point = `${name}.${String(verb)}`;
          return (...args: unknown[]) =>
            this.#call(incarnation, { point, make: () => value.apply(target, args) }, args);
        },
      });
    const parts = new Map<string | symbol, unknown>();
    return new Proxy(this.#store, {
      get: (store, name) => {
        if (name === 'subscribe') return (subscriber: object) => subscribe(store, subscriber, incarnation);
        const known = parts.get(name) ?? part(String(name), Reflect.get(store, name) as object);
        parts.set(name, known);
        return known;
      },
    });
  }

  async #call(incarnation: Incarnation, { point, make }: Call, args: readonly unknown[]): Promise<unknown> {
    if (!incarnation.isAlive) return never();
    this.calls.push(point);
    const mishap = this.#plan.get(this.calls.length);
    if (mishap !== undefined) this.happened.push(`${point}: ${mishap}`);
    if (mishap === 'fails') throw new Problem('store_unavailable', 'The simulated disk is full.');
    if (mishap !== undefined && mishap !== 'dies after') this.#strike(mishap, incarnation);
    if (!incarnation.isAlive) return never();
    this.pending += 1;
    try {
      const value = await make();
      this.#answered({ point, asked: args[0], value });
      if (mishap === 'dies after') this.#strike(mishap, incarnation);
      return incarnation.isAlive ? value : never();
    } finally {
      this.pending -= 1;
    }
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** A dead process receives nothing. */
function subscribe(store: Store, subscriber: object, incarnation: Incarnation): () => void {
  const mortal = new Proxy(subscriber, {
    get(target, name) {
      const receive: unknown = Reflect.get(target, name);
      if (typeof receive !== 'function') return receive;
      return (...args: unknown[]) => (incarnation.isAlive ? receive.apply(target, args) : undefined);
    },
  });
  const unsubscribe = store.subscribe(mortal);
  incarnation.unsubscribes.push(unsubscribe);
  return unsubscribe;
}

import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualTime } from '../ground/virtual-time.ts';
import type { Store, StoreSubscriber } from '../store/store.ts';
import { WakeUps } from './wake-ups.ts';

/** Waits by their due time, with the methods of a store. */
class Due {
  readonly time = new VirtualTime(0);
  /** When each was woken. */
  readonly woken: number[] = [];
  looks = 0;
  isBroken = false;
  #waits: number[] = [];
  #subscriber: StoreSubscriber | null = null;
  readonly wakeUps: WakeUps;

  constructor() {
    const log = { warn: () => undefined, error: () => undefined, info: () => undefined, debug: () => undefined };
    this.wakeUps = new WakeUps({ store: this.#store(), ...this.time, log }, { check: () => undefined });
  }

  add(...waits: number[]): void {
    this.#waits.push(...waits);
    this.#subscriber?.waitsUntil?.(Math.min(...waits));
  }

  async advance(ms: number): Promise<void> {
    this.time.advance(ms);
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  #store(): Store {
    const waits = {
      nextDue: async () => (this.#waits.length === 0 ? null : Math.min(...this.#waits)),
      wakeDue: async ({ now, limit }: { now: number; limit: number }) => {
        this.looks += 1;
        if (this.isBroken) throw new Error('the disk is full');
        const due = this.#waits.filter((at) => at <= now).slice(0, limit);
        this.#waits = this.#waits.filter((at) => !due.includes(at));
        this.woken.push(...due.map(() => now));
        return due.length;
      },
      followClock: async ({ byMs }: { byMs: number }) => {
        if (this.isBroken) throw new Error('the disk is full');
        this.#waits = this.#waits.map((at) => at + byMs);
      },
    };
    const subscribe = (subscriber: StoreSubscriber) => {
      this.#subscriber = subscriber;
      return () => {
        this.#subscriber = null;
      };
    };
    return { waits, subscribe } as unknown as Store;
  }
}

let due: Due;
beforeEach(() => {
  due = new Due();
});
afterEach(() => {
  due.wakeUps.stop();
  expect(due.time.pending).toBe(0);
});

test('waits that were due before the start are woken, and one timer is set for all others', async () => {
  due.add(-5, 0, 4000, 9000);
  due.wakeUps.start();
  await due.settle();
  expect(due.woken).toEqual([0, 0]);
  expect(due.time.pending).toBe(1);
  await due.advance(4000);
  await due.advance(5000);
  expect(due.woken).toEqual([0, 0, 4000, 9000]);
  expect(due.time.pending).toBe(0);
});

test('a later wait with an earlier due time is woken in time', async () => {
  due.wakeUps.start();
  await due.settle();
  due.add(9000);
  due.add(2000);
  await due.settle();
  await due.advance(2000);
  expect(due.woken).toEqual([2000]);
  await due.advance(7000);
  expect(due.woken).toEqual([2000, 9000]);
});

test('many due waits are woken at once, a hundred per transaction', async () => {
  due.add(...Array.from({ length: 250 }, (_, index) => 1000 + index / 1000));
  due.wakeUps.start();
  await due.settle();
  await due.advance(1001);
  expect(due.woken).toHaveLength(250);
});

test('the clock is read at least once a minute, in case somebody has set it', async () => {
  due.add(10 * 60_000);
  due.wakeUps.start();
  await due.settle();
  const before = due.looks;
  await due.advance(60_000);
  await due.advance(60_000);
  expect(due.looks - before).toBe(2);
});

test('a failed read of the store is retried a second later', async () => {
  due.add(0);
  due.isBroken = true;
  due.wakeUps.start();
  await due.settle();
  due.isBroken = false;
  await due.advance(1000);
  expect(due.woken).toEqual([1000]);
});

test('a change of the clock that cannot be stored is stored before any wait is woken', async () => {
  due.add(5000);
  due.wakeUps.start();
  await due.settle();
  due.isBroken = true;
  due.time.setClock(100_000);
  due.wakeUps.clockSet(100_000);
  await due.settle();
  expect(due.wakeUps.unstoredMs).toBe(100_000);
  due.isBroken = false;
  await due.advance(1000);
  expect([due.woken, due.wakeUps.unstoredMs]).toEqual([[], 0]);
  await due.advance(4000);
  expect(due.woken).toEqual([105_000]);
});

import type { Problem } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from './connection.ts';
import { fullLog } from './failures.ts';
import { type CommitHooks, Writer } from './writer.ts';

/** A writer on a table of numbers, whose syncs end when the test ends them. */
class Bench {
  readonly connection = new Connection(':memory:');
  readonly received: string[] = [];
  pause: Promise<void> | null = null;
  blocked: Problem | null = null;
  now = 0;
  readonly #syncs: ((error: Error | null) => void)[] = [];
  readonly writer: Writer;

  constructor() {
    this.connection.script('CREATE TABLE numbers (n INTEGER)');
    const hooks: CommitHooks = {
      before: () => undefined,
      committed: () => this.received.push('committed'),
      durable: () => this.received.push('durable'),
      failed: (error) => this.received.push(`failed: ${error}`),
    };
    const sync = {
      start: (done: (error: Error | null) => void) => void this.#syncs.push(done),
      close: () => undefined,
    };
    const bench = this;
    const checkpoints = {
      committed: (isLong: boolean) => void this.received.push(...(isLong ? ['long'] : [])),
      backlog: null,
      problem: null,
      close: () => Promise.resolve(),
      get pause() {
        return bench.pause;
      },
      get blocked() {
        return bench.blocked;
      },
    };
    this.writer = new Writer({ connection: this.connection, sync, checkpoints, hooks, monotonic: () => this.now });
  }

  /** Stores a number and records the result of the call. */
  add(n: number, submit: 'submit' | 'submitAhead' = 'submit'): void {
    const insert = this.connection.prepare<[number]>('INSERT INTO numbers VALUES (?)');
    const call = this.writer[submit](() => void insert.run(n));
    call.then(
      () => void this.received.push(`${n} answered`),
      (error: Error) => void this.received.push(`${n} rejected: ${error.message}`),
    );
  }

  /** Queues a call that takes some milliseconds. */
  addLong(n: number, ms: number): void {
    const insert = this.connection.prepare<[number]>('INSERT INTO numbers VALUES (?)');
    void this.writer
      .submit(() => {
        this.now += ms;
        insert.run(n);
      })
      .then(() => void this.received.push(`${n} answered`));
  }

  get stored(): readonly number[] {
    return this.connection.all<{ n: number }>('SELECT n FROM numbers ORDER BY n', []).map(({ n }) => n);
  }

  get syncsUnderWay(): number {
    return this.#syncs.length;
  }

  async endSync(error: Error | null = null): Promise<void> {
    const end = this.#syncs.shift();
    if (end === undefined) throw new Error('no sync is under way');
    end(error);
    await turns();
  }
}

/** Enough turns of the event loop for everything that needs no further input. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.connection.close());

describe('the writer', () => {
  test('resolves calls and publishes only after the sync has ended', async () => {
    bench.add(1);
    await turns();
    expect(bench.stored).toEqual([1]);
    expect(bench.received).toEqual(['committed']);
    await bench.endSync();
    expect(bench.received).toEqual(['committed', 'durable', '1 answered']);
  });

  test('resolves a call before the sync if the caller requested it', async () => {
    bench.add(1, 'submitAhead');
    await turns();
    expect(bench.received).toEqual(['committed', '1 answered']);
    expect(bench.syncsUnderWay).toBe(1);
  });

  test('commits the calls that arrive during a sync together after it, and syncs them too', async () => {
    bench.add(1);
    await turns();
    bench.add(2);
    await turns();
    bench.add(3);
    await turns();
    expect(bench.stored).toEqual([1]);
    await bench.endSync();
    expect(bench.stored).toEqual([1, 2, 3]);
    expect(bench.received).toEqual(['committed', 'durable', '1 answered', 'committed']);
    await bench.endSync();
    expect(bench.received.slice(4)).toEqual(['durable', '2 answered', '3 answered']);
    expect(bench.syncsUnderWay).toBe(0);
  });
});

describe('the writer under load and after failures', () => {
  test('ends a transaction that takes long, and writes the rest in the next one', async () => {
    for (const n of [1, 2, 3]) bench.addLong(n, 30);
    await turns();
    expect(bench.stored).toEqual([1, 2]);
    await bench.endSync();
    expect(bench.stored).toEqual([1, 2, 3]);
    await bench.endSync();
    expect(bench.received).toEqual([
      ...['committed', 'long', 'durable', '1 answered', '2 answered'],
      ...['committed', 'long', 'durable', '3 answered'],
    ]);
  });

  test('rejects what is queued while the log cannot restart, and writes again afterwards', async () => {
    bench.blocked = fullLog();
    bench.add(1);
    bench.add(2);
    await turns();
    expect(bench.stored).toEqual([]);
    expect(bench.received.map((line) => line.slice(0, 10))).toEqual(['failed: Pr', '1 rejected', '2 rejected']);
    bench.blocked = null;
    bench.add(3);
    await turns();
    await bench.endSync();
    expect(bench.stored).toEqual([3]);
  });

  test('needs no sync for work that wrote nothing', async () => {
    await bench.writer.submit(() => 1);
    expect(bench.syncsUnderWay).toBe(0);
  });

  test('writes nothing after a failed sync, because it is unknown what is on disk', async () => {
    bench.add(1);
    await turns();
    bench.add(2);
    await bench.endSync(new Error('EIO'));
    bench.add(3);
    await turns();
    expect(bench.stored).toEqual([1]);
    const rejected = 'rejected: The disk reports that it could not store written data';
    expect(bench.received).toEqual([
      'committed',
      'failed: Error: EIO',
      ...[1, 2, 3].map((n) => expect.stringContaining(`${n} ${rejected}`)),
    ]);
  });

  test('writes nothing while a checkpoint requests a pause, and then everything that is queued', async () => {
    let goOn = (): void => undefined;
    bench.pause = new Promise((resolve) => {
      goOn = resolve;
    });
    bench.add(1);
    await turns();
    bench.add(2);
    await turns();
    expect(bench.stored).toEqual([]);
    bench.pause = null;
    goOn();
    await turns();
    expect(bench.stored).toEqual([1, 2]);
    expect(bench.received).toEqual(['committed']);
  });

  test('closes when everything in the queue is on disk', async () => {
    bench.add(1);
    await turns();
    bench.add(2);
    const closed = bench.writer.close().then(() => bench.received.push('closed'));
    bench.add(3);
    await bench.endSync();
    expect(bench.received).not.toContain('closed');
    await bench.endSync();
    await closed;
    expect(bench.stored).toEqual([1, 2]);
    expect(bench.received.slice(-3)).toEqual(['durable', '2 answered', 'closed']);
  });
});

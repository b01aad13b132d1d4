import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readBody } from './body.ts';
import { HeldAnswers } from './held-answers.ts';

const answers = new HeldAnswers();

/** Does something for some milliseconds. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

function read(chunks: readonly Buffer[], watcher: (bytes: Uint8Array) => void, signal = new AbortController().signal) {
  return readBody(Readable.from(chunks), {}, { watcher, held: answers.begin(), signal });
}

describe('a watched answer', () => {
  test('is passed on whole and in order', async () => {
    const chunks = [Buffer.alloc(20_000, 'a'), Buffer.from('b'), Buffer.alloc(9000, 'c')];
    const watched: Uint8Array[] = [];
    const { size } = await read(chunks, (bytes) => void watched.push(bytes));
    expect(size).toBe(29_001);
    expect(Buffer.concat(watched).equals(Buffer.concat(chunks))).toBe(true);
  });

  test('shares each turn of the event loop with all others, however many there are', async () => {
    let [turn, most] = [0, 0];
    const calls = new Map<number, number>();
    const streams = Array.from({ length: 30 }, () =>
      read([Buffer.alloc(16_384), Buffer.alloc(16_384)], () => {
        work(3);
        calls.set(turn, (calls.get(turn) ?? 0) + 1);
        most = Math.max(most, calls.get(turn) ?? 0);
      }),
    );
    let isOver = false;
    const end = Promise.all(streams).then(() => {
      isOver = true;
    });
    for (; !isOver; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await end;
    expect([...calls.values()].reduce((sum, count) => sum + count, 0)).toBe(120);
    // A slice of 10 ms has room for four.
    expect(most).toBeLessThanOrEqual(10);
  });

  test('is not passed on any more when it is no longer wanted', async () => {
    const [ended, watched] = [new AbortController(), [] as number[]];
    const watcher = ({ length }: Uint8Array) => {
      watched.push(length);
      ended.abort();
    };
    await read([Buffer.alloc(30_000), Buffer.alloc(10)], watcher, ended.signal);
    expect(watched).toEqual([8192]);
  });

  test('fails with the error of its watcher', async () => {
    const failing = read([Buffer.from('a')], () => {
      throw new RangeError('too long');
    });
    await expect(failing).rejects.toThrow(new RangeError('too long'));
  });
});

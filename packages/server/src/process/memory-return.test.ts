import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../ground/virtual-time.ts';
import { ownProcess, returnMemory } from './memory-return.ts';

const lookMs = 3_000;
const mebi = 2 ** 20;

/** A process with 40 MiB in use, whatever its heap size, that records its collections. */
function quietProcess() {
  const time = new VirtualTime(0);
  const state = { share: 0.001, bytes: 100 * mebi, live: 40 * mebi };
  const collections: number[] = [];
  const end = returnMemory(time.timers, {
    utilization: () => state.share,
    heapBytes: () => state.bytes,
    liveBytes: () => state.live,
    collect() {
      collections.push(time.clock.monotonic());
      state.bytes = 40 * mebi;
    },
  });
  const looks = async (count: number): Promise<void> => {
    for (let look = 0; look < count; look += 1) {
      time.advance(lookMs);
      await nextTurn();
    }
  };
  return { time, state, collections, looks, end };
}

describe('memory is returned', () => {
  test('once after the service has become idle, and again after the heap has grown', async () => {
    const { state, collections, looks } = quietProcess();
    await looks(5);
    expect(collections).toEqual([lookMs]);
    state.bytes = 55 * mebi;
    await looks(1);
    state.bytes = 56 * mebi;
    await looks(3);
    expect(collections).toEqual([lookMs, 7 * lookMs]);
  });

  test('never while there is work', async () => {
    const { state, collections, looks } = quietProcess();
    state.share = 0.02;
    await looks(10);
    expect(collections).toEqual([]);
    state.share = 0.019;
    await looks(1);
    expect(collections).toEqual([11 * lookMs]);
  });

  test('however large the heap is, but not while so much is in use that a collection takes long', async () => {
    const { state, collections, looks } = quietProcess();
    state.bytes = 800 * mebi;
    state.live = 385 * mebi;
    await looks(3);
    expect(collections).toEqual([]);
    state.live = 384 * mebi;
    await looks(1);
    expect(collections).toEqual([4 * lookMs]);
  });

  test('again after a burst that is no larger than the one before', async () => {
    const { state, collections, looks } = quietProcess();
    await looks(1);
    // V8 returns the memory later.
    state.bytes = 90 * mebi;
    await looks(1);
    state.bytes = 40 * mebi;
    await looks(1);
    state.bytes = 100 * mebi;
    await looks(1);
    expect(collections).toEqual([lookMs, 2 * lookMs, 4 * lookMs]);
  });

  test('never after the end', async () => {
    const { time, collections, looks, end } = quietProcess();
    end();
    await looks(2);
    expect([collections, time.pending]).toEqual([[], 0]);
  });
});

test('a collection frees garbage', () => {
  const own = ownProcess();
  const used = () => process.memoryUsage().heapUsed;
  // Without the garbage of other tests in this process: a collection during the next line would free that.
  own.collect();
  const before = used();
  (() => Array.from({ length: 2_000_000 }, (_, index) => ({ index })))();
  const grown = used();
  expect(grown).toBeGreaterThan(before + 32 * mebi);
  own.collect();
  expect(used()).toBeLessThan(grown - 32 * mebi);
});

test('a collection shows how much is in use', async () => {
  const own = ownProcess();
  const used = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  own.collect();
  // The observer is called in a later turn.
  while (own.liveBytes() === 0) await nextTurn();
  expect(own.liveBytes()).toBeGreaterThan(used.length * 16);
});

test('a process that computes is busy', async () => {
  await nextTurn();
  const own = ownProcess();
  const until = performance.now() + 20;
  while (performance.now() < until);
  expect(own.utilization()).toBeGreaterThan(0.5);
});

import { Meter } from '@millrace/core';
import { beforeEach, expect, test } from 'vitest';
import { Turns } from '../../ground/turns.ts';
import { noWorkRecord } from '../work-record.ts';
import { inSlices } from './slices.ts';

let now: number;
let turnsTaken: number;
let turns: Turns;
beforeEach(() => {
  now = 0;
  turnsTaken = 0;
  const soon = (fn: () => void) => {
    turnsTaken += 1;
    setImmediate(fn);
  };
  turns = new Turns({ clock: { monotonic: () => now }, timers: { soon } });
});

function* counting(count: number, ms: number, meter?: Meter) {
  for (let index = 0; index < count; index += 1) {
    now += ms;
    meter?.spend(100_000);
    yield;
  }
  return count;
}

function partsOf(signal = new AbortController().signal) {
  const current = { executionId: 'e', during: 'steps', nodeId: 'n' } as const;
  return { turns, work: noWorkRecord, current, signal, meter: new Meter(() => now) };
}

test('short work has its result at once', () => {
  expect(inSlices(counting(10, 1), partsOf())).toBe(10);
  expect(turnsTaken).toBe(0);
});

test('longer work has its result after several turns of the event loop', async () => {
  const result = inSlices(counting(100, 1), partsOf());
  expect(result).toBeInstanceOf(Promise);
  expect(await result).toBe(100);
  expect(turnsTaken).toBeGreaterThan(8);
});

test('work that exceeds the limit of the attempt fails between its slices', async () => {
  const parts = partsOf();
  await expect(inSlices(counting(100, 1, parts.meter), parts)).rejects.toMatchObject({ code: 'work_limit' });
});

test('work of an attempt that was ended is not continued', async () => {
  const abort = new AbortController();
  const work = counting(100, 1);
  const result = inSlices(work, partsOf(abort.signal));
  abort.abort();
  await expect(result).rejects.toMatchObject({ code: 'step_stopped' });
  expect(now).toBeLessThan(20);
});

import { expect, test } from 'vitest';
import { ClockWatch } from './clock-watch.ts';

test('each change of the wall clock is reported once', () => {
  const time = { wall: 5000, monotonic: 10 };
  const changes: number[] = [];
  const watch = new ClockWatch({ now: () => time.wall, monotonic: () => time.monotonic }, (byMs) => changes.push(byMs));
  const pass = (ms: number, setByMs = 0) => {
    time.wall += ms + setByMs;
    time.monotonic += ms;
    watch.check();
    return [changes.splice(0), watch.totalMs];
  };
  expect(pass(60_000)).toEqual([[], 0]);
  expect(pass(10, 3000)).toEqual([[3000], 3000]);
  expect(pass(10)).toEqual([[], 3000]);
  expect(pass(10, -5000)).toEqual([[-5000], -2000]);
});

test('changes of less than a second are ignored until their sum is larger', () => {
  const time = { wall: 0 };
  const changes: number[] = [];
  const watch = new ClockWatch({ now: () => time.wall, monotonic: () => 0 }, (byMs) => changes.push(byMs));
  for (const byMs of [600, 600]) {
    time.wall += byMs;
    watch.check();
  }
  expect(changes).toEqual([1200]);
});

import { expect, test } from 'vitest';
import { ClockDrift } from './clock-drift.ts';

test('the drift reports each change of the wall clock once, and adds it to the total', () => {
  const time = { wall: 5000, monotonic: 10 };
  const drift = new ClockDrift({ now: () => time.wall, monotonic: () => time.monotonic });
  const pass = (ms: number, setByMs = 0) => {
    time.wall += ms + setByMs;
    time.monotonic += ms;
    return [drift.check(), drift.totalMs, drift.forwardMs];
  };
  expect(pass(60_000)).toEqual([0, 0, 0]);
  expect(pass(10, 3000)).toEqual([3000, 3000, 3000]);
  expect(pass(10)).toEqual([0, 3000, 3000]);
  expect(pass(10, -5000)).toEqual([-5000, -2000, 0]);
});

test('the drift ignores changes of less than a second until their sum is larger', () => {
  const time = { wall: 0 };
  const drift = new ClockDrift({ now: () => time.wall, monotonic: () => 0 });
  const checks = [600, 600].map((byMs) => {
    time.wall += byMs;
    return drift.check();
  });
  expect(checks).toEqual([0, 1200]);
});

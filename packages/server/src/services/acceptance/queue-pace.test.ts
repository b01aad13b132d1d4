import { expect, it } from 'vitest';
import { QueuePace } from './queue-pace.ts';

it('the pace of the queue is a fixed guess at first', () => {
  expect(new QueuePace().secondsUntilRoom(0, 100, 1)).toBe(5);
});

it('the pace of the queue is how fast runs have ended recently', () => {
  const pace = new QueuePace();
  pace.secondsUntilRoom(0, 100, 1);
  for (let run = 0; run < 40; run += 1) pace.accepted();
  // 40 more were accepted and the queue has the same length: 40 have ended in two seconds.
  expect(pace.secondsUntilRoom(2000, 100, 1)).toBe(1);
  expect(pace.secondsUntilRoom(2000, 100, 100)).toBe(5);
  expect(pace.secondsUntilRoom(2000, 100, 100_000)).toBe(60);
});

it('the pace of the queue is the longest time if no run ends', () => {
  const pace = new QueuePace();
  pace.secondsUntilRoom(0, 100, 1);
  expect(pace.secondsUntilRoom(10_000, 100, 1)).toBe(60);
});

it('the pace of the queue depends on the last seconds, not on all of the past', () => {
  const pace = new QueuePace();
  pace.secondsUntilRoom(0, 100, 1);
  for (let second = 1; second <= 30; second += 1) pace.secondsUntilRoom(second * 1000, 100, 1);
  for (let run = 0; run < 1000; run += 1) pace.accepted();
  expect(pace.secondsUntilRoom(31_000, 100, 100)).toBeLessThan(3);
});

import { expect, it } from 'vitest';
import { QueuePace } from './queue-pace.ts';

it('knows nothing at first', () => {
  expect(new QueuePace().secondsUntilRoom(0, 100, 1)).toBe(5);
});

it('says how long so many runs have taken to end lately', () => {
  const pace = new QueuePace();
  pace.secondsUntilRoom(0, 100, 1);
  for (let run = 0; run < 40; run += 1) pace.accepted();
  // 40 more have come and the queue is as long: 40 have ended in two seconds.
  expect(pace.secondsUntilRoom(2000, 100, 1)).toBe(1);
  expect(pace.secondsUntilRoom(2000, 100, 100)).toBe(5);
  expect(pace.secondsUntilRoom(2000, 100, 100_000)).toBe(60);
});

it('says the longest when nothing ends', () => {
  const pace = new QueuePace();
  pace.secondsUntilRoom(0, 100, 1);
  expect(pace.secondsUntilRoom(10_000, 100, 1)).toBe(60);
});

it('looks at the last seconds, not at all that was', () => {
  const pace = new QueuePace();
  pace.secondsUntilRoom(0, 100, 1);
  for (let second = 1; second <= 30; second += 1) pace.secondsUntilRoom(second * 1000, 100, 1);
  for (let run = 0; run < 1000; run += 1) pace.accepted();
  expect(pace.secondsUntilRoom(31_000, 100, 100)).toBeLessThan(3);
});

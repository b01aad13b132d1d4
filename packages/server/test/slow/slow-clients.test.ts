import { expect, test } from 'vitest';
import { besiege, patienceSeconds, type Size } from './slow-rounds.ts';

/** With shortened timeouts, for every check of the code. */
const small: Size = {
  slowClients: 100,
  sleepingReaders: 20,
  haste: 10,
  windowSeconds: 1,
  windows: 2,
  eventSize: 200_000,
};

/** In real time: `npm run test:slow`. */
const full: Size = {
  slowClients: 500,
  sleepingReaders: 100,
  haste: 1,
  windowSeconds: 3,
  windows: 7,
  eventSize: 40_000,
};

/**
 * The small run shares its cores with other tests, so it only checks that the service still responds. Usually 50 ms.
 */
const answersMs = 20_000;

const isFull = process.env.SLOW_FULL === '1';

test('slow clients and readers that do not read hardly affect others, and are closed in time', async () => {
  const size = isFull ? full : small;
  const report = await besiege(size);
  console.log(JSON.stringify(report));
  expect(report.longestBorneSeconds).toBeLessThan(patienceSeconds);
  expect(report.sleepersLeftOpen).toBe(0);
  expect(report.memoryGrowth).toBeLessThan(150);
  expect(report.deliveryP99).toBeLessThan(isFull ? 250 : answersMs);
  expect(report.besiegedP99).toBeLessThan(isFull ? 2 * report.normalP99 : answersMs);
});

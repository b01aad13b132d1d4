import { expect, test } from 'vitest';
import { counted, reached } from '../support/reached.ts';
import { besiege, patienceSeconds, type Size } from './slow-rounds.ts';

/**
 * With shortened timeouts, for every check of the code. Its cores are shared with other tests, so it only checks that the
 * service still responds and closes the connections, after any time.
 */
const small: Size = {
  slowClients: 100,
  sleepingReaders: 20,
  haste: 10,
  windowSeconds: 1,
  windows: 2,
  eventSize: 200_000,
  isTimed: false,
};

/** In real time: `npm run test:slow`. */
const full: Size = {
  slowClients: 500,
  sleepingReaders: 100,
  haste: 1,
  windowSeconds: 3,
  windows: 7,
  eventSize: 40_000,
  isTimed: true,
};

const size = process.env.SLOW_FULL === '1' ? full : small;

const finite = expect.toSatisfy(Number.isFinite, 'a finite number');

test('slow clients and readers that do not read hardly affect others, and are closed in time', async () => {
  const report = await besiege(size);
  console.log(JSON.stringify(report));
  expect(report.sleepersLeftOpen).toBe(0);
  expect(report.memoryGrowth).toBeLessThan(150);
  expect(report).toMatchObject({ deliveryP99: finite, besiegedP99: finite, longestBorneSeconds: finite });
  reached(
    'P12',
    `${size.slowClients} slow clients, all closed, after at most ${counted(report.longestBorneSeconds)} s`,
  );
  const growth = `${size.sleepingReaders} subscribers, all closed, ${counted(report.memoryGrowth)} MB more memory`;
  reached('P13', `${growth}, p99 of the events of others ${counted(report.deliveryP99)} ms`);
  if (!size.isTimed) return;
  expect(report.longestBorneSeconds).toBeLessThan(patienceSeconds);
  expect(report.deliveryP99).toBeLessThan(250);
  expect(report.besiegedP99).toBeLessThan(2 * report.normalP99);
});

import { afterAll, expect, test } from 'vitest';
import { residentMegabytes } from '../slow/window.ts';
import { counted, reached } from '../support/reached.ts';
import { LoadedService } from './loaded-service.ts';

const isFull = process.env.OVERLOAD_FULL === '1';
const seconds = isFull ? 60 : 3;
/** Each connection waits for its answer, so a service with this many has always far more requests than it can do. */
const overload = 400;
/** Milliseconds in which the queue is performed without new requests. */
const restMs = isFull ? 10_000 : 1000;
/**
 * Of the pace of a queue without new requests. A service that is never idle gives the queue a fifteenth of its time and
 * uses the rest to store and answer the requests.
 */
const leastShare = 0.05;
/** Besides what it has when it is idle, in megabytes: garbage that V8 has not yet collected, for the most part. */
const mostGrowth = 400;

const service = await LoadedService.start();
afterAll(() => service.remove());

/** What an operation resolves with, and the executions that are completed per second until then. */
async function paced<Result>(operation: () => Promise<Result>): Promise<{ result: Result; pace: number }> {
  const [before, begin] = [await service.completed(), performance.now()];
  const result = await operation();
  const [after, end] = [await service.completed(), performance.now()];
  return { result, pace: (1000 * (after - before)) / (end - begin) };
}

const until = (end: number) => () => performance.now() >= end;

test('under overload every request is answered, nothing is lost, and executions are performed', async () => {
  await service.post(8, until(performance.now() + 500));
  const idle = residentMegabytes(service.pid);
  const { result: flood, pace } = await paced(() => service.post(overload, until(performance.now() + seconds * 1000)));
  const growth = residentMegabytes(service.pid) - idle;
  // The queue is longer than what is performed of it in this time.
  const { pace: undisturbed } = await paced(() => new Promise((resolve) => setTimeout(resolve, restMs)));
  expect([...flood.failures]).toEqual([]);
  expect([...flood.statuses.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
  expect(await service.lost(flood.acknowledged.filter((_, at) => at % 20 === 0))).toEqual([]);
  const share = pace / undisturbed;
  if (isFull) {
    expect(share).toBeGreaterThan(leastShare);
    expect(growth).toBeLessThan(mostGrowth);
  }
  const performed = `executions performed at ${Math.round(share * 100)} % of the pace without new requests`;
  reached(
    'P11',
    `${overload} connections for ${seconds} s: ${counted(flood.total)} answered, 0 lost, ${performed}, ${counted(growth)} MB more memory`,
  );
});

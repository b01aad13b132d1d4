import { afterAll, expect, test } from 'vitest';
import { residentMegabytes } from '../slow/window.ts';
import { counted, reached } from '../support/reached.ts';
import { type Answers, LoadedService } from './loaded-service.ts';

const isFull = process.env.OVERLOAD_FULL === '1';
const seconds = isFull ? 60 : 3;
/** With this many connections the service does nine tenths of the most it can do. */
const usual = 64;
/** Each connection waits for its answer, so a service with this many has always far more requests than it can do. */
const overload = 400;

const service = await LoadedService.start();
afterAll(() => service.remove());

/** Posts for some seconds; returns the answers. */
function postFor(ms: number, connections: number): Promise<Answers> {
  const end = performance.now() + ms;
  return service.post(connections, () => performance.now() >= end);
}

test('under overload every request is answered, and the service does as much work as before', async () => {
  await postFor(500, usual);
  const normal = await postFor(isFull ? 10_000 : 1500, usual);
  const capacity = normal.acknowledged.length / (isFull ? 10 : 1.5);
  const flood = await postFor(seconds * 1000, overload);
  const memory = residentMegabytes(service.pid);
  expect([...flood.failures]).toEqual([]);
  expect([...flood.statuses.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
  const goodput = flood.acknowledged.length / seconds / capacity;
  expect(await service.lost([...normal.acknowledged, ...flood.acknowledged].filter((_, at) => at % 20 === 0))).toEqual(
    [],
  );
  const share = `${Math.round(goodput * 100)} % of the capacity`;
  if (isFull) expect(goodput).toBeGreaterThan(0.8);
  reached(
    'P11',
    `${overload} connections for ${seconds} s: ${share} done, ${counted(flood.total)} answered, ${counted(memory)} MB`,
  );
});

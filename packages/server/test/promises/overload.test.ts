import { afterAll, expect, test } from 'vitest';
import { residentMegabytes } from '../slow/window.ts';
import { counted, reached } from '../support/reached.ts';
import { type Answers, LoadedService } from './loaded-service.ts';

const isFull = process.env.OVERLOAD_FULL === '1';
const seconds = isFull ? 60 : 3;
/** With this many connections the service accepts more than it can do, until the queue is full. */
const usual = 64;
/** Each connection waits for its answer, so a service with this many has always far more requests than it can do. */
const overload = 400;

const service = await LoadedService.start();
afterAll(() => service.remove());

/** Posts for some time; returns the answers, and the executions that were completed per second. */
async function postFor(ms: number, connections: number): Promise<{ answers: Answers; pace: number }> {
  const [before, begin] = [await service.completed(), performance.now()];
  const answers = await service.post(connections, () => performance.now() >= begin + ms);
  const [after, end] = [await service.completed(), performance.now()];
  return { answers, pace: (1000 * (after - before)) / (end - begin) };
}

test('under overload every request is answered, and the service does as much work as before', async () => {
  await postFor(500, usual);
  const normal = await postFor(isFull ? 10_000 : 1500, usual);
  const { answers: flood, pace } = await postFor(seconds * 1000, overload);
  const memory = residentMegabytes(service.pid);
  expect([...flood.failures]).toEqual([]);
  expect([...flood.statuses.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
  const acknowledged = [...normal.answers.acknowledged, ...flood.acknowledged];
  expect(await service.lost(acknowledged.filter((_, at) => at % 20 === 0))).toEqual([]);
  const goodput = pace / normal.pace;
  const share = `${Math.round(goodput * 100)} % of the usual work`;
  if (isFull) expect(goodput).toBeGreaterThan(0.8);
  reached(
    'P11',
    `${overload} connections for ${seconds} s: ${share} done, ${counted(flood.total)} answered, ${counted(memory)} MB`,
  );
});

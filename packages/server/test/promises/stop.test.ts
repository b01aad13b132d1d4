import { afterAll, expect, test } from 'vitest';
import { promisedMs } from '../support/by-the-clock.ts';
import { counted, reached } from '../support/reached.ts';
import { Answers, LoadedService } from './loaded-service.ts';

/** Two here; `npm run promises -- --release` does fifty. */
const rounds = Number(process.env.STOP_ROUNDS ?? 2);
const connections = 20;

const service = await LoadedService.start();
afterAll(() => service.remove());

test('a stop under load answers or rejects every request, loses no execution, and exits with 0', async () => {
  const acknowledged: string[] = [];
  let slowestMs = 0;
  for (let round = 0; round < rounds; round += 1) {
    const answers = new Answers();
    let isStopping = false;
    // A request without an answer ends its connection's loop: the service no longer listens.
    const posting = service.post(connections, ({ failures }) => isStopping && failures.size > 0, answers);
    while (answers.acknowledged.length < 200) await new Promise((resolve) => setTimeout(resolve, 5));
    const begin = performance.now();
    isStopping = true;
    expect(await service.stop()).toBe(0);
    slowestMs = Math.max(slowestMs, performance.now() - begin);
    await posting;
    expect([...answers.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    // A connection fails, or is closed between two requests: `ECONNRESET` is how Node reports that a connection which
    // was idle for the service was closed just when the next request was sent.
    expect([...answers.failures.keys()].filter((code) => !/^(ECONNREFUSED|ECONNRESET)$/.test(code))).toEqual([]);
    acknowledged.push(...answers.acknowledged);
    await service.restart();
  }
  expect(await service.lost(acknowledged)).toEqual([]);
  expect(slowestMs).toBeLessThan(promisedMs(30_000));
  reached(
    'P15',
    `${rounds} stops, ${counted(acknowledged.length)} acknowledged, 0 lost, at most ${counted(slowestMs)} ms`,
  );
});

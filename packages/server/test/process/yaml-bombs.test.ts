import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ServiceProcess } from '../durable/service-process.ts';
import { yamlBomb, yamlBombs } from '../support/yaml-bombs.ts';

/** One of each kind here; `npm run test:bombs` sends every bomb as the first request of a process. */
const few = ['opening brackets', 'a billion laughs', 'steps'];
const bombs = process.env.BOMB_COLD === 'all' ? [...yamlBombs.keys()] : few;
/**
 * The CPU time of the main thread, in milliseconds, for which other requests may wait at a time. 250 is enough on an idle
 * machine; a slower machine must not fail because of its speed.
 */
const most = Number(process.env.BOMB_MS ?? 5_000);

test.each(bombs)('%s as the first request does no harm', async (name) => {
  const data = await mkdtemp(join(tmpdir(), 'millrace-bomb-'));
  const service = await ServiceProcess.start(data);
  try {
    let ended = false;
    const answer = service
      .call('POST', '/api/v1/workflows/validate-dsl/', { yaml_str: yamlBomb(name) })
      .finally(() => (ended = true));
    let ms = 0;
    while (!ended) ms = Math.max(ms, await healthMs(service));
    const { status } = await answer;
    if (process.env.BOMB_COLD === 'all') console.log(`${ms.toFixed(0)} ms\t${status}\t${name}`);
    expect([200, 413, 422]).toContain(status);
    expect(ms).toBeLessThan(most);
  } finally {
    await service.stop();
    await rm(data, { recursive: true });
  }
});

/** The CPU time of the main thread while a request waits that is itself fast. */
async function healthMs(service: ServiceProcess): Promise<number> {
  const start = await mainThreadMs(service.pid);
  expect((await service.call('GET', '/health/')).status).toBe(200);
  return (await mainThreadMs(service.pid)) - start;
}

/** CPU time, not elapsed time, so that other load on this machine does not count. */
async function mainThreadMs(pid: number): Promise<number> {
  const [nanoseconds] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ');
  return Number(nanoseconds) / 1e6;
}

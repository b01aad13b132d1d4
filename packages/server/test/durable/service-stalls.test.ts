import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServiceProcess } from './service-process.ts';

const program = { script: new URL('./stalling-service.ts', import.meta.url), args: [] };
const endsSoon = { STALL_END_MS: '2000' };

let dataDir: string;
let service: ServiceProcess;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-stalls-'));
});
afterEach(async () => {
  await service.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

function start(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  return ServiceProcess.start(dataDir, environment, program);
}

function importText(slug: string, step: string): Promise<{ status: number }> {
  const yaml_str = `name: ${slug}\nslug: ${slug}\ntrigger: webhook\nsteps:\n  - ${step}\n`;
  return service.call('POST', '/api/v1/workflows/import/', { yaml_str });
}

/** The lines of the log about stalls. */
function stallsOf({ logged }: ServiceProcess): unknown[] {
  return logged
    .join('')
    .split('\n')
    .filter((line) => line.includes('stall'))
    .map((line) => JSON.parse(line) as unknown);
}

/** The same, without those of the start, which takes long on a busy machine. */
function requestStallsOf(of: ServiceProcess): unknown[] {
  return stallsOf(of).filter((line) => (line as { readonly route: unknown }).route !== null);
}

const route = 'POST /api/v1/workflows/import/';

describe('a request that stalls the service', () => {
  test('is logged with its route, the process ends, and the next start names the route and counts no execution', async () => {
    service = await start(endsSoon);
    await importText('good', '{id: pause, type: wait, duration: 1}');
    const { body } = await service.call('POST', '/api/v1/webhooks/good', {});
    const { execution_id: id } = body as { execution_id: string };
    await importText('bad', '{id: bad, type: harmful, how: stalls when checked}').catch(() => null);
    await service.ended();
    const details = { route, openRequests: [route] };
    expect(requestStallsOf(service)).toEqual([
      expect.objectContaining({ level: 50, ...details, msg: 'a request stalls the service' }),
      expect.objectContaining({ level: 60, ...details, msg: 'the process ends, because a request stalls the service' }),
    ]);
    service = await start();
    expect(requestStallsOf(service)).toEqual([
      expect.objectContaining({ level: 50, ...details, msg: 'the service ended in a stall that no execution caused' }),
    ]);
    const run = await service.call('GET', `/api/v1/executions/${id}/`);
    expect(run.body).toMatchObject({ status: expect.stringMatching(/pending|running|waiting|completed/) });
    await service.kill();
    service = await start();
    expect(requestStallsOf(service)).toEqual([]);
  }, 60_000);
});

test('other work that stalls the service is logged without a route, and the process ends', async () => {
  service = await start({ ...endsSoon, STALL_BY_TIMER: '1' });
  await service.ended();
  const msg = 'the process ends, because other work than an execution or a request stalls the service';
  expect(stallsOf(service).at(-1)).toMatchObject({ level: 60, route: null, openRequests: [], msg });
}, 60_000);

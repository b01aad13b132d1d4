import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'vitest';
import { ServiceProcess } from '../durable/service-process.ts';
import { running, sandboxesOf } from '../sandbox/sandbox-census.ts';
import { promisedMs, until } from '../support/by-the-clock.ts';

let dataDir: string;
let service: ServiceProcess;
let isKilled: boolean;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-code-'));
  isKilled = false;
  service = await ServiceProcess.start(dataDir, { MILLRACE_CODE_SECONDS: '300' });
});

afterEach(async () => {
  if (!isKilled) await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  return (await service.call('POST', `/api/v1/${path}`, body)).body as Record<string, unknown>;
}

/**
 * Starts a run whose code never ends, and returns the run and the code processes of the service. The longest time limit
 * of code is as long as the limit of a test, so code that is not ended fails its test.
 */
async function startEndless(): Promise<{ execution: string; pids: string[] }> {
  await post('workflows/', { name: 'Endless', slug: 'endless' });
  await post('workflows/endless/nodes/', { node_id: 'hook', component_type: 'trigger_webhook' });
  const config = { extra_config: { code: 'for (;;);', timeout_seconds: 3600 } };
  await post('workflows/endless/nodes/', { node_id: 'spin', component_type: 'code', config });
  await post('workflows/endless/edges/', { source_node_id: 'hook', target_node_id: 'spin' });
  const { execution_id } = await post('webhooks/endless', {});
  await until(() => sandboxesOf(service.pid).length > 1);
  return { execution: String(execution_id), pids: sandboxesOf(service.pid) };
}

it('code ends with the service, even if the service is killed', async () => {
  const { pids } = await startEndless();
  await service.kill();
  isKilled = true;
  await until(() => running(pids).length === 0, promisedMs(2000));
});

it('code ends with its run within a second of the cancel', async () => {
  const { execution, pids } = await startEndless();
  await post(`executions/${execution}/cancel/`, {});
  await until(() => running(pids).length < pids.length, promisedMs(1000));
});

it('code ends when the service is stopped', async () => {
  const { execution, pids } = await startEndless();
  await post(`executions/${execution}/cancel/`, {});
  await service.stop();
  await until(() => running(pids).length === 0, promisedMs(2000));
});

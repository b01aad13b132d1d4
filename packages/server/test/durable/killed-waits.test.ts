import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@millrace/core';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceProcess } from './service-process.ts';

/** The service with its clock an hour ahead, so that the timed wait is over when it starts. */
const ahead = new URL('../slow/hurried-service.ts', import.meta.url);
const hourMs = 3_600_000;

const nodes = {
  hook: ['trigger_manual', {}],
  called: ['wait', { callback: true }],
  asked: ['human_confirmation', { prompt: 'Go?' }],
  timed: ['wait', { duration: 1, unit: 'hours' }],
  all: ['merge', { mode: 'keyed' }],
} as const;

test('a run with three waits survives kills of the process before each answer and right after it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-waits-'));
  let service = await ServiceProcess.start(dataDir);
  onTestFinished(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const killAndStart = async () => {
    await service.kill();
    service = await ServiceProcess.start(dataDir);
  };
  const id = await startRun(service);
  const detail = async () => (await service.call('GET', `/api/v1/executions/${id}/`)).body as JsonObject;
  await expect.poll(async () => (await detail()).status).toBe('interrupted');
  await killAndStart();
  const waits = (await detail()).waits as readonly JsonObject[];
  expect(waits.map(({ node_id }) => node_id)).toEqual(['asked', 'called', 'timed']);
  const path = new URL(String(waits.find(({ node_id }) => node_id === 'called')?.callback_url)).pathname;
  expect((await service.call('POST', path, { n: 1 })).status).toBe(200);
  await killAndStart();
  expect((await service.call('POST', path, { n: 2 })).status).toBe(409);
  const resume = (confirmed: boolean) =>
    service.call('POST', `/api/v1/executions/${id}/resume/`, { node_id: 'asked', confirmed });
  expect((await resume(true)).status).toBe(200);
  await service.kill();
  service = await ServiceProcess.start(dataDir, {}, { script: ahead, args: ['1', String(hourMs)] });
  expect((await resume(false)).status).toBe(409);
  await expect.poll(async () => (await detail()).status).toBe('completed');
  expect((await detail()).final_output).toEqual({ called: { n: 1 }, asked: true, timed: {} });
});

async function startRun(service: ServiceProcess): Promise<string> {
  const post = async (path: string, body: object) => {
    const { status, body: answer } = await service.call('POST', `/api/v1/workflows/${path}`, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
    return answer as JsonObject;
  };
  await post('', { name: 'Waits', slug: 'waits' });
  for (const [node_id, [component_type, extra_config]] of Object.entries(nodes)) {
    await post('waits/nodes/', { node_id, component_type, config: { extra_config } });
  }
  for (const node of ['called', 'asked', 'timed']) {
    await post('waits/edges/', { source_node_id: 'hook', target_node_id: node });
    await post('waits/edges/', { source_node_id: node, target_node_id: 'all' });
  }
  const { execution_id: id } = await post('waits/execute/', { payload: {} });
  return String(id);
}

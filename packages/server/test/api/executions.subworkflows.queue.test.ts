import type { JsonObject } from '@millrace/core';
import { expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { Clockwork } from '../support/clockwork.ts';

type Nodes = Readonly<Record<string, readonly [type: string, config: JsonObject]>>;

/** A workflow whose nodes form a chain. */
async function addWorkflow(api: Api, slug: string, nodes: Nodes): Promise<void> {
  await api.post('/api/v1/workflows/', { name: slug, slug });
  const path = `/api/v1/workflows/${slug}`;
  for (const [id, [type, config]] of Object.entries(nodes)) {
    await api.post(`${path}/nodes/`, { node_id: id, component_type: type, config: { extra_config: config } });
  }
  const ids = Object.keys(nodes);
  for (const [index, target] of ids.slice(1).entries()) {
    await api.post(`${path}/edges/`, { source_node_id: ids[index], target_node_id: target });
  }
}

const starting = (config: JsonObject): Nodes => ({
  begin: ['trigger_manual', {}],
  call: ['workflow', { workflow: 'target', ...config }],
});

/** A service with as many open executions allowed as there are workflows, which are all started at once. */
async function full(workflows: Readonly<Record<string, JsonObject>>) {
  const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
  const { api } = await clockwork.start({ maxOpenRuns: Object.keys(workflows).length });
  await addWorkflow(api, 'target', { begin: ['trigger_workflow', {}] });
  for (const [slug, config] of Object.entries(workflows)) await addWorkflow(api, slug, starting(config));
  await Promise.all(Object.keys(workflows).map((slug) => api.post(`/api/v1/workflows/${slug}/execute/`, {})));
  await clockwork.settle();
  const last = async (slug: string) => {
    const { body } = await api.get(`/api/v1/executions/?workflow_slug=${slug}`);
    return (body as { items: readonly JsonObject[] }).items[0];
  };
  return { clockwork, last };
}

test('a step that starts a workflow without waiting is retried while too many executions are open', async () => {
  const { clockwork, last } = await full({
    patient: { wait: false },
    other: { wait: false, retry: { max_attempts: 1 } },
  });
  expect(await last('target')).toBeUndefined();
  const words = "Workflow 'target' cannot be started now: too many executions are pending or running.";
  expect(await last('other')).toMatchObject({ status: 'failed', error_message: expect.stringContaining(words) });
  expect(await last('patient')).not.toMatchObject({ status: 'failed' });
  await clockwork.pass(6000);
  expect(await last('patient')).toMatchObject({ status: 'completed' });
  expect(await last('target')).toMatchObject({ status: 'completed' });
});

test('a sub-workflow that its step waits for starts in a full queue, too', async () => {
  const { clockwork, last } = await full({ main: {} });
  await clockwork.settle();
  expect(await last('main')).toMatchObject({ status: 'completed' });
});

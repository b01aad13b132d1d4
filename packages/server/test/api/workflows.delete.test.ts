import { expect, test } from 'vitest';
import { Clockwork } from '../support/clockwork.ts';

test('deletes a workflow that waits for itself: all its executions are cancelled, and none counts as open', async () => {
  const clockwork = await Clockwork.at('2026-01-01T00:00:00Z');
  const { api } = await clockwork.start();
  await api.post('/api/v1/workflows/', { name: 'Self', slug: 'self' });
  const nodes = [
    { node_id: 'start', component_type: 'trigger_manual' },
    { node_id: 'call', component_type: 'workflow', config: { extra_config: { workflow: '{{ run.workflow }}' } } },
    { node_id: 'called', component_type: 'trigger_workflow' },
    { node_id: 'later', component_type: 'wait', config: { extra_config: { duration: 1, unit: 'days' } } },
  ];
  for (const node of nodes)
    expect(await api.post('/api/v1/workflows/self/nodes/', node)).toMatchObject({ status: 201 });
  for (const [source, target] of [
    ['start', 'call'],
    ['called', 'later'],
  ]) {
    const edge = { source_node_id: source, target_node_id: target };
    expect(await api.post('/api/v1/workflows/self/edges/', edge)).toMatchObject({ status: 201 });
  }
  await api.post('/api/v1/workflows/self/execute/', {});
  for (let turn = 0; turn < 4; turn += 1) await clockwork.settle();
  expect((await clockwork.runs()).map(({ status }) => status)).toEqual(['waiting', 'waiting']);
  expect(await api.delete('/api/v1/workflows/self/')).toMatchObject({ status: 204 });
  await clockwork.settle();
  expect((await clockwork.runs()).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  expect(await clockwork.store.executions.openCount()).toBe(0);
});

import { workflowUsage } from '@millrace/contract';
import { expect, it } from 'vitest';
import { AgentScene } from '../support/agent-scene.ts';

const path = '/api/v1/workflows/wf/usage/';
const dayMs = 86_400_000;
const sum = { calls: [{ name: 'calc', args: { expression: '6 * 7' } }] };
/** What each call of the scripted model uses, at the prices of the scene. */
const call = { llm_calls: 1, input_tokens: 10, output_tokens: 4, cost_usd: 18e-6 };

async function usage(scene: AgentScene, query = '') {
  const answer = await scene.person.get(`${path}${query}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return workflowUsage.parse(answer.body);
}

/** The figures of several calls. Costs are sums of fractions. */
function calls(n: number) {
  return { llm_calls: n, input_tokens: 10 * n, output_tokens: 4 * n, cost_usd: expect.closeTo(n * call.cost_usd, 12) };
}

it('the calls of an agent are counted by day, node and model', async () => {
  const scene = await AgentScene.start();
  const id = await scene.begin({ answers: [sum, { text: '42' }] });
  await scene.settled(id);
  scene.running.time.advance(dayMs);
  scene.answer([{ text: 'no tool' }]);
  const { body } = await scene.person.post('/api/v1/workflows/wf/execute/', { payload: 'go' });
  await scene.settled((body as { execution_id: string }).execution_id);
  const today = new Date(scene.running.time.clock.now()).toISOString().slice(0, 10);
  const yesterday = new Date(scene.running.time.clock.now() - dayMs).toISOString().slice(0, 10);
  expect(await usage(scene)).toEqual({
    since: new Date(Date.parse(today) - 29 * dayMs).toISOString().slice(0, 10),
    until: today,
    total: calls(3),
    budget: null,
    days: [
      { day: yesterday, ...calls(2) },
      { day: today, ...calls(1) },
    ],
    nodes: [{ node_id: 'ai', model: 'small', ...calls(3) }],
  });
  expect(await usage(scene, `?since=${today}&until=${today}`)).toMatchObject({
    total: calls(1),
    days: [{ day: today }],
  });
});

it('failed attempts count, and what an execution used remains when it is deleted', async () => {
  const scene = await AgentScene.start();
  const id = await scene.begin({ answers: [sum, { status: 400 }] });
  expect((await scene.settled(id)).status).toBe('failed');
  expect((await usage(scene)).total).toEqual(calls(1));
  await scene.running.store.executions.remove({ ids: [id], removableBy: scene.person.user.id });
  expect(await scene.person.get(`/api/v1/executions/${id}/`)).toMatchObject({ status: 404 });
  expect((await usage(scene)).total).toEqual(calls(1));
});

it('a replay does not count again what it takes over', async () => {
  const scene = await AgentScene.start();
  const id = await scene.begin({ answers: [sum, { text: '42' }] });
  await scene.settled(id);
  const replay = await scene.person.post(`/api/v1/executions/${id}/replay/`, { from_node: 'ai' });
  expect(replay.status, replay.text).toBeLessThan(300);
  scene.answer([{ text: 'again' }]);
  await scene.settled((replay.body as { execution_id: string }).execution_id);
  expect((await usage(scene)).total.llm_calls).toBe(3);
});

it('a period that ends before it begins, and a day that does not exist, are rejected', async () => {
  const scene = await AgentScene.start();
  await scene.begin({ answers: [{ text: '42' }] });
  for (const query of ['?since=2026-02-02&until=2026-02-01', '?since=2026-02-30', '?until=yesterday']) {
    expect([query, (await scene.person.get(`${path}${query}`)).status]).toEqual([query, 422]);
  }
});

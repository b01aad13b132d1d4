import { workflowUsage } from '@millrace/contract';
import { expect, it } from 'vitest';
import { AgentScene } from '../support/agent-scene.ts';

const workflow = '/api/v1/workflows/wf/';
const sum = { calls: [{ name: 'calc', args: { expression: '6 * 7' } }] };
/** What each call of the scripted model uses. */
const perCall = 14;

async function setBudget(scene: AgentScene, budget: object | null): Promise<void> {
  const { status, text } = await scene.person.patch(workflow, { budget });
  expect([status, text]).toEqual([200, text]);
}

async function execute(scene: AgentScene) {
  const { body } = await scene.person.post(`${workflow}execute/`, { payload: 'go' });
  return scene.settled((body as { execution_id: string }).execution_id);
}

it('an agent fails before the call of the model that would exceed the budget, and continues on a retry with a higher one', async () => {
  const scene = await AgentScene.start();
  await scene.run({ answers: [sum, { text: '42' }] });
  // Each answer adds a thousand tokens to the next prompt: another run may make two calls.
  await setBudget(scene, { tokens: 1900, period: 'day' });
  const long = { ...sum, text: 'x'.repeat(4000) };
  scene.answer([long, long, { text: '42' }]);
  const failed = await execute(scene);
  expect(failed).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('budget of 1900 tokens per day'),
  });
  const codes = failed.logs.map(({ error_code: code }) => code).filter((code) => code !== null);
  expect(new Set(codes)).toEqual(new Set(['budget_spent']));
  const { body } = await scene.person.get(`${workflow}usage/`);
  expect(workflowUsage.parse(body).budget).toMatchObject({
    ...{ tokens: 1900, usd: null, period: 'day' },
    spent_tokens: 4 * perCall,
  });
  await setBudget(scene, { tokens: 100_000, period: 'day' });
  scene.answer([{ text: '42' }]);
  const retried = await scene.person.post(`/api/v1/executions/${failed.execution_id}/retry/`, {});
  expect(retried.status, retried.text).toBeLessThan(300);
  expect((await scene.settled(failed.execution_id)).status).toBe('completed');
});

it('a budget of dollars is that of its day, in UTC', async () => {
  const scene = await AgentScene.start();
  await scene.run({ answers: [{ text: '42' }] });
  await setBudget(scene, { usd: 1e-5, period: 'day' });
  scene.answer([{ text: '42' }]);
  expect((await execute(scene)).status).toBe('failed');
  await scene.running.time.advance(86_400_000);
  await setBudget(scene, { usd: 1e-2, period: 'day' });
  expect((await execute(scene)).status).toBe('completed');
});

it.each([
  [{ tokens: 0 }, 'tokens'],
  [{ tokens: 1.5 }, 'tokens'],
  [{ usd: 0 }, 'usd'],
  [{ usd: 1, period: 'year' }, 'period'],
  [{ usd: 1, token: 1 }, 'token'],
])('the budget %j is rejected at %s', async (budget, key) => {
  const scene = await AgentScene.start();
  await scene.run({ answers: [{ text: '42' }] });
  const answer = await scene.person.patch(workflow, { budget });
  expect([answer.status, answer.body]).toMatchObject([422, { detail: [{ loc: ['body', 'budget', key] }] }]);
  expect((await scene.person.get(workflow)).body).toMatchObject({ budget: null });
});

it('a prompt that needs more than the whole budget fails with that reason', async () => {
  const scene = await AgentScene.start();
  await scene.run({ answers: [{ text: '42' }] });
  await setBudget(scene, { tokens: 1, period: 'day' });
  expect(await execute(scene)).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining("more than the workflow's whole budget"),
  });
});

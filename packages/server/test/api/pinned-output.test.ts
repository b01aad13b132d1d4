import { executeAnswer, executionDetail, webhookAccepted } from '@millrace/contract';
import { beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Person, type Running, startRunning } from '../support/running.ts';

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
});

const pinned = { pinned_output: { output: 'pinned' } };

async function addWorkflow(trigger: string): Promise<void> {
  const nodes = { start: trigger, middle: ['fail', pinned], last: 'echo' } as const;
  await running.addWorkflow(member.user, 'pins', { nodes, edges: 'start -> middle\nmiddle -> last' });
}

async function detail(id: string): Promise<z.infer<typeof executionDetail>> {
  await running.settle();
  return executionDetail.parse((await member.get(`/api/v1/executions/${id}/`)).body);
}

it('a pinned output replaces the result of its node in an execution started by hand', async () => {
  await addWorkflow('trigger_manual');
  const { body } = await member.post('/api/v1/workflows/pins/execute/');
  const run = await detail(executeAnswer.parse(body).execution_id);
  expect(run).toMatchObject({ status: 'completed', final_output: 'pinned' });
  expect(run.logs[1]).toMatchObject({ node_id: 'middle', output: { output: 'pinned' }, metadata: { pinned: true } });
});

it('a pinned output is ignored in any other execution', async () => {
  await addWorkflow('trigger_webhook');
  const { body } = await member.post('/api/v1/webhooks/pins', {});
  expect((await detail(webhookAccepted.parse(body).execution_id)).status).toBe('failed');
});

it('a pinned output is used in replays of executions started by hand, and only in those', async () => {
  await addWorkflow('trigger_webhook');
  const byHand = executeAnswer.parse((await member.post('/api/v1/workflows/pins/execute/')).body).execution_id;
  const byHook = webhookAccepted.parse((await member.post('/api/v1/webhooks/pins', {})).body).execution_id;
  await running.settle();
  const statuses = await Promise.all(
    [byHand, byHook].map(async (id) => {
      const { body } = await member.post(`/api/v1/executions/${id}/replay/`, { from_node: 'middle' });
      return (await detail(executeAnswer.parse(body).execution_id)).status;
    }),
  );
  expect(statuses).toEqual(['completed', 'failed']);
});

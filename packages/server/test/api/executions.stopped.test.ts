import { executeAnswer, executionDetail } from '@millrace/contract';
import { beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { type Person, type Running, startRunning } from '../support/running.ts';

type Detail = z.infer<typeof executionDetail>;

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
});

const path = '/api/v1/executions/';

async function detail(id: string): Promise<Detail> {
  return executionDetail.parse((await member.get(`${path}${id}/`)).body);
}

/** Starts an execution, lets 2 seconds pass, and cancels it. */
async function cancelled(slug: string): Promise<Detail> {
  const { body } = await member.post(`/api/v1/workflows/${slug}/execute/`, { payload: [1, 2] });
  const { execution_id: id } = executeAnswer.parse(body);
  await running.settle();
  running.time.advance(2000);
  expect((await member.post(`${path}${id}/cancel/`)).status).toBe(200);
  await running.settle();
  return detail(id);
}

const error = 'The step was stopped before it finished. The execution was cancelled.';
const entry = { status: 'failed', error, error_code: 'run_cancelled', output: null, duration_ms: 2000 };

it('a cancelled execution has an entry for the step that was running, with its input and duration', async () => {
  const nodes = { start: 'trigger_manual', middle: 'held' };
  await running.addWorkflow(member.user, 'held', { nodes, edges: 'start -> middle' });
  const { logs, error_message } = await cancelled('held');
  expect(error_message).toBe('The execution was cancelled.');
  expect(logs[1]).toMatchObject({ ...entry, node_id: 'middle', attempt: 1, timestamp: '2026-01-01T00:00:02.000000' });
  expect(logs[1]?.input).toMatchObject({ payload: [1, 2] });
});

it('a cancelled loop has an entry for each running iteration, and for the loop', async () => {
  const each = ['loop', { items: '{{ trigger.payload }}', concurrency: 2 }] as const;
  await running.addWorkflow(member.user, 'looping', {
    nodes: { start: 'trigger_manual', each, body: 'held' },
    edges: 'start -> each\neach -loop_body-> body\nbody -loop_return-> each',
  });
  const { logs } = await cancelled('looping');
  expect(logs.slice(1)).toMatchObject([
    { ...entry, node_id: 'each', frame: '' },
    { ...entry, node_id: 'body', frame: 'each[0]', input: 1 },
    { ...entry, node_id: 'body', frame: 'each[1]', input: 2 },
  ]);
});

it('a cancelled execution that waited has an entry for the waiting step, which no process was performing', async () => {
  await running.addWorkflow(member.user, 'asking', {
    nodes: { start: 'trigger_manual', middle: 'echo' },
    edges: 'start -> middle',
  });
  await running.editNodes('asking', (node) => (node.nodeId === 'middle' ? { ...node, interruptBefore: true } : node));
  const { logs } = await cancelled('asking');
  expect(logs.slice(1)).toMatchObject([{ ...entry, node_id: 'middle', attempt: 0 }]);
});

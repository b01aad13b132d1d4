import { catalogue } from '@millrace/components';
import { executeAnswer, executionDetail } from '@millrace/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

let running: Running;
let member: Person;

beforeEach(async () => {
  running = await startRunning({ catalogue });
  member = await running.addPerson('member');
});

async function run(nodes: Parameters<Running['addWorkflow']>[2]['nodes'], edges: string, payload: unknown) {
  await running.addWorkflow(member.user, 'looping', { nodes: { hook: 'trigger_manual', ...nodes }, edges });
  const started = await member.post('/api/v1/workflows/looping/execute/', { payload });
  await running.settle();
  const id = executeAnswer.parse(started.body).execution_id;
  return executionDetail.parse((await member.get(`/api/v1/executions/${id}/`)).body);
}

const body = 'hook -> each\neach -loop_body-> double\ndouble -loop_return-> each';
const double = ['transform', { expression: 'loop.item * 2 + loop.index' }] as const;

describe('the logs of a loop', () => {
  test('name the frame of each step, and show its input and output', async () => {
    const nodes = { each: ['loop', { items: '{{ trigger.payload }}' }] as const, double };
    const { status, logs, final_output } = await run(nodes, body, [10, 20]);
    expect(status).toBe('completed');
    expect(final_output).toEqual([20, 41]);
    expect(logs.map(({ node_id, frame, input, output }) => [frame, node_id, input, output]).slice(1)).toEqual([
      ['each[0]', 'double', 10, { output: 20 }],
      ['each[1]', 'double', 20, { output: 41 }],
      ['', 'each', null, { results: [20, 41], errors: [] }],
    ]);
  });

  test('name the iteration in which a loop failed', async () => {
    const nodes = { each: 'loop', double: ['transform', { expression: 'loop.item.price * 2' }] } as const;
    const { status, error_message } = await run(nodes, body, [{ price: 1 }, {}]);
    expect(status).toBe('failed');
    expect(error_message).toContain("Node 'each' failed: Iteration each[1]: node 'double' failed: ");
  });
});

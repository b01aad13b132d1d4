import { catalogue } from '@millrace/components';
import { executeAnswer, executionDetail } from '@millrace/contract';
import { expect, it } from 'vitest';
import { startRunning } from '../support/running.ts';

const dayMs = 24 * 60 * 60 * 1000;

it("'now' is a time of the replay, also at the step at which it begins", async () => {
  const running = await startRunning({ catalogue });
  const member = await running.addPerson('member');
  const today = ['template', { template: "{{ 'now' | date }}" }] as const;
  await running.addWorkflow(member.user, 'dated', {
    nodes: { start: 'trigger_manual', a: today, b: today, c: today },
    edges: 'start -> a\na -> b\nb -> c',
  });
  const datesOf = async (path: string, body: object): Promise<readonly unknown[]> => {
    const answer = await member.post(path, body);
    await running.settle();
    const id = executeAnswer.parse(answer.body).execution_id;
    const { logs } = executionDetail.parse((await member.get(`/api/v1/executions/${id}/`)).body);
    return [id, ...logs.slice(1).map(({ output }) => (output as { output: string }).output)];
  };
  const [id, ...first] = await datesOf('/api/v1/workflows/dated/execute/', { payload: {} });
  running.time.advance(5 * dayMs);
  await running.settle();
  const [, ...again] = await datesOf(`/api/v1/executions/${id}/replay/`, { from_node: 'b' });
  const [day] = first;
  const later = new Date(Date.parse(`${day}T00:00:00Z`) + 5 * dayMs).toISOString().slice(0, 10);
  expect([first, again]).toEqual([
    [day, day, day],
    [day, later, later],
  ]);
});

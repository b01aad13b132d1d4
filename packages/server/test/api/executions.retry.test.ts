import { beforeEach, describe, expect, it } from 'vitest';
import { newExecutionId } from '../../src/ground/ids.ts';
import { Chain, performed } from '../support/chain.ts';
import type { Person, Running } from '../support/running.ts';

let scene: Chain;
let running: Running;
let member: Person;
beforeEach(async () => {
  scene = await Chain.open();
  ({ running, member } = scene);
});

function retry(id: string, person = member) {
  return person.post(`/api/v1/executions/${id}/retry/`);
}

describe('POST retry', () => {
  it('continues a failed execution from the failed node, and keeps everything else', async () => {
    await scene.add('chain', 'fail_once');
    const failed = await scene.run('chain');
    expect(failed).toMatchObject({ status: 'failed', error_message: "Node 'second' failed: It failed this once." });
    const answer = await retry(failed.execution_id);
    expect(answer).toMatchObject({
      status: 200,
      body: { execution_id: failed.execution_id, status: 'pending', error_message: null, completed_at: null },
    });
    await running.settle();
    const after = await scene.detail(failed.execution_id);
    expect(after).toMatchObject({ status: 'completed', error_message: null, error_handler: null });
    const steps = 'start success, first success, second failed, second success, third success';
    expect(performed(after).join(', ')).toBe(steps);
    // The revoked attempt still has its input.
    expect(after.logs.map(({ input }) => input)).toEqual([
      expect.objectContaining({ payload: { n: 1 } }),
      ...Array(4).fill(expect.objectContaining({ payload: { n: 1 } })),
    ]);
  });

  it('resets the attempts of the step and the time limit of the execution', async () => {
    await scene.add('chain', 'fail', { maxExecutionSeconds: 60 });
    const { execution_id: id } = await scene.run('chain');
    running.time.advance(3_600_000);
    await retry(id);
    await running.settle();
    const after = await scene.detail(id);
    expect(after).toMatchObject({ status: 'failed', error_message: "Node 'second' failed: It was bound to fail." });
    expect(after.logs.filter(({ status }) => status === 'failed').map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('is rejected after 100 retries', async () => {
    await scene.add('chain', 'fail');
    const { execution_id: id } = await scene.run('chain');
    for (let time = 1; time <= 100; time += 1) {
      expect((await retry(id)).status).toBe(200);
      await running.settle();
    }
    const detail = 'An execution can be retried 100 times: replay it to start another one with its results.';
    expect(await retry(id)).toMatchObject({ status: 409, body: { detail } });
    expect((await scene.detail(id)).status).toBe('failed');
  });

  it('continues what was running at the time limit', async () => {
    await scene.add('chain', 'held', { maxExecutionSeconds: 60 });
    const { execution_id: id } = await scene.run('chain');
    running.time.advance(60_000);
    await running.settle();
    expect((await scene.detail(id)).status).toBe('failed');
    await retry(id);
    await running.settle();
    running.steps.letGo();
    await running.settle();
    const attemptsOfSecond = ['second failed', 'second success'];
    const after = await scene.detail(id);
    expect(performed(after)).toEqual(['start success', 'first success', ...attemptsOfSecond, 'third success']);
    // In the order of the log: start, first, the stopped attempt of second, its next attempt, third.
    expect(after.logs.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 2, 1]);
  });

  it('publishes that the execution is running again', async () => {
    await scene.add('chain', 'fail_once');
    const { execution_id: id } = await scene.run('chain');
    const received: string[] = [];
    running.store.subscribe({ published: (events) => received.push(...events.map(({ event }) => event.type)) });
    await retry(id);
    await running.settle();
    expect(received.filter((type) => type.startsWith('execution'))).toEqual([
      'execution_started',
      'execution_completed',
    ]);
  });

  it('starts the error handler again when it fails again', async () => {
    const handler = await running.addWorkflow(member.user, 'handler', { nodes: { caught: 'trigger_error' } });
    await scene.add('chain', 'fail', { errorHandlerWorkflowId: handler.id });
    const first = await scene.run('chain');
    await retry(first.execution_id);
    await running.settle();
    const second = await scene.detail(first.execution_id);
    expect(second.error_handler?.execution_id).toEqual(expect.any(String));
    expect(second.error_handler).not.toEqual(first.error_handler);
  });
});

describe('POST retry is rejected', () => {
  it('a second time, while the first is in progress', async () => {
    await scene.add('chain', 'fail_once');
    const { execution_id: id } = await scene.run('chain');
    const answers = await Promise.all([retry(id), retry(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await running.settle();
    expect((await scene.detail(id)).logs).toHaveLength(5);
  });

  it('with 409, unless the execution has failed', async () => {
    await scene.add('chain', 'held');
    const { execution_id: id } = await scene.run('chain');
    const rejected = (status: string) => ({
      status: 409,
      body: { detail: `Only an execution that has failed can be retried: it is ${status}.` },
    });
    expect(await retry(id)).toMatchObject(rejected('running'));
    await member.post(`/api/v1/executions/${id}/cancel/`);
    await running.settle();
    expect(await retry(id)).toMatchObject(rejected('cancelled'));
  });

  it('with 409, when the workflow was deleted', async () => {
    await scene.add('chain', 'fail');
    const { execution_id: id } = await scene.run('chain');
    const workflow = await running.store.workflows.bySlug('chain');
    await running.store.workflows.remove({ ids: [workflow?.id ?? 0], at: running.time.clock.now() });
    expect(await retry(id)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('restore it from the trash') },
    });
  });

  it('for users who may not change the workflow', async () => {
    await scene.add('chain', 'fail');
    const { execution_id: id } = await scene.run('chain');
    const workflow = await running.store.workflows.bySlug('chain');
    const [viewer, stranger] = [await running.addPerson('viewer'), await running.addPerson('stranger')];
    await running.store.collaborators.insert({
      workflowId: workflow?.id ?? 0,
      userId: viewer.user.id,
      role: 'viewer',
      at: running.time.clock.now(),
    });
    expect((await retry(id, viewer)).status).toBe(403);
    expect(await retry(id, stranger)).toMatchObject({ status: 404, body: { detail: 'Execution not found.' } });
    expect((await retry(newExecutionId(running.time.clock.now()))).status).toBe(404);
  });
});

import { executeAnswer, executionDetail, executionList } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { newExecutionId } from '../../src/ground/ids.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

type Detail = z.infer<typeof executionDetail>;

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
});

const handlerSketch = { nodes: { caught: 'trigger_error', note: 'echo' }, edges: 'caught -> note' };
const failing = { nodes: { start: 'trigger_manual', middle: 'fail' }, edges: 'start -> middle' };

async function addHandler(owner = member, fields: object = {}): Promise<number> {
  return (await running.addWorkflow(owner.user, 'handler', { ...handlerSketch, fields })).id;
}

/** A workflow that fails, with this one as its error handler. */
async function addFailing(errorHandlerWorkflowId: number | null): Promise<void> {
  await running.addWorkflow(member.user, 'failing', { ...failing, fields: { errorHandlerWorkflowId } });
}

async function run(slug: string, body: object = { payload: { order: 7 } }): Promise<Detail> {
  const answer = await member.post(`/api/v1/workflows/${slug}/execute/`, body);
  await running.settle();
  return detail(executeAnswer.parse(answer.body).execution_id);
}

async function detail(id: string, person = member): Promise<Detail> {
  return executionDetail.parse((await person.get(`/api/v1/executions/${id}/`)).body);
}

async function runsOf(slug: string): Promise<string[]> {
  const { body } = await member.get(`/api/v1/executions/?workflow_slug=${slug}`);
  return executionList.parse(body).items.map((item) => item.execution_id);
}

describe('a failed execution', () => {
  it('starts its error handler once, with the details of the failure', async () => {
    await addFailing(await addHandler());
    const failed = await run('failing');
    const [started = ''] = await runsOf('handler');
    expect(failed.error_handler).toEqual({ execution_id: started, detail: null });
    expect(await runsOf('handler')).toHaveLength(1);
    expect(await detail(started)).toMatchObject({
      status: 'completed',
      trigger_node_id: 'caught',
      trigger_payload: {
        execution_id: failed.execution_id,
        workflow: 'failing',
        node_id: 'middle',
        error: "Node 'middle' failed: It was bound to fail.",
        error_code: 'assertion',
        payload: { order: 7 },
      },
    });
  });

  it('also starts it if the graph is invalid', async () => {
    const fields = { errorHandlerWorkflowId: await addHandler() };
    const nodes = { start: 'trigger_webhook', middle: 'of_no_known_type' };
    const { id: workflowId } = await running.addWorkflow(member.user, 'failing', {
      nodes,
      edges: 'start -> middle',
      fields,
    });
    const graph = await running.store.graphs.load(workflowId);
    if (graph === null) throw new Error('the graph is missing');
    const at = running.time.clock.now();
    const run = { workflowId, graph, version: graph.version, triggerNodeId: 'start', idempotency: null, at };
    await running.store.executions.accept({ ...run, id: newExecutionId(at), trigger: { payload: 1, text: '' } });
    await running.settle();
    const [started = ''] = await runsOf('handler');
    expect((await detail(started)).trigger_payload).toMatchObject({ error_code: 'invalid_workflow', node_id: null });
  });

  it('also starts it if the time limit is exceeded', async () => {
    const fields = { errorHandlerWorkflowId: await addHandler(), maxExecutionSeconds: 60 };
    const nodes = { start: 'trigger_manual', middle: 'held' };
    await running.addWorkflow(member.user, 'failing', { nodes, edges: 'start -> middle', fields });
    await run('failing');
    running.time.advance(60_000);
    await running.settle();
    const [started = ''] = await runsOf('handler');
    expect((await detail(started)).trigger_payload).toMatchObject({ error_code: 'run_timeout' });
  });

  it('has no handler if its workflow has none', async () => {
    await addFailing(null);
    expect((await run('failing')).error_handler).toBeNull();
  });
});

describe('no error handler is started', () => {
  it('by an execution that completes or is cancelled', async () => {
    const fields = { errorHandlerWorkflowId: await addHandler() };
    const nodes = { start: 'trigger_manual', middle: 'held' };
    await running.addWorkflow(member.user, 'fine', { nodes, edges: 'start -> middle', fields });
    const [completed, cancelled] = [await run('fine'), await run('fine')];
    await member.post(`/api/v1/executions/${cancelled.execution_id}/cancel/`);
    running.steps.letGo();
    await running.settle();
    const ends = await Promise.all([completed, cancelled].map(({ execution_id: id }) => detail(id)));
    expect(ends.map((end) => [end.status, end.error_handler])).toEqual([
      ['completed', null],
      ['cancelled', null],
    ]);
    expect(await runsOf('handler')).toEqual([]);
  });

  it('by a handler that fails itself, even if it is its own handler', async () => {
    const handler = await running.addWorkflow(member.user, 'handler', {
      nodes: { caught: 'trigger_error', bad: 'fail' },
      edges: 'caught -> bad',
    });
    await member.patch('/api/v1/workflows/handler/', { error_handler_workflow_id: handler.id });
    await running.store.workflows.update({
      id: handler.id,
      changes: { errorHandlerWorkflowId: handler.id },
      at: running.time.clock.now(),
    });
    await addFailing(handler.id);
    await run('failing');
    const [started = '', ...more] = await runsOf('handler');
    expect(more).toEqual([]);
    expect((await detail(started)).error_handler).toEqual({
      execution_id: null,
      detail: 'This execution handles an error itself: its own failure starts no handler.',
    });
  });

  it.each([
    ['is not active', { isActive: false }, "The error handler workflow 'handler' is not active."],
    ['was deleted', null, 'The error handler workflow has been deleted.'],
  ])('when the handler %s, and the execution shows the reason', async (_case, fields, reason) => {
    const id = await addHandler(member, fields ?? {});
    await addFailing(id);
    if (fields === null) await running.store.workflows.remove({ ids: [id], at: running.time.clock.now() });
    expect((await run('failing')).error_handler).toEqual({ execution_id: null, detail: reason });
  });

  it('when the handler has no active trigger_error', async () => {
    const { id } = await running.addWorkflow(member.user, 'handler', { nodes: { start: 'trigger_manual' } });
    await addFailing(id);
    const reason = "The error handler workflow 'handler' has no active trigger_error.";
    expect((await run('failing')).error_handler).toEqual({ execution_id: null, detail: reason });
  });

  it('when the owner of the handler no longer shares it', async () => {
    const other = await running.addPerson('visitor');
    const id = await addHandler(other, { isPublic: true });
    await addFailing(id);
    expect((await run('failing')).error_handler?.execution_id).toEqual(expect.any(String));
    await running.store.workflows.update({ id, changes: { isPublic: false }, at: running.time.clock.now() });
    const reason = "The workflow's owner may not see the error handler workflow any more.";
    expect((await run('failing')).error_handler).toEqual({ execution_id: null, detail: reason });
  });
});

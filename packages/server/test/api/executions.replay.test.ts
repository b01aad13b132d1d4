import { executeAnswer } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { Chain, type Detail, performed } from '../support/chain.ts';
import type { Person, Running } from '../support/running.ts';

let scene: Chain;
let running: Running;
let member: Person;
beforeEach(async () => {
  scene = await Chain.open();
  ({ running, member } = scene);
});

function replay(id: string, body: object, headers: Record<string, string> = {}) {
  return member.inject({ method: 'POST', url: `/api/v1/executions/${id}/replay/`, payload: body, headers });
}

/** Replays an execution, lets the replay run, and returns it. */
async function replayed(id: string, body: object): Promise<Detail> {
  const answer = await replay(id, body);
  expect(answer.status).toBe(200);
  await running.settle();
  return scene.detail(executeAnswer.parse(answer.body).execution_id);
}

describe('POST replay', () => {
  it('starts an execution that runs the node and its successors, with the earlier results', async () => {
    await scene.add('chain', 'echo');
    const source = await scene.run('chain');
    const again = await replayed(source.execution_id, { from_node: 'second' });
    expect(again).toMatchObject({
      status: 'completed',
      replay_of: source.execution_id,
      trigger_payload: { n: 1 },
      final_output: source.final_output,
    });
    expect(performed(again)).toEqual(['second success', 'third success']);
    expect(again.logs.map(({ node_id }) => node_id)).toEqual(['start', 'first', 'second', 'third']);
    expect(again.logs[1]?.metadata).toEqual({ reused_from: source.execution_id });
    // The original execution does not change.
    expect(await scene.detail(source.execution_id)).toEqual(source);
  });

  it('runs everything again from the trigger', async () => {
    await scene.add('chain', 'echo');
    const source = await scene.run('chain');
    const again = await replayed(source.execution_id, { from_node: 'start' });
    expect(performed(again)).toEqual(['start success', 'first success', 'second success', 'third success']);
  });

  it('replaces outputs of earlier nodes, and the payload of the trigger', async () => {
    await scene.add('chain', 'echo');
    const source = await scene.run('chain');
    const changed = await replayed(source.execution_id, {
      from_node: 'second',
      overrides: { first: { output: 'other' } },
    });
    expect(changed.final_output).toBe('other');
    expect(changed.logs[1]?.metadata).toEqual({ reused_from: source.execution_id, overridden: ['output'] });
    const overrides = { start: { output: { payload: { n: 2 } } } };
    const fromFirst = await replayed(source.execution_id, { from_node: 'first', overrides });
    expect(fromFirst.final_output).toEqual({ payload: { n: 2 } });
  });

  it('runs a failed execution again, including the steps that had not succeeded', async () => {
    const nodes = { start: 'trigger_manual', good: 'echo', bad: 'fail', after: 'echo' };
    await running.addWorkflow(member.user, 'two', { nodes, edges: 'start -> good\nstart -> bad\ngood -> after' });
    const source = await scene.run('two');
    const again = await replayed(source.execution_id, { from_node: 'after' });
    expect(again.status).toBe('failed');
    expect(again.logs.find(({ node_id }) => node_id === 'good')?.metadata.reused_from).toBe(source.execution_id);
    expect(performed(again)).toContain('bad failed');
  });

  it('runs another version, and reuses the outputs of nodes of the same type', async () => {
    await scene.add('chain', 'fail');
    const source = await scene.run('chain');
    await running.editNodes('chain', (node) => (node.nodeId === 'second' ? { ...node, componentType: 'echo' } : node));
    const { version = 0 } = (await running.store.workflows.bySlug('chain')) ?? {};
    const again = await replayed(source.execution_id, { from_node: 'second', version });
    expect(again).toMatchObject({ status: 'completed', workflow_version: version });
    expect(performed(again)).toEqual(['second success', 'third success']);
    const asBefore = await replayed(source.execution_id, { from_node: 'second' });
    expect(asBefore).toMatchObject({ status: 'failed', workflow_version: source.workflow_version });
    // A result of another type is meaningless to the nodes after it.
    await running.editNodes('chain', (node) =>
      node.nodeId === 'first' ? { ...node, componentType: 'respond' } : node,
    );
    const newest = await replayed(source.execution_id, { from_node: 'second', version: version + 1 });
    expect(performed(newest)).toEqual(['first success', 'second success', 'third success']);
  });
});

describe('a replay', () => {
  it('runs or reuses a loop as a whole', async () => {
    const nodes = { start: 'trigger_manual', list: 'echo', each: 'loop', part: 'echo', last: 'echo' };
    const edges = 'start -> list\nlist -> each\neach -loop_body-> part\npart -loop_return-> each\neach -> last';
    await running.addWorkflow(member.user, 'looping', {
      nodes: { ...nodes, each: ['loop', { items: [1, 2] }] },
      edges,
    });
    const source = await scene.run('looping');
    expect(source.final_output).toEqual([1, 2]);
    const after = await replayed(source.execution_id, { from_node: 'last' });
    expect(after.final_output).toEqual([1, 2]);
    expect(performed(after)).toEqual(['last success']);
    const inside = await replayed(source.execution_id, { from_node: 'part' });
    expect(performed(inside)).toEqual(['part success', 'part success', 'each success', 'last success']);
    expect(await replay(source.execution_id, { from_node: 'last', overrides: { part: { output: 1 } } })).toMatchObject({
      status: 422,
      body: { detail: [{ msg: "Node 'part' is in the body of a loop: give the outputs of 'each'." }] },
    });
  });

  it('starts nothing more for the same Idempotency-Key', async () => {
    await scene.add('chain', 'echo');
    const { execution_id: id } = await scene.run('chain');
    const body = { from_node: 'second' };
    const key = { 'idempotency-key': 'a click' };
    const [first, second, other] = [await replay(id, body, key), await replay(id, body, key), await replay(id, body)];
    const idOf = ({ body: answer }: { body: unknown }) => executeAnswer.parse(answer).execution_id;
    expect(idOf(second)).toBe(idOf(first));
    expect(idOf(other)).not.toBe(idOf(first));
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect((await replay(id, { from_node: 'third' }, key)).status).toBe(409);
  });
});

describe('POST replay is rejected', () => {
  it.each([
    [{}, 'from_node'],
    [{ from_node: 'nobody' }, 'from_node'],
    [{ from_node: 'second', version: 99 }, 'version'],
    [{ from_node: 'second', overrides: { nobody: {} } }, 'nobody'],
    [{ from_node: 'second', overrides: { first: { other: 1 } } }, 'other'],
    [{ from_node: 'second', overrides: { third: { output: 1 } } }, 'third'],
    [{ from_node: 'second', overrides: { first: 7 } }, 'first'],
    [{ from_node: 'second', overrides: { constructor: { output: 1 } } }, 'constructor'],
  ])('with 422, for %j', async (body, place) => {
    await scene.add('chain', 'echo');
    const { execution_id: id } = await scene.run('chain');
    const { status, body: answer } = await replay(id, body);
    expect(status).toBe(422);
    expect((answer as { detail: { loc: string[] }[] }).detail[0]?.loc.at(-1)).toBe(place);
  });

  it('with 409, while the execution is running', async () => {
    await scene.add('chain', 'held');
    const { execution_id: id } = await scene.run('chain');
    expect(await replay(id, { from_node: 'first' })).toMatchObject({
      status: 409,
      body: { detail: 'Only an execution that has ended can be replayed: it is running.' },
    });
  });

  it('with 409, when the workflow was deleted', async () => {
    await scene.add('chain', 'echo');
    const { execution_id: id } = await scene.run('chain');
    const workflow = await running.store.workflows.bySlug('chain');
    await running.store.workflows.remove({ ids: [workflow?.id ?? 0], at: running.time.clock.now() });
    const detail = 'The workflow of this execution was deleted: restore it from the trash first.';
    expect(await replay(id, { from_node: 'first' })).toMatchObject({ status: 409, body: { detail } });
  });
});

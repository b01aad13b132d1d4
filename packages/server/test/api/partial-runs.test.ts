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

const execute = (slug: string, body: object) => member.post(`/api/v1/workflows/${slug}/execute/`, body);
const replay = (id: string, body: object) => member.post(`/api/v1/executions/${id}/replay/`, body);

async function ended(answer: Awaited<ReturnType<typeof execute>>): Promise<Detail> {
  expect(answer.status).toBe(200);
  await running.settle();
  return scene.detail(executeAnswer.parse(answer.body).execution_id);
}

const branches = {
  nodes: { start: 'trigger_manual', first: 'echo', aside: 'echo', last: 'echo', after: 'echo' },
  edges: 'start -> first\nstart -> aside\nfirst -> last\nlast -> after',
} as const;

const looping = {
  nodes: {
    start: 'trigger_manual',
    each: ['loop', { items: [1, 2] }],
    part: 'echo',
    aside: 'echo',
    last: 'echo',
  },
  edges: 'start -> each\neach -loop_body-> part\npart -> aside\npart -loop_return-> each\neach -> last',
} as const;

describe('an execution up to a node', () => {
  it('performs only the nodes on the ways to it', async () => {
    await running.addWorkflow(member.user, 'branches', branches);
    const run = await ended(await execute('branches', { to_node: 'last', payload: { n: 1 } }));
    expect(run).toMatchObject({ status: 'completed', to_node: 'last', final_output: { payload: { n: 1 } } });
    expect(performed(run)).toEqual(['start success', 'first success', 'last success']);
  });

  it('performs a loop as a whole, also for a node in its body', async () => {
    await running.addWorkflow(member.user, 'looping', looping);
    for (const to_node of ['each', 'part']) {
      const run = await ended(await execute('looping', { to_node }));
      expect(run).toMatchObject({ status: 'completed', final_output: [1, 2] });
      expect(performed(run).toSorted()).toEqual(
        ['aside', 'aside', 'each', 'part', 'part', 'start'].map((node) => `${node} success`),
      );
    }
  });

  it('ignores errors of nodes that it does not perform', async () => {
    const nodes = { ...branches.nodes, after: ['transform', {}] } as const;
    await running.addWorkflow(member.user, 'unfinished', { ...branches, nodes });
    expect(await execute('unfinished', {})).toMatchObject({ status: 422 });
    expect(await ended(await execute('unfinished', { to_node: 'last' }))).toMatchObject({ status: 'completed' });
    expect(await execute('unfinished', { to_node: 'after' })).toMatchObject({ status: 422 });
  });

  it('is retried up to the same node', async () => {
    await scene.add('failing', 'fail');
    const run = await ended(await execute('failing', { to_node: 'second' }));
    expect(run.status).toBe('failed');
    await member.post(`/api/v1/executions/${run.execution_id}/retry/`, {});
    await running.settle();
    const again = await scene.detail(run.execution_id);
    expect(again.logs.map(({ node_id }) => node_id)).toEqual(['start', 'first', 'second', 'second']);
  });

  it('is rejected for a node that does not exist or that its trigger does not lead to', async () => {
    const nodes = { ...branches.nodes, alone: 'echo' } as const;
    await running.addWorkflow(member.user, 'branches', { ...branches, nodes });
    for (const [to_node, msg] of [
      ['none', "The workflow has no node 'none'."],
      ['alone', "No edges lead from 'start' to node 'alone'."],
    ]) {
      expect(await execute('branches', { to_node })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'to_node'], msg }] },
      });
    }
  });
});

describe('a replay of one node alone', () => {
  const only = { from_node: 'second', to_node: 'second' };

  it('performs this node with the stored results of the nodes before it', async () => {
    await scene.add('chain', 'echo');
    const source = await scene.run('chain');
    const run = await ended(await replay(source.execution_id, only));
    expect(run).toMatchObject({ status: 'completed', replay_of: source.execution_id, to_node: 'second' });
    expect(performed(run)).toEqual(['second success']);
    expect(run.final_output).toEqual(source.final_output);
  });

  it('is rejected if a node before it has no result', async () => {
    await scene.add('failing', 'fail');
    const source = await scene.run('failing');
    expect(await replay(source.execution_id, { from_node: 'third', to_node: 'third' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("node 'second' before it has no result in this execution") },
    });
  });

  it('uses pinned outputs instead of the stored results, also of nodes without a result', async () => {
    await scene.add('failing', 'fail');
    const source = await scene.run('failing');
    await running.editNodes('failing', (node) => {
      if (node.nodeId !== 'second') return node;
      return { ...node, config: { ...node.config, extra_config: { pinned_output: { output: 'pinned' } } } };
    });
    const { version = 0 } = (await running.store.workflows.bySlug('failing')) ?? {};
    const third = { from_node: 'third', to_node: 'third', version };
    const once = await ended(await replay(source.execution_id, third));
    expect([once.final_output, performed(once)]).toEqual(['pinned', ['second success', 'third success']]);
    const again = await ended(await replay(once.execution_id, third));
    expect([again.final_output, performed(again)]).toEqual(['pinned', ['third success']]);
    expect(again.logs.find(({ node_id }) => node_id === 'second')?.metadata).toMatchObject({ pinned: true });
  });
});

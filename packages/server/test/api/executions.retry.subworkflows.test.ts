import { describe, expect, test } from 'vitest';
import { call, calling, type Sketch, sub } from '../support/calling-sketches.ts';
import { WorkScene } from '../support/work-scene.ts';

describe('a retry of an execution whose sub-workflow failed', () => {
  test('continues it from the failed node, as the same execution with the same keys', async () => {
    const scene = await WorkScene.open({ main: calling(), sub });
    const failed = await scene.run();
    expect([failed.status, await scene.statuses('sub')]).toEqual(['failed', ['failed']]);
    const answer = await scene.retry(failed);
    expect(answer).toMatchObject({ status: 200, body: { execution_id: failed.execution_id, status: 'pending' } });
    const after = await scene.detail(failed.execution_id);
    expect(after).toMatchObject({ status: 'completed', final_output: { n: 4 } });
    expect(await scene.statuses('sub')).toEqual(['completed']);
    expect(scene.counts()).toEqual({ first: 1, a: 1, b: 2, c: 1, last: 1 });
    expect(Object.values(scene.keys())).toEqual([1, 1, 1, 1, 1]);
    expect(after.logs.map(({ node_id: node, status }) => `${node} ${status}`)).toEqual([
      'start success',
      'first success',
      'call failed',
      'call success',
      'last success',
    ]);
  });

  test('waits for it again, and shows that it does', async () => {
    const scene = await WorkScene.open({
      main: calling(),
      sub: { nodes: { ...sub.nodes, c: ['human_confirmation', {}] }, edges: sub.edges ?? '' },
    });
    const failed = await scene.run();
    await scene.retry(failed);
    const [child] = await scene.of('sub');
    expect(child?.status).toBe('interrupted');
    expect(await scene.detail(failed.execution_id)).toMatchObject({
      status: 'waiting',
      waits: [{ node_id: 'call', kind: 'child', execution_id: child?.execution_id }],
    });
    await scene.steer(failed, 'cancel');
    expect(await scene.statuses('sub')).toEqual(['cancelled']);
  });

  test('continues the innermost one that failed', async () => {
    const through = (slug: string): Sketch => ({
      nodes: { begin: 'trigger_workflow', [`before_${slug}`]: 'work', call: call(slug) },
      edges: `begin -> before_${slug}\nbefore_${slug} -> call`,
    });
    const scene = await WorkScene.open({
      main: calling(),
      sub: through('lower'),
      lower: through('lowest'),
      lowest: sub,
    });
    await scene.retry(await scene.run());
    for (const slug of ['main', 'sub', 'lower', 'lowest']) expect(await scene.statuses(slug)).toEqual(['completed']);
    expect(scene.counts()).toEqual({ first: 1, before_lower: 1, before_lowest: 1, a: 1, b: 2, c: 1, last: 1 });
  });

  test('can be repeated if it fails again', async () => {
    const scene = await WorkScene.open({ main: calling(), sub }, ['b']);
    const failed = await scene.run();
    await scene.steer(failed, 'retry');
    await scene.settle();
    expect((await scene.detail(failed.execution_id)).status).toBe('failed');
    await scene.retry(failed);
    expect(await scene.statuses('main')).toEqual(['completed']);
    expect(await scene.statuses('sub')).toEqual(['completed']);
    expect(scene.counts()).toEqual({ first: 1, a: 1, b: 3, c: 1, last: 1 });
  });
});

describe('a retry of an execution whose sub-workflow has changed since', () => {
  test('uses its output if it was retried separately', async () => {
    const scene = await WorkScene.open({ main: calling(), sub });
    const failed = await scene.run();
    const [child] = await scene.of('sub');
    if (child !== undefined) await scene.retry(child);
    expect([await scene.statuses('main'), await scene.statuses('sub')]).toEqual([['failed'], ['completed']]);
    await scene.retry(failed);
    expect(await scene.detail(failed.execution_id)).toMatchObject({ status: 'completed', final_output: { n: 4 } });
    expect(scene.counts()).toEqual({ first: 1, a: 1, b: 2, c: 1, last: 1 });
  });

  test('waits for it if it is running again', async () => {
    const scene = await WorkScene.open({
      main: calling(),
      sub: { nodes: { ...sub.nodes, c: ['wait', { duration: 60 }] }, edges: sub.edges ?? '' },
    });
    const failed = await scene.run();
    const [child] = await scene.of('sub');
    if (child !== undefined) await scene.retry(child);
    expect((await scene.retry(failed)).status).toBe(200);
    expect(await scene.statuses('sub')).toEqual(['waiting']);
    scene.running.time.advance(60_000);
    await scene.settle();
    expect(await scene.statuses('main')).toEqual(['completed']);
    expect(scene.counts()).toEqual({ first: 1, a: 1, b: 2, last: 1 });
  });

  test('starts a new one if it was deleted', async () => {
    const scene = await WorkScene.open({ main: calling(), sub });
    const failed = await scene.run();
    const ids = (await scene.of('sub')).map(({ execution_id: id }) => id);
    await scene.member.post('/api/v1/executions/batch-delete/', { execution_ids: ids });
    await scene.retry(failed);
    expect(await scene.statuses('main')).toEqual(['completed']);
    expect(scene.keys()).toEqual({ first: 1, a: 2, b: 2, c: 1, last: 1 });
  });

  test('does not continue one that it did not wait for', async () => {
    const main: Sketch = {
      nodes: { start: 'trigger_manual', call: call('sub', { wait: false }), last: 'work' },
      edges: 'start -> call\ncall -> last',
    };
    const scene = await WorkScene.open({ main, sub }, ['b', 'last']);
    await scene.retry(await scene.run());
    expect([await scene.statuses('main'), await scene.statuses('sub')]).toEqual([['completed'], ['failed']]);
  });

  test('continues all branches that failed at the same moment', async () => {
    const main: Sketch = {
      nodes: { start: 'trigger_manual', left: call('sub'), right: call('sub'), both: ['merge', { mode: 'keyed' }] },
      edges: 'start -> left\nstart -> right\nleft -> both\nright -> both',
    };
    const scene = await WorkScene.open({ main, sub });
    await scene.retry(await scene.run());
    expect(await scene.statuses('main')).toEqual(['completed']);
    expect(await scene.statuses('sub')).toEqual(['completed', 'completed']);
  });
});

describe('a retry of an execution whose sub-workflow failed is rejected, and changes nothing', () => {
  const rejected = {
    status: 409,
    body: { detail: expect.stringMatching(/^Node 'call' cannot continue: workflow 'sub' was deleted, or/) },
  };

  test('while its workflow is in the trash', async () => {
    const scene = await WorkScene.open({ main: calling(), sub });
    const failed = await scene.run();
    const workflow = await scene.running.store.workflows.bySlug('sub');
    const at = scene.running.time.clock.now();
    await scene.running.store.workflows.remove({ ids: [workflow?.id ?? 0], at });
    expect(await scene.retry(failed)).toMatchObject(rejected);
    expect(await scene.statuses('main')).toEqual(['failed']);
    await scene.running.store.trash.restore({ id: workflow?.id ?? 0, slug: 'sub', at });
    expect((await scene.retry(failed)).status).toBe(200);
    expect(scene.counts()).toEqual({ first: 1, a: 1, b: 2, c: 1, last: 1 });
  });

  test('if the owner of the calling workflow may no longer see it', async () => {
    const scene = await WorkScene.open({ main: calling() });
    const other = await scene.running.addPerson('visitor');
    const shared = await scene.running.addWorkflow(other.user, 'sub', { ...sub, fields: { isPublic: true } });
    const failed = await scene.run();
    expect(failed.error_message).toBe("Node 'call' failed: Workflow 'sub' failed");
    const at = scene.running.time.clock.now();
    await scene.running.store.workflows.update({ id: shared.id, changes: { isPublic: false }, at });
    expect(await scene.retry(failed)).toMatchObject(rejected);
  });
});

import type { JsonObject } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { call, calling, type Sketch, sub } from '../support/calling-sketches.ts';
import { WorkScene } from '../support/work-scene.ts';

/** A sub-workflow that performs a step, and then asks a question. */
const asking: Sketch = {
  nodes: { begin: 'trigger_workflow', a: 'work', ask: ['human_confirmation', {}] },
  edges: 'begin -> a\na -> ask',
};

describe('a retry of an execution whose sub-workflow was cancelled', () => {
  test('continues it if its time was up, with the full time again', async () => {
    const scene = await WorkScene.open({ main: calling({ timeout_seconds: 30 }), sub: asking });
    const failed = await scene.run();
    scene.running.time.advance(30_000);
    await scene.settle();
    expect(await scene.statuses('sub')).toEqual(['cancelled']);
    scene.running.time.advance(100_000);
    await scene.retry(failed);
    scene.running.time.advance(29_000);
    await scene.settle();
    const [child] = await scene.of('sub');
    expect(child?.status).toBe('interrupted');
    if (child !== undefined) await scene.steer(child, 'resume', { node_id: 'ask', confirmed: true });
    await scene.settle();
    expect(await scene.statuses('main')).toEqual(['completed']);
    expect(scene.counts()).toEqual({ first: 1, a: 1, last: 1 });
  });

  test('continues it if a user cancelled it', async () => {
    const scene = await WorkScene.open({ main: calling(), sub: asking });
    const failed = await scene.run();
    const [child] = await scene.of('sub');
    if (child !== undefined) await scene.steer(child, 'cancel');
    await scene.settle();
    expect(await scene.statuses('main')).toEqual(['failed']);
    await scene.retry(failed);
    expect(await scene.statuses('sub')).toEqual(['interrupted']);
    expect(scene.counts()).toEqual({ first: 1, a: 1 });
  });

  test('asks again if a user declined', async () => {
    const scene = await WorkScene.open({ main: calling(), sub });
    await scene.running.editNodes('sub', (node) => (node.nodeId === 'b' ? { ...node, interruptBefore: true } : node));
    scene.broken.clear();
    const failed = await scene.run();
    const [child] = await scene.of('sub');
    if (child !== undefined) await scene.steer(child, 'resume', { node_id: 'b', confirmed: false });
    await scene.settle();
    expect([await scene.statuses('main'), await scene.statuses('sub')]).toEqual([['failed'], ['cancelled']]);
    await scene.retry(failed);
    expect(await scene.statuses('sub')).toEqual(['interrupted']);
    if (child !== undefined) await scene.steer(child, 'resume', { node_id: 'b', confirmed: true });
    await scene.settle();
    expect(await scene.statuses('main')).toEqual(['completed']);
    expect(scene.counts()).toEqual({ first: 1, a: 1, b: 1, c: 1, last: 1 });
  });

  test('continues it if another branch failed meanwhile', async () => {
    const main: Sketch = {
      nodes: { start: 'trigger_manual', call: call('sub'), pause: ['wait', { duration: 5 }], b: 'work' },
      edges: 'start -> call\nstart -> pause\npause -> b',
    };
    const scene = await WorkScene.open({ main, sub: asking });
    const failed = await scene.run();
    scene.running.time.advance(5000);
    await scene.settle();
    expect([await scene.statuses('main'), await scene.statuses('sub')]).toEqual([['failed'], ['cancelled']]);
    await scene.retry(failed);
    expect(await scene.statuses('sub')).toEqual(['interrupted']);
    expect(scene.counts()).toEqual({ a: 1, b: 2 });
  });
});

describe('a retry of an execution whose loop runs sub-workflows', () => {
  const looping = (extra: JsonObject): Sketch => ({
    nodes: {
      start: 'trigger_manual',
      each: ['loop', { items: [1, 2, 3], ...extra }],
      call: call('sub', { payload: { item: '{{ loop.item }}' } }),
      last: 'work',
    },
    edges: 'start -> each\neach -loop_body-> call\ncall -loop_return-> each\neach -> last',
  });

  /** Item 2 fails at first; item 3 asks a question. */
  const picky: Sketch = {
    nodes: {
      begin: 'trigger_workflow',
      a: 'work',
      is: ['switch', { expression: '{{ trigger.payload.item }}' }],
      b: 'work',
      ask: ['human_confirmation', {}],
    },
    edges: 'begin -> a\na -> is',
  };
  /** `is -[value]-> target`. */
  function route(value: string, target: string) {
    const edge = { sourceNodeId: 'is', targetNodeId: target, edgeType: 'conditional', edgeLabel: '' } as const;
    return {
      kind: 'create_edge',
      edge: { ...edge, conditionMapping: null, conditionValue: value, priority: 0 },
    } as const;
  }

  async function open(extra: JsonObject, broken: readonly string[] = ['b']): Promise<WorkScene> {
    const scene = await WorkScene.open({ main: looping(extra), sub: picky }, broken);
    const { store, time } = scene.running;
    const workflow = await store.workflows.bySlug('sub');
    if (workflow === null) throw new Error('the workflow is missing');
    const changes = [route('2', 'b'), route('3', 'ask')];
    const at = time.clock.now();
    await store.graphs.save({ workflowId: workflow.id, baseVersion: workflow.version, changes, at });
    return scene;
  }

  /** The status of the sub-workflow of each item, in the order of the items. */
  async function ofItems(scene: WorkScene): Promise<readonly string[]> {
    const children = await scene.of('sub');
    const item = ({ trigger_payload: payload }: (typeof children)[number]) => JSON.stringify(payload);
    return children.toSorted((a, b) => item(a).localeCompare(item(b))).map(({ status }) => status);
  }

  async function answer(scene: WorkScene): Promise<void> {
    const asked = (await scene.of('sub')).find(({ status }) => status === 'interrupted');
    if (asked === undefined) throw new Error('no execution is interrupted');
    await scene.steer(asked, 'resume', { node_id: 'ask', confirmed: true });
    await scene.settle();
  }

  test('continues the items that failed or were running, and keeps those that completed', async () => {
    const scene = await open({ concurrency: 3 });
    const failed = await scene.run();
    expect(failed.status).toBe('failed');
    expect(await ofItems(scene)).toEqual(['completed', 'failed', 'cancelled']);
    await scene.retry(failed);
    expect(await ofItems(scene)).toEqual(['completed', 'completed', 'interrupted']);
    await answer(scene);
    expect(await scene.statuses('main')).toEqual(['completed']);
    expect(scene.performed.filter((name) => name.startsWith('a '))).toHaveLength(3);
    expect(scene.keys()).toEqual({ a: 3, b: 1, last: 1 });
  });

  test('keeps failed items if the loop continued without them', async () => {
    const scene = await open({ concurrency: 3, on_error: 'continue' }, ['b', 'last']);
    const failed = await scene.run();
    await answer(scene);
    expect(await scene.statuses('main')).toEqual(['failed']);
    await scene.retry(failed);
    expect(await scene.statuses('main')).toEqual(['completed']);
    expect(await ofItems(scene)).toEqual(['completed', 'failed', 'completed']);
  });
});

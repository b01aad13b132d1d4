import { expect, test } from 'vitest';
import type { GraphChange } from '../graphs.ts';
import type { Store } from '../store.ts';
import {
  appendOf,
  claim,
  completed,
  listen,
  newExecution,
  newWorkflow,
  nodeFields,
  runningRun,
  start,
  stepSucceeded,
} from './world.ts';

/** Tests of commits: which calls share one, who is notified, and when. */
export function commitSentences(store: () => Store): void {
  batchSentences(store);
  subscriberSentences(store);
  endSentences(store);
}

const failing: readonly GraphChange[] = [
  { kind: 'create_node', node: nodeFields('half') },
  { kind: 'delete_edge', id: 999 },
];

function batchSentences(store: () => Store): void {
  test('a call that fails leaves no trace, and other calls of the same turn are stored', async () => {
    const workflow = await newWorkflow(store());
    const { id: workflowId, version: baseVersion } = workflow;
    const notified = listen(store());
    const [before, broken, after] = await Promise.allSettled([
      store().executions.accept(newExecution(workflow)),
      store().graphs.save({ workflowId, baseVersion, changes: failing, at: start }),
      store().graphs.save({ workflowId, baseVersion, changes: failing.slice(0, 1), at: start }),
    ]);
    expect([before.status, broken.status, after.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await store().graphs.load(workflowId))?.nodes.map((node) => node.nodeId)).toEqual(['half']);
    expect(notified).toEqual(['node_created', 'pending']);
    expect(await store().executions.openCount()).toBe(1);
  });

  test("calls of one turn see each other's changes in order", async () => {
    const workflow = await newWorkflow(store());
    const accepted = store().executions.accept(newExecution(workflow));
    const claimed = claim(store());
    expect((await claimed).map(({ id }) => id)).toEqual([(await accepted).id]);
  });

  test('a thousand calls of one turn all resolve', async () => {
    const workflow = await newWorkflow(store());
    const accepts = Array.from({ length: 1001 }, () => store().executions.accept(newExecution(workflow)));
    expect(new Set((await Promise.all(accepts)).map(({ id }) => id)).size).toBe(1001);
    expect(await store().executions.openCount()).toBe(1001);
  });
}

function subscriberSentences(store: () => Store): void {
  test('subscribers are notified of commits in order, events first', async () => {
    const workflow = await newWorkflow(store());
    const run = await runningRun(store(), workflow);
    const notified = listen(store());
    const event = {
      workflowId: workflow.id,
      event: { type: 'execution_completed', executionId: run.id, output: null },
    } as const;
    await Promise.all([
      store().executions.accept(newExecution(workflow)),
      store().executions.cancel({ id: run.id, at: start }),
      store().workflows.update({ id: workflow.id, changes: { name: 'x' }, at: start }),
      store().executions.append({ ...appendOf(run, [completed()]), events: [event] }),
    ]);
    await store().executions.accept(newExecution(workflow));
    expect(notified).toEqual(['workflow_updated', 'execution_completed', `cancel ${run.id}`, 'pending', 'pending']);
  });

  test('a subscriber can read what it is notified of', async () => {
    const workflow = await newWorkflow(store());
    const { id } = await store().executions.accept(newExecution(workflow));
    const read = new Promise((resolve) => {
      store().subscribe({ published: () => resolve(store().executions.byId(id)) });
    });
    await store().executions.cancel({ id, at: start });
    expect(await read).toMatchObject({ status: 'cancelled' });
  });

  test('a subscriber may write, and every subscriber is notified once', async () => {
    const workflow = await newWorkflow(store());
    const claimed = new Promise<readonly { id: string }[]>((resolve) => {
      store().subscribe({ pending: () => resolve(claim(store())) });
    });
    const notified = listen(store());
    const { id } = await store().executions.accept(newExecution(workflow));
    expect((await claimed).map((run) => run.id)).toEqual([id]);
    expect(notified).toEqual(['pending']);
  });

  test('an ended subscription gets no more notifications', async () => {
    const workflow = await newWorkflow(store());
    const received: string[] = [];
    const end = store().subscribe({ pending: () => void received.push('pending') });
    await store().executions.accept(newExecution(workflow));
    end();
    await store().executions.accept(newExecution(workflow));
    expect(received).toEqual(['pending']);
  });
}

function endSentences(store: () => Store): void {
  test('the store answers a ping', async () => {
    await expect(store().ping()).resolves.toBeUndefined();
  });

  test('closing writes what is queued, and then rejects calls with a clear error', async () => {
    const workflow = await newWorkflow(store());
    const run = await runningRun(store(), workflow);
    const queued = store().executions.append(appendOf(run, [stepSucceeded('a')]));
    await store().close();
    expect(await queued).toBe('stored');
    const rejected = { code: 'store_unavailable' };
    await expect(store().executions.accept(newExecution(workflow))).rejects.toMatchObject(rejected);
    await expect(store().workflows.byId(workflow.id)).rejects.toMatchObject(rejected);
    await expect(store().ping()).rejects.toMatchObject(rejected);
  });
}

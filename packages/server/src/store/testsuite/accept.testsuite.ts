import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, listen, newExecution, newWorkflow, start } from './world.ts';

/** Tests of accepting runs. */
export function acceptSentences(store: () => Store): void {
  test('an accepted run is pending, counted as open, and announced as claimable', async () => {
    const workflow = await newWorkflow(store());
    const notified = listen(store());
    const run = newExecution(workflow);
    expect(await store().executions.accept(run)).toEqual({ id: run.id, created: true });
    expect(notified).toEqual(['pending']);
    expect(await store().executions.openCount()).toBe(1);
    expect(await store().executions.byId(run.id)).toEqual({
      id: run.id,
      workflowId: workflow.id,
      ownerId: workflow.ownerId,
      workflowSlug: workflow.slug,
      workflowVersion: workflow.version,
      status: 'pending',
      failure: null,
      errorNodeId: null,
      triggerNodeId: 'start',
      parentExecutionId: null,
      replayOf: null,
      toNodeId: null,
      recording: null,
      recordedIn: null,
      isManual: false,
      acceptedAt: start,
      startedAt: null,
      completedAt: null,
      usage: { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 },
    });
  });

  idempotencySentences(store);
}

function idempotencySentences(store: () => Store): void {
  const keyed = { idempotency: { key: 'order-1042', bodyHash: 'a', since: start - 60_000 } };

  test('the same key starts nothing and returns the earlier run, ended or not', async () => {
    const workflow = await newWorkflow(store());
    const first = await store().executions.accept(newExecution(workflow, keyed));
    const notified = listen(store());
    const again = await store().executions.accept(newExecution(workflow, keyed));
    expect(again).toEqual({ id: first.id, created: false });
    const [run] = await claim(store());
    if (run !== undefined) await store().executions.append(appendOf(run, [completed()]));
    expect(await store().executions.accept(newExecution(workflow, keyed))).toEqual({ id: first.id, created: false });
    expect(notified).toEqual([]);
    expect(await store().executions.openCount()).toBe(0);
  });

  test('fifty accepts with one key in the same turn start one run', async () => {
    const workflow = await newWorkflow(store());
    const accepts = Array.from({ length: 50 }, () => store().executions.accept(newExecution(workflow, keyed)));
    const results = await Promise.all(accepts);
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(await store().executions.openCount()).toBe(1);
  });

  test('another workflow may use the same key', async () => {
    await store().executions.accept(newExecution(await newWorkflow(store()), keyed));
    const other = await store().executions.accept(newExecution(await newWorkflow(store()), keyed));
    expect(other.created).toBe(true);
  });

  test('a key that was last used too long ago does not block a new run, which then owns the key', async () => {
    const workflow = await newWorkflow(store());
    const old = await store().executions.accept(newExecution(workflow, keyed));
    const later = { idempotency: { key: 'order-1042', bodyHash: 'b', since: start + 1 }, at: start + 2 };
    const next = await store().executions.accept(newExecution(workflow, later));
    expect(next.created).toBe(true);
    expect(await store().executions.accept(newExecution(workflow, later))).toEqual({ id: next.id, created: false });
    expect(await store().executions.byId(old.id)).toMatchObject({ status: 'pending' });
  });

  test('the run of a key can be found without accepting another', async () => {
    const workflow = await newWorkflow(store());
    const find = (since: number, key = 'order-1042') =>
      store().executions.byIdempotencyKey({ workflowId: workflow.id, key, bodyHash: 'a', since });
    expect(await find(start)).toBeNull();
    const { id } = await store().executions.accept(newExecution(workflow, keyed));
    expect(await find(start)).toBe(id);
    expect(await find(start + 1)).toBeNull();
    expect(await find(start, 'other')).toBeNull();
  });

  test('the same key with another body is rejected, and stores nothing', async () => {
    const workflow = await newWorkflow(store());
    await store().executions.accept(newExecution(workflow, keyed));
    const other = { idempotency: { ...keyed.idempotency, bodyHash: 'b' } };
    const rejected = { code: 'idempotency_conflict', message: expect.stringContaining('use another key') };
    const workflowId = workflow.id;
    await expect(store().executions.byIdempotencyKey({ workflowId, ...other.idempotency })).rejects.toMatchObject(
      rejected,
    );
    await expect(store().executions.accept(newExecution(workflow, other))).rejects.toMatchObject(rejected);
    expect(await store().executions.openCount()).toBe(1);
  });

  test('of two bodies with one key in the same turn one starts a run', async () => {
    const workflow = await newWorkflow(store());
    const bodies = ['a', 'b'].map((bodyHash) => ({ idempotency: { ...keyed.idempotency, bodyHash } }));
    const accepts = bodies.map((body) => store().executions.accept(newExecution(workflow, body)));
    const results = await Promise.allSettled(accepts);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await store().executions.openCount()).toBe(1);
  });

  test('the key alone decides where a use has no hash of a body', async () => {
    const workflow = await newWorkflow(store());
    const first = await store().executions.accept(newExecution(workflow, keyed));
    const bare = { idempotency: { ...keyed.idempotency, bodyHash: null } };
    expect(await store().executions.accept(newExecution(workflow, bare))).toEqual({ id: first.id, created: false });
  });

  test('a use at the very start of the period still counts', async () => {
    const workflow = await newWorkflow(store());
    await store().executions.accept(newExecution(workflow, keyed));
    const edge = { idempotency: { key: 'order-1042', bodyHash: 'a', since: start } };
    expect((await store().executions.accept(newExecution(workflow, edge))).created).toBe(false);
  });
}

import type { Instant, Workflow } from '@millrace/core';
import { expect, test } from 'vitest';
import type { NewExecution } from '../executions.ts';
import type { Pruning } from '../retention.ts';
import type { Store } from '../store.ts';
import { appendOf, claim, newExecution, newWorkflow, start } from './world.ts';

const day = 86_400_000;

/** Tests of deleting old runs. */
export function retentionSentences(store: () => Store): void {
  runSentences(store);
  graphSentences(store);
}

/** The actions on runs that the tests use. */
function retentionActions(store: () => Store) {
  /** A run that was accepted and has ended at a given time. */
  async function ended(workflow: Workflow, at: Instant, fields: Partial<NewExecution> = {}): Promise<string> {
    const { id } = await store().executions.accept(newExecution(workflow, { at, ...fields }));
    await store().executions.cancel({ id, at });
    return id;
  }

  function prune(workflow: Workflow, fields: Partial<Pruning> = {}) {
    const never = { endedBefore: null, recentSince: start + 365 * day };
    const limits = { ...never, excess: 0, keysSince: start - day, limit: 100, after: null };
    return store().retention.prune({ workflowId: workflow.id, ...limits, ...fields });
  }

  async function left(workflow: Workflow): Promise<readonly string[]> {
    const filter = { visibleTo: workflow.ownerId, limit: 100, offset: 0 };
    const { items, total } = await store().executions.list(filter);
    expect(total).toBe(items.length);
    return items.map(({ id }) => id).reverse();
  }

  return { ended, prune, left };
}

function runSentences(store: () => Store): void {
  const { ended, prune, left } = retentionActions(store);

  test('runs that ended too long ago are deleted with all their data, and the counts are updated', async () => {
    const workflow = await newWorkflow(store());
    const old = await ended(workflow, start - 15 * day);
    const young = await ended(workflow, start - 13 * day);
    expect(await store().retention.endedRuns()).toContainEqual({ workflowId: workflow.id, ended: 2 });
    expect(await prune(workflow, { endedBefore: start - 14 * day })).toEqual({ removed: 1, next: null });
    expect(await left(workflow)).toEqual([young]);
    expect(await store().executions.detail(old)).toBeNull();
    expect(await store().retention.endedRuns()).toContainEqual({ workflowId: workflow.id, ended: 1 });
  });

  test('the oldest runs over the limit are deleted', async () => {
    const workflow = await newWorkflow(store());
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push(await ended(workflow, start + i));
    expect(await prune(workflow, { excess: 3 })).toEqual({ removed: 3, next: null });
    expect(await left(workflow)).toEqual(ids.slice(3));
  });

  test('runs that ended recently are kept although they are too many, and do not keep older ones', async () => {
    const workflow = await newWorkflow(store());
    const [old, recent] = [await ended(workflow, start), await ended(workflow, start + 2)];
    const { id: long } = await store().executions.accept(newExecution(workflow, { at: start + 1 }));
    await store().executions.cancel({ id: long, at: start + 3 });
    expect(await prune(workflow, { excess: 3, recentSince: start + 2 })).toEqual({ removed: 1, next: null });
    expect(await left(workflow)).toEqual([long, recent]);
    expect(await store().executions.detail(old)).toBeNull();
    expect(await prune(workflow, { endedBefore: start + 3, recentSince: start })).toMatchObject({ removed: 1 });
    expect(await left(workflow)).toEqual([long]);
  });

  test('pruning for a number ends at the first run that was accepted too recently', async () => {
    const workflow = await newWorkflow(store());
    for (let i = 0; i < 6; i += 1) await ended(workflow, start + i);
    const pruned = await prune(workflow, { excess: 6, recentSince: start + 2, limit: 3 });
    expect(pruned).toEqual({ removed: 2, next: null });
  });

  test('a run that has not ended is kept, however old, and does not prevent later ones from being deleted', async () => {
    const workflow = await newWorkflow(store());
    const { id: pending } = await store().executions.accept(newExecution(workflow, { at: start - 30 * day }));
    await store().executions.accept(newExecution(workflow, { at: start - 29 * day }));
    const [, running] = await claim(store());
    const { id: waiting } = await store().executions.accept(newExecution(workflow, { at: start - 28 * day }));
    const [parked] = await claim(store());
    if (parked === undefined || running === undefined) throw new Error('nothing was claimed');
    const park = { status: 'waiting', until: null } as const;
    await store().executions.append({ ...appendOf(parked, []), park });
    await ended(workflow, start - 27 * day);
    expect(await prune(workflow, { endedBefore: start - 14 * day, excess: 9 })).toMatchObject({ removed: 1 });
    expect(await left(workflow)).toEqual([pending, running.id, waiting]);
  });

  test('a run is kept until its parent has ended', async () => {
    const workflow = await newWorkflow(store());
    const { id: parent } = await store().executions.accept(newExecution(workflow, { at: start - 20 * day }));
    const child = await ended(workflow, start - 19 * day, { parent: { executionId: parent, depth: 1 } });
    expect(await prune(workflow, { endedBefore: start, excess: 9 })).toMatchObject({ removed: 0 });
    await store().executions.cancel({ id: parent, at: start - 18 * day });
    expect(await prune(workflow, { endedBefore: start })).toMatchObject({ removed: 2 });
    expect(await store().executions.byId(child)).toBeNull();
  });

  test('a run is kept while its idempotency key is valid', async () => {
    const workflow = await newWorkflow(store());
    const key = (name: string) => ({ idempotency: { key: name, bodyHash: null, since: 0 } });
    const fresh = await ended(workflow, start, key('1:fresh'));
    await ended(workflow, start - 2 * day, key('1:stale'));
    expect(await prune(workflow, { excess: 9 })).toMatchObject({ removed: 1 });
    expect(await left(workflow)).toEqual([fresh]);
  });

  test('a few runs are examined per call, and the next call continues from there', async () => {
    const workflow = await newWorkflow(store());
    for (let i = 0; i < 5; i += 1) await ended(workflow, start - 20 * day + i);
    const limits = { endedBefore: start - 14 * day, limit: 2 };
    const first = await prune(workflow, limits);
    expect(first).toMatchObject({ removed: 2, next: { id: expect.any(String) } });
    const second = await prune(workflow, { ...limits, after: first.next });
    expect(second).toMatchObject({ removed: 2 });
    expect(await prune(workflow, { ...limits, after: second.next })).toEqual({ removed: 1, next: null });
    expect(await left(workflow)).toEqual([]);
  });
}

function graphSentences(store: () => Store): void {
  const { ended, prune } = retentionActions(store);

  test('graphs that only deleted runs used are deleted, a few at a time; graphs of existing runs are kept', async () => {
    const workflow = await newWorkflow(store());
    const versions = [1, 2, 3, 4, 5];
    for (const version of versions) await ended({ ...workflow, version }, start + version);
    await ended({ ...workflow, version: 2 }, start + 9);
    await prune(workflow, { excess: 4 });
    const stored = async () => {
      const graphs = await Promise.all(
        versions.map((version) => store().graphs.pinned({ workflowId: workflow.id, version })),
      );
      return versions.filter((_, index) => graphs[index] !== null);
    };
    expect(await stored()).toEqual(versions);
    const forget = () => store().retention.pruneVersions({ workflowId: workflow.id, limit: 2 });
    expect([await forget(), await forget()]).toEqual([true, false]);
    expect(await stored()).toEqual([2, 5]);
  });

  test('a run is accepted for a version whose graph was deleted just before', async () => {
    const workflow = await newWorkflow(store());
    await ended(workflow, start);
    await prune(workflow, { excess: 1 });
    const { id: workflowId, version } = workflow;
    const fresh = newExecution(workflow);
    await Promise.all([
      store().retention.pruneVersions({ workflowId, limit: 2 }),
      store().executions.accept(fresh),
      store().executions.accept(newExecution(workflow)),
      store().retention.pruneVersions({ workflowId, limit: 2 }),
    ]);
    expect(await store().executions.byId(fresh.id)).toMatchObject({ status: 'pending' });
    expect(await store().graphs.pinned({ workflowId, version })).toEqual(fresh.graph);
  });
}

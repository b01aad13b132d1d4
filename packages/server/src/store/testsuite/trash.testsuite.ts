import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { claim, newExecution, newUser, newWorkflow, nodeFields, runningRun, start } from './world.ts';

/** Tests of deleted workflows. */
export function trashSentences(store: () => Store): void {
  listSentences(store);
  restoreSentences(store);
  purgeSentences(store);
}

/** A workflow with a graph, and the id of a deleted one. */
async function removed(store: Store, fields: Parameters<typeof newWorkflow>[1] = {}) {
  const workflow = await newWorkflow(store, fields);
  const changes = [{ kind: 'create_node', node: nodeFields('a') }] as const;
  await store.graphs.save({ workflowId: workflow.id, baseVersion: workflow.version, changes, at: start });
  await store.workflows.remove({ ids: [workflow.id], at: start + 100 });
  return workflow;
}

function listSentences(store: () => Store): void {
  test('holds the workflows that its owner deleted, the last one first, and none of other users', async () => {
    const { id: ownerId } = await newUser(store());
    const [first, second, live] = [
      await newWorkflow(store(), { ownerId }),
      await newWorkflow(store(), { ownerId }),
      await newWorkflow(store(), { ownerId }),
    ];
    const foreign = await removed(store());
    await store().workflows.remove({ ids: [second.id], at: start + 1 });
    await store().workflows.remove({ ids: [first.id], at: start + 2 });
    const page = { ownerId, limit: 10, offset: 0 };
    const items = [
      { ...first, deletedAt: start + 2 },
      { ...second, deletedAt: start + 1 },
    ];
    expect(await store().trash.list(page)).toEqual({ items, total: 2 });
    expect(await store().trash.list({ ...page, limit: 1, offset: 1 })).toEqual({ items: [items[1]], total: 2 });
    expect(await store().trash.find({ ownerId, id: first.id })).toEqual(items[0]);
    expect(await store().trash.find({ ownerId, id: live.id })).toBeNull();
    expect(await store().trash.find({ ownerId, id: foreign.id })).toBeNull();
  });
}

function restoreSentences(store: () => Store): void {
  test('restores a workflow with its graph and its versions, and counts it again', async () => {
    const { id, slug, ownerId } = await removed(store());
    const restored = await store().trash.restore({ id, slug, at: start + 200 });
    expect(restored).toMatchObject({ id, slug, nodeCount: 1, version: 2, updatedAt: start + 200 });
    expect(await store().workflows.bySlug(slug)).toEqual(restored);
    expect(await store().workflows.list({ visibleTo: ownerId, limit: 10, offset: 0 })).toEqual({
      items: [restored],
      total: 1,
    });
    expect((await store().graphs.load(id))?.nodes).toHaveLength(1);
    expect((await store().graphs.versions({ workflowId: id, limit: 1, offset: 0 })).total).toBe(2);
    expect((await store().trash.list({ ownerId, limit: 10, offset: 0 })).total).toBe(0);
    expect(await store().trash.restore({ id, slug, at: start })).toBe('missing');
  });

  test('does not restore a slug that is in use, but accepts another one', async () => {
    const { id, slug } = await removed(store());
    await newWorkflow(store(), { slug });
    expect(await store().trash.restore({ id, slug, at: start })).toBe('slug_taken');
    expect(await store().trash.restore({ id, slug: `${slug}-2`, at: start })).toMatchObject({ slug: `${slug}-2` });
  });

  test('restores the default as the default only if the owner has no other by now', async () => {
    const { id: ownerId } = await newUser(store());
    const first = await removed(store(), { ownerId, isDefault: true });
    const second = await removed(store(), { ownerId, isDefault: true });
    expect(await store().trash.restore({ ...first, at: start })).toMatchObject({ isDefault: true });
    expect(await store().trash.restore({ ...second, at: start })).toMatchObject({ isDefault: false });
  });
}

function purgeSentences(store: () => Store): void {
  test('deletes a workflow permanently only after all of its runs', async () => {
    const workflow = await newWorkflow(store());
    const ids = [];
    for (let index = 0; index < 5; index += 1) {
      ids.push((await store().executions.accept(newExecution(workflow))).id);
    }
    const kept = await store().executions.accept(
      newExecution(await newWorkflow(store(), { ownerId: workflow.ownerId })),
    );
    await store().workflows.remove({ ids: [workflow.id], at: start });
    const purge = () => store().trash.purge({ id: workflow.id, runs: 2, at: start });
    expect([await purge(), await purge(), await purge(), await purge(), await purge()]).toEqual([
      'more',
      'more',
      'more',
      'purged',
      'missing',
    ]);
    for (const id of ids) expect(await store().executions.byId(id)).toBeNull();
    const { items, total } = await store().executions.list({ visibleTo: workflow.ownerId, limit: 10, offset: 0 });
    expect([items.map(({ id }) => id), total]).toEqual([[kept.id], 1]);
    expect(await store().trash.find(workflow)).toBeNull();
  });

  test('ignores a live workflow', async () => {
    const { id } = await newWorkflow(store());
    expect(await store().trash.purge({ id, runs: 10, at: start })).toBe('missing');
    expect(await store().workflows.byId(id)).not.toBeNull();
  });

  test('removes a run from its owner, whose next append is rejected', async () => {
    const workflow = await newWorkflow(store());
    const run = await runningRun(store(), workflow);
    await store().workflows.remove({ ids: [workflow.id], at: start });
    while ((await store().trash.purge({ id: workflow.id, runs: 1, at: start })) === 'more');
    const append = { id: run.id, workflowId: workflow.id, epoch: run.epoch, afterSeq: 0, facts: [], events: [] };
    expect(await store().executions.append(append)).toBe('lost');
    expect(await store().executions.openCount()).toBe(0);
    expect(await claim(store())).toEqual([]);
  });

  test('removes a permanently deleted workflow as the error handler of others', async () => {
    const handler = await newWorkflow(store());
    const other = await newWorkflow(store(), { errorHandlerWorkflowId: handler.id });
    await store().workflows.bySlug(other.slug);
    await store().workflows.remove({ ids: [handler.id], at: start });
    await store().trash.purge({ id: handler.id, runs: 1, at: start });
    expect(await store().workflows.bySlug(other.slug)).toMatchObject({ errorHandlerWorkflowId: null });
  });
}

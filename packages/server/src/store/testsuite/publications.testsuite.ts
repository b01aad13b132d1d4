import { type Node, nodeConfig, type Published, type Workflow } from '@millrace/core';
import { expect, test } from 'vitest';
import type { GraphChange, NodeFields } from '../graphs.ts';
import type { Store } from '../store.ts';
import { newUser, newWorkflow, nodeFields, start, workflowFields } from './world.ts';

/** Tests of the version that triggers run. The store must have been opened with `everySoMany`. */
export function publicationSentences(store: () => Store): void {
  publishingSentences(store);
  storingSentences(store);
  pruningSentences(store);
  scheduleSentences(store);
}

const nobody = { authorId: null, note: null };

async function save(store: Store, { id: workflowId }: Workflow, changes: readonly GraphChange[]) {
  const baseVersion = (await store.graphs.load(workflowId))?.version ?? 0;
  const result = await store.graphs.save({ workflowId, baseVersion, changes, at: start });
  if (result === 'stale') throw new Error('the save was stale');
  return result;
}

/** Adds a node; returns the new version. */
async function edit(store: Store, workflow: Workflow, nodeId: string): Promise<number> {
  return (await save(store, workflow, [{ kind: 'create_node', node: nodeFields(nodeId) }])).version;
}

async function namesIn(store: Store, { id }: Workflow): Promise<readonly string[] | undefined> {
  return (await store.graphs.effective(id))?.nodes.map(({ nodeId }) => nodeId);
}

function publishingSentences(store: () => Store): void {
  test('a workflow is live at first: its effective version is always the newest', async () => {
    const workflow = await newWorkflow(store());
    expect(workflow.publishedVersion).toBeNull();
    await edit(store(), workflow, 'a');
    expect(await store().graphs.effective(workflow.id)).toEqual(await store().graphs.load(workflow.id));
    expect(await store().graphs.effective(999_999)).toBeNull();
  });

  test('a published version stays the effective one after later saves, until another is published', async () => {
    const workflow = await newWorkflow(store());
    const { id } = workflow;
    const second = await edit(store(), workflow, 'a');
    const graph = await store().graphs.load(id);
    const published = await store().workflows.publish({ id, version: second, ...nobody, at: start + 9 });
    expect(published).toMatchObject({ version: second, publishedVersion: second, updatedAt: start + 9 });
    expect(await store().workflows.byId(id)).toEqual(published);
    const third = await edit(store(), workflow, 'b');
    expect(await store().graphs.effective(id)).toEqual(graph);
    expect(await store().workflows.bySlug(workflow.slug)).toMatchObject({ version: third, publishedVersion: second });
    await store().workflows.publish({ id, version: third, ...nobody, at: start });
    expect(await namesIn(store(), workflow)).toEqual(['a', 'b']);
    await store().workflows.publish({ id, version: 1, ...nobody, at: start });
    expect(await namesIn(store(), workflow)).toEqual([]);
  });

  test('an unpublished workflow is live again', async () => {
    const workflow = await newWorkflow(store());
    const { id } = workflow;
    await store().workflows.publish({ id, version: 1, ...nobody, at: start });
    await edit(store(), workflow, 'a');
    expect(await store().workflows.unpublish({ id, at: start + 5 })).toMatchObject({ publishedVersion: null });
    expect(await namesIn(store(), workflow)).toEqual(['a']);
  });

  test('each change publishes workflow_updated; a change without effect does not update updatedAt', async () => {
    const workflow = await newWorkflow(store());
    const { id } = workflow;
    const events: Published[] = [];
    store().subscribe({ published: (published) => void events.push(...published) });
    const first = await store().workflows.publish({ id, version: 1, ...nobody, at: start + 5 });
    const second = await store().workflows.publish({ id, version: 1, ...nobody, note: 'Again', at: start + 9 });
    expect(second).toEqual(first);
    const third = await store().workflows.unpublish({ id, at: start + 10 });
    expect(await store().workflows.unpublish({ id, at: start + 20 })).toEqual(third);
    expect(third).toMatchObject({ updatedAt: start + 10 });
    expect(events.map(({ event }) => event)).toEqual(
      [first, second, third, third].map((updated) => ({ type: 'workflow_updated', workflow: updated })),
    );
  });
}

function storingSentences(store: () => Store): void {
  test('only a stored version of a stored workflow can be published', async () => {
    const { id } = await newWorkflow(store());
    for (const version of [0, -1, 2, 2 ** 50]) {
      expect(await store().workflows.publish({ id, version, ...nobody, at: start })).toBe('unknown_version');
    }
    expect(await store().workflows.publish({ id: 999_999, version: 1, ...nobody, at: start })).toBe('missing');
    expect(await store().workflows.unpublish({ id: 999_999, at: start })).toBe('missing');
    await store().workflows.remove({ ids: [id], at: start });
    expect(await store().workflows.publish({ id, version: 1, ...nobody, at: start })).toBe('missing');
    expect(await store().workflows.unpublish({ id, at: start })).toBe('missing');
  });

  test('the list of versions shows who last published each, when, and with which note', async () => {
    const user = await newUser(store());
    const workflow = await newWorkflow(store());
    const { id, id: workflowId } = workflow;
    await edit(store(), workflow, 'a');
    await store().workflows.publish({ id, version: 2, authorId: null, note: 'First', at: start });
    await store().workflows.publish({ id, version: 2, authorId: user.id, note: 'Second', at: start + 5 });
    const publication = { at: start + 5, author: user.username, note: 'Second' };
    const { items } = await store().graphs.versions({ workflowId, limit: 10, offset: 0 });
    expect(items.map((item) => item.publication)).toEqual([publication, null]);
    expect((await store().graphs.at({ workflowId, version: 2 }))?.info).toEqual(items[0]);
  });

  test('a workflow can be created and published in one transaction, and rewritten and published', async () => {
    const { id: ownerId } = await newUser(store());
    const changes = [{ kind: 'create_node', node: nodeFields('a') } as const];
    const publish = { authorId: ownerId, note: null };
    const workflow = await store().workflows.insert({ ...workflowFields(ownerId), changes, publish });
    if (workflow === 'slug_taken') throw new Error('the slug is taken');
    expect(workflow).toMatchObject({ version: 2, publishedVersion: 2 });
    const more = [{ kind: 'create_node', node: nodeFields('b') } as const];
    const rewrite = { workflowId: workflow.id, changes: more, at: start, publish };
    expect(await store().workflows.rewrite({ ...rewrite, baseVersion: 1 })).toBe('stale');
    expect(await namesIn(store(), workflow)).toEqual(['a']);
    await store().workflows.rewrite({ ...rewrite, baseVersion: 2 });
    expect(await namesIn(store(), workflow)).toEqual(['a', 'b']);
    expect(await store().workflows.byId(workflow.id)).toMatchObject({ version: 3, publishedVersion: 3 });
  });

  test('a workflow in the trash keeps its published version', async () => {
    const workflow = await newWorkflow(store());
    const { id, slug } = workflow;
    await store().workflows.publish({ id, version: 1, ...nobody, at: start });
    await edit(store(), workflow, 'a');
    await store().workflows.remove({ ids: [id], at: start });
    expect(await store().graphs.effective(id)).toBeNull();
    expect(await store().trash.restore({ id, slug, at: start })).toMatchObject({ publishedVersion: 1, version: 2 });
    expect(await namesIn(store(), workflow)).toEqual([]);
    await store().workflows.remove({ ids: [id], at: start });
    expect(await store().trash.purge({ id, runs: 10, at: start })).toBe('purged');
  });
}

/** Enough versions for the oldest to be pruned. */
async function saveMany(store: Store, workflow: Workflow): Promise<void> {
  const { id: workflowId } = workflow;
  const { saved, version: first } = await save(store, workflow, [{ kind: 'create_node', node: nodeFields('many') }]);
  const node = saved[0] as Node;
  const saves = Array.from({ length: 2_200 }, (_, index) => {
    const changes: readonly GraphChange[] = [{ kind: 'update_node', id: node.id, node: { ...node, positionX: index } }];
    return store.graphs.save({ workflowId, baseVersion: first + index, changes, at: start });
  });
  expect(await Promise.all(saves)).not.toContain('stale');
}

function pruningSentences(store: () => Store): void {
  test('the published version is never pruned; once another is published, it is deleted', async () => {
    const workflow = await newWorkflow(store());
    const { id, id: workflowId } = workflow;
    const version = await edit(store(), workflow, 'a');
    await store().workflows.publish({ id, version: 1, ...nobody, at: start });
    await store().workflows.publish({ id, version, ...nobody, note: 'Kept', at: start });
    await edit(store(), workflow, 'b');
    await saveMany(store(), workflow);
    expect(await store().graphs.at({ workflowId, version: 1 })).toBeNull();
    expect(await store().graphs.at({ workflowId, version: version + 1 })).toBeNull();
    const { info, graph } = (await store().graphs.at({ workflowId, version })) ?? {};
    expect(info).toMatchObject({ version, publication: { note: 'Kept' }, nodes: { created: 1 } });
    expect(graph?.nodes.map(({ nodeId }) => nodeId)).toEqual(['a']);
    expect(await namesIn(store(), workflow)).toEqual(['a']);
    const { total } = await store().graphs.versions({ workflowId, limit: 1, offset: 0 });
    const end = await store().graphs.versions({ workflowId, limit: 2, offset: total - 2 });
    expect(end.items.map((item) => item.version)).toEqual([expect.any(Number), version]);
    const oldest = end.items[0]?.version ?? 0;
    expect((await store().graphs.versions({ workflowId, limit: 5, offset: total })).items).toEqual([]);
    // The published version is stored, so it may be published again.
    expect(await store().workflows.publish({ id, version, ...nobody, at: start })).toMatchObject({ id });
    await store().workflows.publish({ id, version: oldest, ...nobody, at: start });
    expect(await store().graphs.at({ workflowId, version })).toBeNull();
    expect(await store().graphs.versions({ workflowId, limit: 1, offset: 0 })).toMatchObject({ total: total - 1 });
    expect(await store().workflows.publish({ id, version, ...nobody, at: start })).toBe('unknown_version');
  });

  test('a purge deletes a published version whose neighbours were pruned', async () => {
    const workflow = await newWorkflow(store());
    const { id } = workflow;
    await store().workflows.publish({ id, version: 1, ...nobody, at: start });
    await saveMany(store(), workflow);
    await store().workflows.remove({ ids: [id], at: start });
    expect(await store().trash.purge({ id, runs: 10, at: start })).toBe('purged');
  });

  test('retention keeps the graph of the published version even if no run uses it', async () => {
    const workflow = await newWorkflow(store());
    const { id, id: workflowId } = workflow;
    await store().workflows.publish({ id, version: 1, ...nobody, at: start });
    await edit(store(), workflow, 'a');
    await store().workflows.publish({ id, version: 2, ...nobody, at: start });
    await store().retention.pruneVersions({ workflowId, limit: 10 });
    expect(await store().graphs.pinned({ workflowId, version: 1 })).toBeNull();
    expect(await store().graphs.pinned({ workflowId, version: 2 })).not.toBeNull();
    await edit(store(), workflow, 'b');
    expect(await namesIn(store(), workflow)).toEqual(['a']);
    await store().workflows.unpublish({ id, at: start });
    await store().retention.pruneVersions({ workflowId, limit: 10 });
    expect(await store().graphs.pinned({ workflowId, version: 2 })).toBeNull();
  });
}

const second = 1000;
/** Times of schedules are whole milliseconds. */
const from = Math.floor(start);

function everyFields(seconds: number): NodeFields {
  const config = nodeConfig.parse({ extra_config: { interval_seconds: seconds } });
  return { ...nodeFields('tick'), componentType: 'trigger_schedule', config };
}

function scheduleSentences(store: () => Store): void {
  const next = async ({ id }: Workflow) =>
    (await store().schedules.ofWorkflow(id)).map(({ nextFireAt }) => (nextFireAt ?? 0) - from);

  test('schedules follow the published version, not the draft', async () => {
    const workflow = await newWorkflow(store());
    const { id } = workflow;
    const { saved } = await save(store(), workflow, [{ kind: 'create_node', node: everyFields(60) }]);
    const tick = saved[0] as Node;
    await store().workflows.publish({ id, version: 2, ...nobody, at: start });
    await save(store(), workflow, [{ kind: 'update_node', id: tick.id, node: everyFields(10) }]);
    expect(await next(workflow)).toEqual([60 * second]);
    await save(store(), workflow, [{ kind: 'delete_node', id: tick.id, nodeId: 'tick' }]);
    await save(store(), workflow, [{ kind: 'create_node', node: { ...everyFields(5), nodeId: 'other' } }]);
    expect(await next(workflow)).toEqual([60 * second]);
    await store().workflows.publish({ id, version: 3, ...nobody, at: start });
    expect(await next(workflow)).toEqual([10 * second]);
    await store().workflows.publish({ id, version: 4, ...nobody, at: start });
    expect(await next(workflow)).toEqual([]);
    await store().workflows.unpublish({ id, at: start });
    expect(await next(workflow)).toEqual([5 * second]);
    expect(await store().schedules.earliest()).toBe(from + 5 * second);
  });

  test('a schedule that two versions share keeps its rhythm and its state when the second is published', async () => {
    const workflow = await newWorkflow(store());
    const { id } = workflow;
    const { saved } = await save(store(), workflow, [{ kind: 'create_node', node: everyFields(60) }]);
    const tick = saved[0] as Node;
    await store().workflows.publish({ id, version: 2, ...nobody, at: start });
    await edit(store(), workflow, 'a');
    await store().workflows.publish({ id, version: 3, ...nobody, at: start + 30 * second });
    expect(await next(workflow)).toEqual([60 * second]);
    await store().schedules.setState({ id: tick.id, state: 'paused', at: start + 31 * second });
    await store().workflows.publish({ id, version: 2, ...nobody, at: start + 40 * second });
    expect(await store().schedules.ofWorkflow(id)).toMatchObject([{ state: 'paused', nextFireAt: null }]);
  });

  test('the event of a draft node shows its schedule in the published version', async () => {
    const workflow = await newWorkflow(store());
    const { saved } = await save(store(), workflow, [{ kind: 'create_node', node: everyFields(60) }]);
    const tick = saved[0] as Node;
    await store().workflows.publish({ id: workflow.id, version: 2, ...nobody, at: start });
    const events: Published[] = [];
    store().subscribe({ published: (published) => void events.push(...published) });
    await save(store(), workflow, [{ kind: 'update_node', id: tick.id, node: everyFields(10) }]);
    await save(store(), workflow, [{ kind: 'create_node', node: { ...everyFields(5), nodeId: 'other' } }]);
    expect(events.map(({ event }) => event)).toMatchObject([
      { type: 'node_updated', schedule: { nextFireAt: from + 60 * second } },
      { type: 'node_created' },
    ]);
    expect(events[1]?.event).not.toHaveProperty('schedule');
  });

  test('a published schedule whose node was removed from the draft can be paused, and publishes no node event', async () => {
    const workflow = await newWorkflow(store());
    const { saved } = await save(store(), workflow, [{ kind: 'create_node', node: everyFields(60) }]);
    const tick = saved[0] as Node;
    await store().workflows.publish({ id: workflow.id, version: 2, ...nobody, at: start });
    await save(store(), workflow, [{ kind: 'delete_node', id: tick.id, nodeId: 'tick' }]);
    const events: Published[] = [];
    store().subscribe({ published: (published) => void events.push(...published) });
    expect(await store().schedules.setState({ id: tick.id, state: 'paused', at: start })).toMatchObject({
      state: 'paused',
    });
    expect(events).toEqual([]);
    expect(await store().schedules.earliest()).toBeNull();
  });
}

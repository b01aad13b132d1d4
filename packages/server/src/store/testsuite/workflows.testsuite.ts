import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { claim, listen, newExecution, newUser, newWorkflow, nodeFields, start, workflowFields } from './world.ts';

/** Tests of workflows. */
export function workflowSentences(store: () => Store): void {
  storingSentences(store);
  rewriteSentences(store);
  freshnessSentences(store);
  slugSentences(store);
  defaultSentences(store);
  listSentences(store);
  removalSentences(store);
  textSentences(store);
}

function textSentences(store: () => Store): void {
  test('the text of a workflow is replaced, belongs to that workflow, and is deleted with it', async () => {
    const { workflowTexts, workflows, trash } = store();
    const [one, other] = [await newWorkflow(store()), await newWorkflow(store())];
    expect(await workflowTexts.read(one.id)).toBeNull();
    for (const text of ['# first', '# second']) await workflowTexts.write({ workflowId: one.id, text, at: start });
    expect(await workflowTexts.read(one.id)).toBe('# second');
    expect(await workflowTexts.read(other.id)).toBeNull();
    await workflows.remove({ ids: [one.id], at: start });
    expect(await trash.purge({ id: one.id, runs: 100, at: start })).toBe('purged');
    expect(await workflowTexts.read(one.id)).toBeNull();
    await workflowTexts.write({ workflowId: one.id, text: '# late', at: start });
    expect(await workflowTexts.read(one.id)).toBeNull();
  });
}

function storingSentences(store: () => Store): void {
  test('a workflow is read back as it was stored', async () => {
    const { id: ownerId } = await newUser(store());
    const { at, ...fields } = {
      ...workflowFields(ownerId),
      description: 'Änderungen & "quotes"',
      isActive: false,
      isPublic: true,
      mcp: true,
      tags: ['a', 'b'],
      inputSchema: { type: 'object', properties: { ['__proto__']: { type: 'number' } } },
      outputSchema: {},
      concurrency: 3,
    };
    const workflow = await store().workflows.insert({ ...fields, at });
    const counts = { nodeCount: 0, edgeCount: 0, version: expect.any(Number), publishedVersion: null };
    expect(workflow).toEqual({ ...fields, ...counts, id: expect.any(Number), createdAt: start, updatedAt: start });
    expect(await store().workflows.bySlug(fields.slug)).toEqual(workflow);
  });

  test('a workflow and its first graph are stored together or not at all', async () => {
    const { id: ownerId } = await newUser(store());
    const batches: number[] = [];
    store().subscribe({ published: (published) => void batches.push(published.length) });
    const model = { ...nodeFields('model'), componentType: 'ai_model' };
    const temporaryId = 2 ** 52;
    const user = { ...nodeFields('user'), config: { llm_model_config_id: temporaryId } };
    const changes = [
      { kind: 'create_node', node: model, id: temporaryId } as const,
      { kind: 'create_node', node: user, id: temporaryId + 1 } as const,
    ];
    const workflow = await store().workflows.insert({ ...workflowFields(ownerId), slug: 'whole', changes });
    expect(workflow).toMatchObject({ nodeCount: 2, edgeCount: 0, version: 2 });
    expect(await store().workflows.bySlug('whole')).toEqual(workflow);
    if (workflow === 'slug_taken') return;
    const graph = await store().graphs.load(workflow.id);
    const [first, second] = graph?.nodes ?? [];
    expect(second?.config).toEqual({ llm_model_config_id: first?.id });
    expect(batches).toEqual([2]);
    const broken = [...changes, { kind: 'create_node', node: model } as const];
    const half = store().workflows.insert({ ...workflowFields(ownerId), slug: 'half', changes: broken });
    await expect(half).rejects.toThrow();
    expect(await store().workflows.bySlug('half')).toBeNull();
    expect((await store().workflows.list({ visibleTo: ownerId, limit: 10, offset: 0 })).total).toBe(1);
  });

  test('an update changes only the given fields, updates updated_at and publishes the workflow', async () => {
    const workflow = await newWorkflow(store(), { tags: ['old'] });
    const events: unknown[] = [];
    store().subscribe({ published: (published) => void events.push(...published) });
    const changes = { name: 'Renamed', tags: null };
    const updated = await store().workflows.update({ id: workflow.id, changes, at: start + 7 });
    expect(updated).toEqual({ ...workflow, ...changes, updatedAt: start + 7 });
    expect(await store().workflows.byId(workflow.id)).toEqual(updated);
    expect(events).toEqual([{ workflowId: workflow.id, event: { type: 'workflow_updated', workflow: updated } }]);
  });

  test('updated_at increases even if the clock does not', async () => {
    const { id } = await newWorkflow(store());
    const seen = new Set([start]);
    for (const name of ['a', 'b', 'c']) {
      const updated = await store().workflows.update({ id, changes: { name }, at: start - 1000 });
      seen.add(typeof updated === 'string' ? 0 : updated.updatedAt);
    }
    expect(seen.size).toBe(4);
    expect([...seen]).toEqual([...seen].sort((a, b) => a - b));
  });

  test('a workflow that does not exist cannot be updated', async () => {
    expect(await store().workflows.update({ id: 99, changes: { name: 'x' }, at: start })).toBe('missing');
  });
}

function rewriteSentences(store: () => Store): void {
  test('a rewrite changes a workflow and its graph together, or neither if the graph has changed', async () => {
    const { id: workflowId, version } = await newWorkflow(store());
    const received = listen(store());
    const changes = [{ kind: 'create_node', node: nodeFields('a') } as const];
    const rewrite = (baseVersion: number, more = changes) =>
      store().workflows.rewrite({ workflowId, baseVersion, changes: more, fields: { name: 'Other' }, at: start + 5 });
    expect(await rewrite(version + 1)).toBe('stale');
    expect(await store().workflows.byId(workflowId)).toMatchObject({ name: workflowFields(1).name, version });
    const saved = await rewrite(version);
    expect(saved).toMatchObject({ version: version + 1, saved: [{ nodeId: 'a' }] });
    const after = await store().workflows.byId(workflowId);
    expect(after).toMatchObject({ name: 'Other', version: version + 1, nodeCount: 1 });
    expect(await store().workflows.bySlug(after?.slug ?? '')).toEqual(after);
    expect(received).toEqual(['workflow_updated', 'node_created']);
    expect(await rewrite(version + 1, [])).toEqual({ version: version + 1, saved: [] });
    const broken = store().workflows.rewrite({
      workflowId,
      baseVersion: version + 1,
      changes,
      fields: { name: 'Half' },
      at: start + 6,
    });
    await expect(broken).rejects.toThrow();
    expect(await store().workflows.byId(workflowId)).toMatchObject({ name: 'Other', version: version + 1 });
    expect(await store().workflows.rewrite({ workflowId: 999, baseVersion: 1, changes, fields: {}, at: start })).toBe(
      'stale',
    );
  });
}

function freshnessSentences(store: () => Store): void {
  test('a read by slug is never older than the last change, however often it was read before', async () => {
    const { id: ownerId } = await newUser(store());
    const first = await newWorkflow(store(), { ownerId, isDefault: true });
    const read = () => store().workflows.bySlug(first.slug);
    expect(await read()).toEqual(first);
    const renamed = await store().workflows.update({ id: first.id, changes: { name: 'New' }, at: start + 1 });
    expect(await read()).toEqual(renamed);
    const changes = [{ kind: 'create_node', node: nodeFields('a') }] as const;
    await store().graphs.save({ workflowId: first.id, baseVersion: first.version, changes, at: start + 2 });
    expect(await read()).toEqual(await store().workflows.byId(first.id));
    expect(await read()).toMatchObject({ version: first.version + 1, nodeCount: 1 });
    await newWorkflow(store(), { ownerId, isDefault: true });
    expect(await read()).toMatchObject({ isDefault: false });
    await store().workflows.update({ id: first.id, changes: { slug: 'elsewhere' }, at: start + 3 });
    expect(await read()).toBeNull();
    expect(await store().workflows.bySlug('elsewhere')).toMatchObject({ id: first.id });
    await store().workflows.remove({ ids: [first.id], at: start + 4 });
    expect(await store().workflows.bySlug('elsewhere')).toBeNull();
  });
}

function slugSentences(store: () => Store): void {
  test('a slug belongs to one live workflow, on insert and on update', async () => {
    const existing = await newWorkflow(store(), { slug: 'orders' });
    const other = await newWorkflow(store());
    const again = await store().workflows.insert({ ...workflowFields(existing.ownerId), slug: 'orders' });
    expect(again).toBe('slug_taken');
    const rename = { id: other.id, changes: { slug: 'orders' }, at: start };
    expect(await store().workflows.update(rename)).toBe('slug_taken');
    expect((await store().workflows.bySlug('orders'))?.id).toBe(existing.id);
    expect(await store().workflows.byId(other.id)).toEqual(other);
  });

  test('an update may keep its own slug', async () => {
    const { id, slug } = await newWorkflow(store());
    expect(await store().workflows.update({ id, changes: { slug }, at: start })).toMatchObject({ id, slug });
  });

  test('of two inserts of one slug in the same turn one succeeds', async () => {
    const fields = workflowFields((await newUser(store())).id);
    const results = await Promise.all([store().workflows.insert(fields), store().workflows.insert(fields)]);
    expect(results.filter((result) => result === 'slug_taken')).toHaveLength(1);
  });

  test("a deleted workflow's slug is free again", async () => {
    const removed = await newWorkflow(store(), { slug: 'orders' });
    await store().workflows.remove({ ids: [removed.id], at: start });
    const next = await newWorkflow(store(), { slug: 'orders' });
    expect(next.id).not.toBe(removed.id);
    expect(await store().workflows.bySlug('orders')).toEqual(next);
    await store().workflows.remove({ ids: [next.id], at: start });
    expect(await store().workflows.bySlug('orders')).toBeNull();
  });
}

function defaultSentences(store: () => Store): void {
  test('an owner has at most one default, and the previous one is published as changed', async () => {
    const first = await newWorkflow(store(), { isDefault: true });
    const second = await newWorkflow(store(), { ownerId: first.ownerId });
    const foreign = await newWorkflow(store(), { isDefault: true });
    const events: unknown[] = [];
    store().subscribe({ published: (published) => void events.push(...published.map(({ workflowId }) => workflowId)) });
    await store().workflows.update({ id: second.id, changes: { isDefault: true }, at: start + 1 });
    expect(await store().workflows.byId(first.id)).toMatchObject({ isDefault: false, updatedAt: start + 1 });
    expect(await store().workflows.byId(second.id)).toMatchObject({ isDefault: true });
    expect(await store().workflows.byId(foreign.id)).toEqual(foreign);
    expect(events).toEqual([first.id, second.id]);
  });

  test('a new default replaces the previous one', async () => {
    const first = await newWorkflow(store(), { isDefault: true });
    const second = await newWorkflow(store(), { ownerId: first.ownerId, isDefault: true });
    expect(second.isDefault).toBe(true);
    expect(await store().workflows.byId(first.id)).toMatchObject({ isDefault: false });
  });
}

function listSentences(store: () => Store): void {
  test("an owner's live workflows are listed newest first, page by page, with their total", async () => {
    const { id: ownerId } = await newUser(store());
    const oldest = await newWorkflow(store(), { ownerId, at: start - 1 });
    const [a, b] = [await newWorkflow(store(), { ownerId }), await newWorkflow(store(), { ownerId })];
    const newest = await newWorkflow(store(), { ownerId, at: start + 1 });
    const removed = await newWorkflow(store(), { ownerId });
    await newWorkflow(store());
    await store().workflows.remove({ ids: [removed.id], at: start });
    const list = (limit: number, offset: number) => store().workflows.list({ visibleTo: ownerId, limit, offset });
    expect(await list(50, 0)).toEqual({ items: [newest, b, a, oldest], total: 4 });
    expect(await list(2, 1)).toEqual({ items: [b, a], total: 4 });
    expect(await list(2, 4)).toEqual({ items: [], total: 4 });
  });

  test('a user without workflows has an empty list', async () => {
    const { id } = await newUser(store());
    expect(await store().workflows.list({ visibleTo: id, limit: 10, offset: 0 })).toEqual({ items: [], total: 0 });
  });

  test('the active workflows with mcp that a user owns or edits are listed in the order of their ids', async () => {
    const { id: editableBy } = await newUser(store());
    const own = await newWorkflow(store(), { ownerId: editableBy, mcp: true });
    await newWorkflow(store(), { ownerId: editableBy });
    await newWorkflow(store(), { ownerId: editableBy, mcp: true, isActive: false });
    const removed = await newWorkflow(store(), { ownerId: editableBy, mcp: true });
    await store().workflows.remove({ ids: [removed.id], at: start });
    const shared = await newWorkflow(store(), { mcp: true });
    const shown = await newWorkflow(store(), { mcp: true });
    await store().collaborators.insert({ workflowId: shared.id, userId: editableBy, role: 'editor', at: start });
    await store().collaborators.insert({ workflowId: shown.id, userId: editableBy, role: 'viewer', at: start });
    const tools = (after: number, limit: number) => store().workflows.tools({ editableBy, after, limit });
    expect(await tools(0, 10)).toEqual([own, shared]);
    expect(await tools(0, 1)).toEqual([own]);
    expect(await tools(own.id, 10)).toEqual([shared]);
  });
}

function removalSentences(store: () => Store): void {
  test('a deleted workflow does not exist for any reader', async () => {
    const { id, slug, version } = await newWorkflow(store());
    await store().workflows.remove({ ids: [id], at: start });
    expect(await store().workflows.bySlug(slug)).toBeNull();
    expect(await store().workflows.byId(id)).toBeNull();
    expect(await store().graphs.load(id)).toBeNull();
    expect(await store().workflows.update({ id, changes: { name: 'x' }, at: start })).toBe('missing');
    const save = { workflowId: id, baseVersion: version, changes: [], at: start };
    expect(await store().graphs.save(save)).toBe('stale');
  });

  test('unknown and already deleted ids are ignored', async () => {
    const { id, ownerId } = await newWorkflow(store());
    await store().workflows.remove({ ids: [id, 99], at: start });
    await store().workflows.remove({ ids: [id, id], at: start });
    expect((await store().workflows.list({ visibleTo: ownerId, limit: 10, offset: 0 })).total).toBe(0);
  });

  test('deletion cancels pending runs, asks running ones to stop, and ignores those of other workflows', async () => {
    const workflow = await newWorkflow(store());
    const running = await store().executions.accept(newExecution(workflow));
    await claim(store());
    const pending = await store().executions.accept(newExecution(workflow));
    const foreign = await store().executions.accept(newExecution(await newWorkflow(store())));
    const notified = listen(store());
    await store().workflows.remove({ ids: [workflow.id], at: start });
    expect(notified).toEqual([`cancel ${running.id}`, 'execution_cancelled']);
    expect(await store().executions.byId(pending.id)).toMatchObject({ status: 'cancelled', ownerId: workflow.ownerId });
    expect(await store().executions.byId(running.id)).toMatchObject({ status: 'running' });
    expect(await store().executions.byId(foreign.id)).toMatchObject({ status: 'pending' });
    expect(await store().executions.openCount()).toBe(2);
  });

  test('no run is accepted for a deleted workflow', async () => {
    const workflow = await newWorkflow(store());
    await store().workflows.remove({ ids: [workflow.id], at: start });
    await expect(store().executions.accept(newExecution(workflow))).rejects.toMatchObject({ code: 'not_found' });
    expect(await store().executions.openCount()).toBe(0);
  });
}

import { firstNewId, type LiveEvent } from '@millrace/core';
import { expect, test } from 'vitest';
import type { EdgeFields, GraphChange, SavedGraph } from '../graphs.ts';
import type { Store } from '../store.ts';
import { listen, newExecution, newWorkflow, nodeFields, start } from './world.ts';

/** Tests of graphs. */
export function graphSentences(store: () => Store): void {
  savingSentences(store);
  temporaryIdSentences(store);
  versionSentences(store);
  pinningSentences(store);
}

const edge: EdgeFields = {
  sourceNodeId: 'a',
  targetNodeId: 'b',
  edgeType: 'conditional',
  edgeLabel: '',
  conditionMapping: { ['__proto__']: 'b', other: '__end__' },
  conditionValue: 'yes',
  priority: -2,
};

const createAll: readonly GraphChange[] = [
  { kind: 'create_node', node: nodeFields('a') },
  {
    kind: 'create_node',
    node: { ...nodeFields('b'), label: 'B', isEntryPoint: true, subworkflowId: 4, codeBlockId: 5 },
  },
  { kind: 'create_edge', edge },
];

/** The ids that a save returned, in the order of its changes. */
function idsOf(result: SavedGraph | 'stale'): number[] {
  if (result === 'stale') throw new Error('the save was stale');
  return result.saved.map((object) => object?.id ?? 0);
}

function savingSentences(store: () => Store): void {
  test('a new workflow has an empty graph at its version; an unknown one has none', async () => {
    const { id, version } = await newWorkflow(store());
    expect(await store().graphs.load(id)).toEqual({ version, nodes: [], edges: [] });
    expect(await store().graphs.load(id + 1)).toBeNull();
  });

  test('created objects are read back unchanged, and the counts, the version and updated_at are updated', async () => {
    const workflow = await newWorkflow(store());
    const { id: workflowId, version } = workflow;
    const result = await store().graphs.save({ workflowId, baseVersion: version, changes: createAll, at: start + 5 });
    const graph = await store().graphs.load(workflowId);
    expect(graph?.version).toBe(version + 1);
    expect(graph?.nodes).toEqual([
      { ...nodeFields('a'), id: expect.any(Number), updatedAt: start + 5 },
      expect.objectContaining({ nodeId: 'b', label: 'B', isEntryPoint: true, subworkflowId: 4, codeBlockId: 5 }),
    ]);
    expect(graph?.edges).toEqual([{ ...edge, id: expect.any(Number) }]);
    expect(result).toEqual({ version: version + 1, saved: [...(graph?.nodes ?? []), ...(graph?.edges ?? [])] });
    const after = { ...workflow, nodeCount: 2, edgeCount: 1, version: version + 1, updatedAt: start + 5 };
    expect(await store().workflows.byId(workflowId)).toEqual(after);
  });

  test('objects are updated and deleted by id, and each change publishes its event in order', async () => {
    const { id: workflowId, version } = await newWorkflow(store());
    const created = await store().graphs.save({ workflowId, baseVersion: version, changes: createAll, at: start });
    const [a = 0, b = 0, e = 0] = idsOf(created);
    const events: LiveEvent[] = [];
    store().subscribe({ published: (published) => void events.push(...published.map(({ event }) => event)) });
    const changes: readonly GraphChange[] = [
      { kind: 'update_node', id: a, node: nodeFields('renamed') },
      { kind: 'update_edge', id: e, edge: { ...edge, sourceNodeId: 'renamed', conditionMapping: null } },
      { kind: 'delete_edge', id: e },
      { kind: 'delete_node', id: b, nodeId: 'b' },
      { kind: 'create_edge', edge },
    ];
    const result = await store().graphs.save({ workflowId, baseVersion: version + 1, changes, at: start });
    const graph = await store().graphs.load(workflowId);
    expect(graph?.nodes).toEqual([expect.objectContaining({ id: a, nodeId: 'renamed' })]);
    expect(graph?.edges).toHaveLength(1);
    const updatedEdge = { ...edge, id: e, sourceNodeId: 'renamed', conditionMapping: null };
    expect(events).toEqual([
      { type: 'node_updated', version: version + 2, node: graph?.nodes[0] },
      { type: 'edge_updated', version: version + 2, edge: updatedEdge },
      { type: 'edge_deleted', version: version + 2, id: e },
      { type: 'node_deleted', version: version + 2, nodeId: 'b' },
      { type: 'edge_created', version: version + 2, edge: graph?.edges[0] },
    ]);
    expect(result).toMatchObject({ saved: [graph?.nodes[0], updatedEdge, null, null, graph?.edges[0]] });
    expect(await store().workflows.byId(workflowId)).toMatchObject({ nodeCount: 1, edgeCount: 1 });
  });

  test('the id of a deleted object is never reused', async () => {
    const { id: workflowId, version } = await newWorkflow(store());
    const createEdge: readonly GraphChange[] = [{ kind: 'create_edge', edge }];
    const [first = 0] = idsOf(
      await store().graphs.save({ workflowId, baseVersion: version, changes: createEdge, at: start }),
    );
    const replace: readonly GraphChange[] = [{ kind: 'delete_edge', id: first }, ...createEdge];
    const [, second] = idsOf(
      await store().graphs.save({ workflowId, baseVersion: version + 1, changes: replace, at: start }),
    );
    expect(second).not.toBe(first);
  });
}

function temporaryIdSentences(store: () => Store): void {
  test('later changes of a save can refer to its new objects by temporary ids, also as the model of a config', async () => {
    const { id: workflowId, version: baseVersion } = await newWorkflow(store());
    const [model, ai, link] = [firstNewId, firstNewId + 1, firstNewId + 2];
    const linked = { ...nodeFields('ai'), config: { llm_model_config_id: model } };
    const changes: readonly GraphChange[] = [
      { kind: 'create_node', node: nodeFields('model'), id: model },
      { kind: 'create_node', node: nodeFields('ai'), id: ai },
      { kind: 'update_node', id: ai, node: linked },
      { kind: 'create_edge', edge, id: link },
      { kind: 'update_edge', id: link, edge: { ...edge, priority: 7 } },
      { kind: 'create_edge', edge, id: firstNewId + 3 },
      { kind: 'delete_edge', id: firstNewId + 3 },
    ];
    const result = await store().graphs.save({ workflowId, baseVersion, changes, at: start });
    const graph = await store().graphs.load(workflowId);
    const [modelId] = idsOf(result);
    expect(graph?.nodes).toMatchObject([{ id: modelId }, { nodeId: 'ai', config: { llm_model_config_id: modelId } }]);
    expect(graph?.edges).toEqual([{ ...edge, priority: 7, id: expect.any(Number) }]);
    expect(result).toMatchObject({ saved: [{}, {}, graph?.nodes[1], {}, graph?.edges[0], {}, null] });
  });
}

function versionSentences(store: () => Store): void {
  test('a save based on an old version changes nothing and publishes nothing', async () => {
    const { id: workflowId, version } = await newWorkflow(store());
    await store().graphs.save({ workflowId, baseVersion: version, changes: createAll, at: start });
    const before = [await store().graphs.load(workflowId), await store().workflows.byId(workflowId)];
    const notified = listen(store());
    const stale = { workflowId, baseVersion: version, changes: createAll, at: start };
    expect(await store().graphs.save(stale)).toBe('stale');
    expect([await store().graphs.load(workflowId), await store().workflows.byId(workflowId)]).toEqual(before);
    expect(notified).toEqual([]);
  });

  test('of two saves on one version in the same turn the first wins', async () => {
    const { id: workflowId, version: baseVersion } = await newWorkflow(store());
    const save = (nodeId: string) => {
      const changes: readonly GraphChange[] = [{ kind: 'create_node', node: nodeFields(nodeId) }];
      return store().graphs.save({ workflowId, baseVersion, changes, at: start });
    };
    const [first, second] = await Promise.all([save('a'), save('b')]);
    expect(first).toMatchObject({ version: baseVersion + 1 });
    expect(second).toBe('stale');
    expect((await store().graphs.load(workflowId))?.nodes.map((node) => node.nodeId)).toEqual(['a']);
  });

  test('updated_at increases with each save, even if the clock stands still', async () => {
    const { id: workflowId, version } = await newWorkflow(store());
    let last = start;
    for (const baseVersion of [version, version + 1, version + 2]) {
      await store().graphs.save({ workflowId, baseVersion, changes: [], at: start });
      const updatedAt = (await store().workflows.byId(workflowId))?.updatedAt ?? 0;
      expect(updatedAt).toBeGreaterThan(last);
      last = updatedAt;
    }
  });

  test('a save that fails half-way stores nothing', async () => {
    const { id: workflowId, version: baseVersion } = await newWorkflow(store());
    const changes: readonly GraphChange[] = [...createAll, { kind: 'delete_node', id: 999, nodeId: 'nobody' }];
    await expect(store().graphs.save({ workflowId, baseVersion, changes, at: start })).rejects.toThrow('999');
    expect(await store().graphs.load(workflowId)).toEqual({ version: baseVersion, nodes: [], edges: [] });
  });

  test('a save changes only objects of its own workflow', async () => {
    const foreign = await newWorkflow(store());
    const created = await store().graphs.save({
      workflowId: foreign.id,
      baseVersion: foreign.version,
      changes: createAll,
      at: start,
    });
    const [id = 0] = idsOf(created);
    const { id: workflowId, version: baseVersion } = await newWorkflow(store());
    const changes: readonly GraphChange[] = [{ kind: 'delete_node', id, nodeId: 'a' }];
    await expect(store().graphs.save({ workflowId, baseVersion, changes, at: start })).rejects.toThrow();
    expect((await store().graphs.load(foreign.id))?.nodes).toHaveLength(2);
  });
}

function pinningSentences(store: () => Store): void {
  test('a version that no run started with is not pinned', async () => {
    const { id: workflowId, version } = await newWorkflow(store());
    expect(await store().graphs.pinned({ workflowId, version })).toBeNull();
  });

  test('a run pins the graph of its version, whatever happens to the workflow later', async () => {
    const workflow = await newWorkflow(store());
    const { id: workflowId, version } = workflow;
    await store().graphs.save({ workflowId, baseVersion: version, changes: createAll, at: start });
    const loaded = await store().graphs.load(workflowId);
    if (loaded === null) throw new Error('no graph');
    const pinned = { ...workflow, version: version + 1 };
    await store().executions.accept(newExecution(pinned, { graph: loaded }));
    await store().executions.accept(newExecution(pinned));
    await store().graphs.save({
      workflowId,
      baseVersion: version + 1,
      changes: [{ kind: 'delete_edge', id: loaded.edges[0]?.id ?? 0 }],
      at: start,
    });
    await store().workflows.remove({ ids: [workflowId], at: start });
    expect(await store().graphs.pinned({ workflowId, version: version + 1 })).toEqual(loaded);
  });
}

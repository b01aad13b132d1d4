import { firstNewId, type Graph, type Workflow } from '@millrace/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EdgeFields, GraphChange, VersionedGraph } from '../graphs.ts';
import type { Store } from '../store.ts';
import { newUser, newWorkflow, nodeFields, start } from './world.ts';

/** Tests of the versions of workflows. */
export function versionSentences(store: () => Store): void {
  listSentences(store);
  readingSentences(store);
  boundSentences(store);
}

function edgeBetween(sourceNodeId: string, targetNodeId: string): EdgeFields {
  const rest = { edgeType: 'direct', edgeLabel: '', conditionMapping: null, conditionValue: '', priority: 0 } as const;
  return { sourceNodeId, targetNodeId, ...rest };
}

async function save(store: Store, { id: workflowId }: Workflow, changes: readonly GraphChange[]): Promise<number> {
  const baseVersion = (await store.graphs.load(workflowId))?.version ?? 0;
  const result = await store.graphs.save({ workflowId, baseVersion, changes, at: start });
  if (result === 'stale') throw new Error('the save was stale');
  return result.version;
}

function listSentences(store: () => Store): void {
  test('a new workflow has one version, created by its owner', async () => {
    const user = await newUser(store());
    const { id: workflowId, version } = await newWorkflow(store(), { ownerId: user.id });
    const nothing = { created: 0, updated: 0, deleted: 0 };
    const first = {
      version,
      createdAt: start,
      author: user.username,
      restoredFrom: null,
      nodes: nothing,
      edges: nothing,
      publication: null,
    };
    expect(await store().graphs.versions({ workflowId, limit: 10, offset: 0 })).toEqual({ items: [first], total: 1 });
    expect(await store().graphs.at({ workflowId, version })).toEqual({ info: first, graph: { nodes: [], edges: [] } });
    expect(await store().graphs.versions({ workflowId: 999, limit: 10, offset: 0 })).toEqual({ items: [], total: 0 });
  });

  test('each save creates a version with its changes, its author and what it restored', async () => {
    const user = await newUser(store());
    const { id: workflowId, version: baseVersion } = await newWorkflow(store());
    const changes: readonly GraphChange[] = [
      { kind: 'create_node', node: nodeFields('a'), id: firstNewId },
      { kind: 'create_edge', edge: edgeBetween('a', 'b') },
      { kind: 'delete_node', id: firstNewId, nodeId: 'a' },
    ];
    const origin = { authorId: user.id, restoredFrom: 7 };
    await store().graphs.save({ workflowId, baseVersion, changes, at: start + 5, origin });
    const { items } = await store().graphs.versions({ workflowId, limit: 1, offset: 0 });
    expect(items).toEqual([
      {
        version: baseVersion + 1,
        createdAt: start + 5,
        author: user.username,
        restoredFrom: 7,
        nodes: { created: 1, updated: 0, deleted: 1 },
        edges: { created: 1, updated: 0, deleted: 0 },
        publication: null,
      },
    ]);
  });

  test('a page has its part of the list, newest first, among versions of other workflows', async () => {
    const [workflow, other] = [await newWorkflow(store()), await newWorkflow(store())];
    for (let index = 0; index < 6; index += 1) {
      await save(store(), workflow, [{ kind: 'create_edge', edge: edgeBetween('a', `b${index}`) }]);
      await save(store(), other, [{ kind: 'create_edge', edge: edgeBetween('a', `b${index}`) }]);
    }
    const page = async (limit: number, offset: number) => {
      const { items, total } = await store().graphs.versions({ workflowId: workflow.id, limit, offset });
      return [items.map(({ version }) => version), total];
    };
    expect(await page(3, 0)).toEqual([[7, 6, 5], 7]);
    expect(await page(3, 5)).toEqual([[2, 1], 7]);
    expect(await page(3, 7)).toEqual([[], 7]);
    expect(await page(3, 2 ** 31)).toEqual([[], 7]);
  });
}

const drawn = fc.record({
  kind: fc.constantFrom('create_node', 'update_node', 'delete_node', 'create_edge', 'update_edge', 'delete_edge'),
  pick: fc.nat({ max: 7 }),
  text: fc.constantFrom('', 'x', '__proto__', 'ü"\\'),
});

let names = 0;

/** A change that is possible in the graph, or none. */
function changeOf(
  graph: Graph,
  { kind, pick, text }: typeof drawn extends fc.Arbitrary<infer T> ? T : never,
): GraphChange[] {
  names += 1;
  const node = graph.nodes[pick % Math.max(1, graph.nodes.length)];
  const edge = graph.edges[pick % Math.max(1, graph.edges.length)];
  const config = { extra_config: { [text]: pick } };
  if (kind === 'create_node') return [{ kind, node: { ...nodeFields(`n${names}`), config } }];
  if (kind === 'create_edge')
    return [{ kind, edge: { ...edgeBetween(`s${names}`, 't'), conditionMapping: { a: text } } }];
  if (node !== undefined && kind === 'update_node')
    return [{ kind, id: node.id, node: pick < 4 ? { ...node, positionX: pick } : { ...node, label: text, config } }];
  if (node !== undefined && kind === 'delete_node') return [{ kind, id: node.id, nodeId: node.nodeId }];
  if (edge !== undefined && kind === 'update_edge')
    return [{ kind, id: edge.id, edge: { ...edge, conditionValue: text } }];
  if (edge !== undefined && kind === 'delete_edge') return [{ kind, id: edge.id }];
  return [];
}

function readingSentences(store: () => Store): void {
  test('every version is read back exactly as it was, after any later saves', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(drawn, { maxLength: 25 }), async (draws) => {
        const workflow = await newWorkflow(store());
        const seen: VersionedGraph[] = [];
        const look = async () => {
          const graph = await store().graphs.load(workflow.id);
          if (graph !== null) seen.push(graph);
          return graph ?? { nodes: [], edges: [] };
        };
        let graph: Graph = await look();
        for (const draw of draws) {
          await save(store(), workflow, changeOf(graph, draw));
          graph = await look();
        }
        for (const { version, nodes, edges } of seen) {
          const found = await store().graphs.at({ workflowId: workflow.id, version });
          expect(found?.graph).toEqual({ nodes, edges });
          expect(found?.info.version).toBe(version);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('a version that never existed cannot be read, and neither can one of a deleted workflow', async () => {
    const { id: workflowId, version } = await newWorkflow(store());
    for (const other of [0, -1, version + 1, 2 ** 50]) {
      expect(await store().graphs.at({ workflowId, version: other })).toBeNull();
    }
    await store().workflows.remove({ ids: [workflowId], at: start });
    expect(await store().graphs.at({ workflowId, version })).toBeNull();
    expect((await store().graphs.versions({ workflowId, limit: 10, offset: 0 })).total).toBe(0);
  });

  test('a deleted object is restored under its former id', async () => {
    const workflow = await newWorkflow(store());
    await save(store(), workflow, [
      { kind: 'create_node', node: nodeFields('a') },
      { kind: 'create_edge', edge: edgeBetween('a', 'b') },
    ]);
    const before = await store().graphs.load(workflow.id);
    const [node, edge] = [before?.nodes[0], before?.edges[0]];
    if (node === undefined || edge === undefined) throw new Error('nothing was made');
    await save(store(), workflow, [
      { kind: 'delete_node', id: node.id, nodeId: 'a' },
      { kind: 'delete_edge', id: edge.id },
    ]);
    await save(store(), workflow, [
      { kind: 'create_node', node, id: node.id },
      { kind: 'create_edge', edge, id: edge.id },
    ]);
    const after = await store().graphs.load(workflow.id);
    expect(after?.nodes).toEqual([{ ...node, updatedAt: expect.any(Number) }]);
    expect(after?.edges).toEqual([edge]);
  });
}

function boundSentences(store: () => Store): void {
  test('of very many versions the oldest are pruned, and the others can still be read', async () => {
    const workflow = await newWorkflow(store());
    const { id: workflowId } = workflow;
    await save(store(), workflow, [{ kind: 'create_node', node: nodeFields('a') }]);
    const node = (await store().graphs.load(workflowId))?.nodes[0];
    if (node === undefined) throw new Error('the node is missing');
    const saves = [];
    for (let version = 2; version < 2_400; version += 1) {
      const changes: readonly GraphChange[] = [
        { kind: 'update_node', id: node.id, node: { ...node, positionX: version } },
      ];
      saves.push(store().graphs.save({ workflowId, baseVersion: version, changes, at: start }));
    }
    await Promise.all(saves);
    const { items, total } = await store().graphs.versions({ workflowId, limit: 1000, offset: 1990 });
    expect(total).toBe(2_000);
    expect(items.map(({ version }) => version)).toEqual([410, 409, 408, 407, 406, 405, 404, 403, 402, 401]);
    expect((await store().graphs.at({ workflowId, version: 401 }))?.graph.nodes).toMatchObject([{ positionX: 400 }]);
    expect(await store().graphs.at({ workflowId, version: 400 })).toBeNull();
  });

  test('an old version is read in slices, and correctly if versions are saved or deleted meanwhile', async () => {
    const workflow = await newWorkflow(store());
    const { id: workflowId } = workflow;
    await save(store(), workflow, [{ kind: 'create_node', node: nodeFields('a') }]);
    const id = (await store().graphs.load(workflowId))?.nodes[0]?.id ?? 0;
    const saveAll = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_, index) => {
          const node = { ...nodeFields('a'), positionX: from + index };
          const changes: readonly GraphChange[] = [{ kind: 'update_node', id, node }];
          return store().graphs.save({ workflowId, baseVersion: from + index, changes, at: start });
        }),
      );
    await saveAll(2, 2_000);
    const read = (version: number) => store().graphs.at({ workflowId, version });
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const publication = { authorId: null, note: null, id: workflowId, version: 4, at: start };
    expect(await store().workflows.publish(publication)).toMatchObject({ publishedVersion: 4 });
    const reads = [read(3), read(4), read(900)];
    const publishing = store().workflows.publish({ ...publication, version: 5 });
    // The save of version 2,100 prunes the versions up to 100.
    await Promise.all([
      Promise.all(reads).then(note('read')),
      store().workflows.byId(workflowId).then(note('another call')),
      saveAll(2_000, 2_110),
    ]);
    expect(order).toEqual(['another call', 'read']);
    const positions = (await Promise.all(reads)).map((found) => found?.graph.nodes[0]?.positionX);
    expect(positions).toEqual([undefined, 3, 899]);
    expect(await publishing).toBe('unknown_version');
  });

  test('very large versions are pruned sooner', async () => {
    const workflow = await newWorkflow(store());
    const { id: workflowId } = workflow;
    const large = { ...nodeFields('a'), config: { extra_config: { text: 'x'.repeat(500_000) } } };
    await save(store(), workflow, [{ kind: 'create_node', node: large }]);
    const id = (await store().graphs.load(workflowId))?.nodes[0]?.id ?? 0;
    for (let version = 2; version < 100; version += 1) {
      const node = version % 2 === 0 ? nodeFields('a') : large;
      await save(store(), workflow, [{ kind: 'update_node', id, node }]);
    }
    const { total } = await store().graphs.versions({ workflowId, limit: 1, offset: 0 });
    // 16 MiB hold about 33 of them, and as many small ones.
    expect(total).toBeGreaterThan(60);
    expect(total).toBeLessThan(75);
  });
}

import { appliedChanges, type Edge, type Graph, type Node } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRestore } from './restore-plan.ts';

function node(id: number, nodeId: string, extra: Partial<Node> = {}): Node {
  const flags = { isEntryPoint: false, interruptBefore: false, interruptAfter: false };
  const rest = { label: null, componentType: 'template', positionX: 0, positionY: 0, subworkflowId: null };
  return { id, nodeId, ...rest, ...flags, codeBlockId: null, config: {}, updatedAt: 0, ...extra };
}

function edge(id: number, sourceNodeId: string): Edge {
  const rest = { edgeType: 'direct', edgeLabel: '', conditionMapping: null, conditionValue: '', priority: 0 } as const;
  return { id, sourceNodeId, targetNodeId: 't', ...rest };
}

/** Applies the plan as the store would, and checks that no two nodes ever have the same name. */
function restored(current: Graph, target: Graph): Graph {
  const changes = planRestore(current, target);
  const names = new Map(current.nodes.map(({ id, nodeId }) => [id, nodeId]));
  for (const change of changes) {
    if (change.kind === 'delete_node') names.delete(change.id);
    if (change.kind === 'create_node' || change.kind === 'update_node') {
      names.set(change.id ?? 0, change.node.nodeId);
      expect(new Set(names.values()).size).toBe(names.size);
    }
  }
  const saved = changes.map((change) => {
    if (change.kind === 'delete_node' || change.kind === 'delete_edge') return null;
    const id = change.id ?? 0;
    return 'node' in change ? { ...change.node, id, updatedAt: 0 } : { ...change.edge, id };
  });
  const { nodes, edges } = appliedChanges({ ...current, version: 1 }, changes, { version: 2, saved });
  return { nodes, edges };
}

describe('a restore plan', () => {
  it('restores the names of nodes that have exchanged them', () => {
    const target = { nodes: [node(1, 'a'), node(2, 'b'), node(3, 'c')], edges: [] };
    for (const [x, y, z] of [
      ['b', 'a', 'c'],
      ['b', 'c', 'a'],
      ['c', 'a', 'd'],
    ] as const) {
      expect(restored({ nodes: [node(1, x), node(2, y), node(3, z)], edges: [] }, target)).toEqual(target);
    }
  });

  it('keeps a node that was created again with the same name', () => {
    const model = node(7, 'model');
    const target = { nodes: [node(1, 'model'), node(2, 'ai', { config: { llm_model_config_id: 1 } })], edges: [] };
    const changes = planRestore({ nodes: [model], edges: [] }, target);
    expect(changes).toMatchObject([{ kind: 'create_node', id: 2, node: { config: { llm_model_config_id: 7 } } }]);
  });

  it('is empty for an equal graph, whenever it was last changed', () => {
    const graph = { nodes: [node(1, 'a', { config: { x: { y: 1 }, z: 2 } })], edges: [edge(1, 'a')] };
    const now = { ...graph, nodes: [node(1, 'a', { config: { z: 2, x: { y: 1 } }, updatedAt: 9 })] };
    expect(planRestore(now, graph)).toEqual([]);
  });

  it('turns any graph into any other, with the same content', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const ids = fc.integer({ min: 1, max: 6 });
    const graphs = fc.record({
      nodes: fc
        .uniqueArray(fc.tuple(ids, names, fc.nat({ max: 2 })), {
          selector: ([id]) => id,
          maxLength: 6,
        })
        .map((all) => all.filter(([, name], index) => all.findIndex((other) => other[1] === name) === index))
        .map((all) => all.sort(([a], [b]) => a - b).map(([id, name, x]) => node(id, name, { positionX: x }))),
      edges: fc
        .uniqueArray(fc.tuple(ids, names), { selector: ([id]) => id, maxLength: 6 })
        .map((all) => all.sort(([a], [b]) => a - b).map(([id, name]) => edge(id, name))),
    });
    const content = ({ nodes, edges }: Graph) => ({
      nodes: new Map(nodes.map(({ id: _id, ...rest }) => [rest.nodeId, rest])),
      edges,
    });
    fc.assert(
      fc.property(graphs, graphs, (current, target) => {
        const after = restored(current, target);
        expect(content(after)).toEqual(content(target));
        // An id differs only if the node with that name has another id now.
        for (const { id, nodeId } of after.nodes) {
          const was = target.nodes.find((other) => other.nodeId === nodeId);
          const now = current.nodes.find((other) => other.nodeId === nodeId);
          expect([was?.id, now?.id]).toContain(id);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { type Edge, firstNewId, type Node } from '../graph/graph.ts';
import { appliedChanges } from './applied-changes.ts';
import type { GraphChange, VersionedGraph } from './graph-change.ts';

function edge(id: number, priority = 0): Edge {
  const rest = { edgeType: 'direct', edgeLabel: '', conditionMapping: null, conditionValue: '' } as const;
  return { id, sourceNodeId: 'a', targetNodeId: `to_${id}`, priority, ...rest };
}

const before: VersionedGraph = { version: 4, nodes: [], edges: [edge(1), edge(5), edge(9)] };

function after(changes: readonly GraphChange[], saved: readonly (Node | Edge | null)[]): readonly Edge[] {
  return appliedChanges(before, changes, { version: 5, saved }).edges;
}

describe('the graph after a save', () => {
  it('has created objects last, updated objects in place and no deleted objects', () => {
    const changes: readonly GraphChange[] = [
      { kind: 'create_edge', edge: edge(0) },
      { kind: 'update_edge', id: 5, edge: edge(5, 3) },
      { kind: 'delete_edge', id: 1 },
    ];
    expect(after(changes, [edge(10), edge(5, 3), null])).toEqual([edge(5, 3), edge(9), edge(10)]);
  });

  it('has the last change of each object, also if the change uses the temporary id', () => {
    const [first, second] = [firstNewId, firstNewId + 1];
    const changes: readonly GraphChange[] = [
      { kind: 'create_edge', edge: edge(0), id: first },
      { kind: 'create_edge', edge: edge(0), id: second },
      { kind: 'update_edge', id: first, edge: edge(0, 2) },
      { kind: 'delete_edge', id: second },
    ];
    expect(after(changes, [edge(10), edge(11), edge(10, 2), null])).toEqual([edge(1), edge(5), edge(9), edge(10, 2)]);
  });

  it('shares the lists that no change affects', () => {
    const { nodes, edges } = appliedChanges(before, [], { version: 5, saved: [] });
    expect(nodes).toBe(before.nodes);
    expect(edges).toBe(before.edges);
  });
});

import { Problem } from '../errors.ts';
import type { EdgeIssue } from '../graph/edge-rules.ts';
import { type Edge, findEdge, firstNewId, type Graph } from '../graph/graph.ts';
import { relinked } from '../graph/graph-edit.ts';
import { maxEdges } from '../graph/graph-limits.ts';
import type { EditRules } from './edit-rules.ts';
import type { EdgeFields, GraphChange } from './graph-change.ts';

interface Creation {
  readonly edge: EdgeFields;
  /** Its temporary id until the store assigns one. */
  readonly id?: number;
}

/** A new edge, and the model link that follows from it. @throws Problem `invalid`, `edge_types`, or `conflict` */
export function planNewEdge(
  rules: EditRules,
  graph: Graph,
  { edge, id = firstNewId }: Creation,
): readonly GraphChange[] {
  if (graph.edges.length >= maxEdges) throw new Problem('invalid', `A workflow may have at most ${maxEdges} edges.`);
  reject(rules.edge({ edge, graph }));
  const after = () => [...graph.edges, { ...edge, id }];
  return [{ kind: 'create_edge', edge, id }, ...syncModelLinks(graph, [edge], after)];
}

/** The changes of an edge. */
export interface EdgeUpdate {
  readonly id: number;
  readonly changes: Partial<EdgeFields>;
}

/** A changed edge, checked as a new one, and the model links that follow from it. @throws Problem, as above */
export function planEdgeUpdate(rules: EditRules, graph: Graph, { id, changes }: EdgeUpdate): readonly GraphChange[] {
  const before = expectEdge(graph, id);
  const edge: Edge = { ...before, ...changes };
  reject(rules.edge({ edge, id, graph }));
  const after = () => graph.edges.map((other) => (other.id === id ? edge : other));
  return [{ kind: 'update_edge', id, edge }, ...syncModelLinks(graph, [before, edge], after)];
}

/** Deletes an edge and its model link. @throws Problem `not_found` */
export function planEdgeRemoval(graph: Graph, id: number): readonly GraphChange[] {
  const edge = expectEdge(graph, id);
  const after = () => graph.edges.filter((other) => other.id !== id);
  return [{ kind: 'delete_edge', id }, ...syncModelLinks(graph, [edge], after)];
}

/** Updates of the targets of model connections, so that each refers to its model after a change of the edges. */
export function syncModelLinks(
  graph: Graph,
  touched: readonly EdgeFields[],
  edgesAfter: () => readonly Edge[],
): readonly GraphChange[] {
  const targets = touched.filter(({ edgeLabel }) => edgeLabel === 'llm').map(({ targetNodeId }) => targetNodeId);
  if (targets.length === 0) return [];
  return relinked({ nodes: graph.nodes, edges: edgesAfter() }, targets).map((node) => ({
    kind: 'update_node',
    id: node.id,
    node,
  }));
}

/** The edge with this id. @throws Problem `not_found` */
export function expectEdge(graph: Graph, id: number | null): Edge {
  const edge = id === null ? undefined : findEdge(graph, id);
  if (edge === undefined) throw new Problem('not_found', 'Edge not found.');
  return edge;
}

function reject(issue: EdgeIssue | null): void {
  switch (issue?.kind) {
    case undefined:
      return;
    case 'rule':
      throw new Problem('invalid', issue.message);
    case 'types':
      throw new Problem('edge_types', { validation_errors: issue.messages });
    case 'duplicate':
      throw new Problem('conflict', issue.message);
  }
}

import { isSameJson } from '../base/json-same.ts';
import { identityOf } from '../graph/duplicate-edges.ts';
import type { EdgeDraft } from '../graph/edge-rules.ts';
import { type Edge, type Graph, isSameNode, type Node } from '../graph/graph.ts';
import { relinked } from '../graph/graph-edit.ts';

/** The graph that a text describes. Its ids are independent of the ids in a store. */
export interface TextGraph {
  readonly graph: Graph;
  /** The nodes whose position is in the text. */
  readonly placed: ReadonlySet<string>;
}

/**
 * The changes that turn a graph into the graph of a text. Nodes keep their ids, and so do edges if the order of the
 * text allows it.
 */
export interface GraphDifference {
  readonly deletedEdges: readonly Edge[];
  readonly deletedNodes: readonly Node[];
  readonly changedNodes: readonly Node[];
  readonly newNodes: readonly Omit<Node, 'id' | 'updatedAt'>[];
  readonly changedEdges: readonly Edge[];
  readonly newEdges: readonly EdgeDraft[];
}

/**
 * Compares a graph with the graph of a text. The model of a node (`llm_model_config_id`) is derived from its `llm`
 * edge.
 */
export function differenceTo(graph: Graph, text: TextGraph): GraphDifference {
  const edges = compareEdges(graph.edges, text.graph.edges);
  const nodes = nodesAfter(graph, text);
  const isNew = ({ id }: Node) => id <= 0;
  const kept = new Set(nodes.map(({ id }) => id));
  const known = new Map(graph.nodes.map((node) => [node.id, node]));
  return {
    ...edges,
    deletedNodes: graph.nodes.filter(({ id }) => !kept.has(id)),
    changedNodes: nodes.filter((node) => !isNew(node) && !isKnown(node, known.get(node.id))),
    newNodes: nodes.filter(isNew).map(({ id: _id, updatedAt: _updatedAt, ...node }) => node),
  };
}

/** The nodes of the text with their stored ids; a new node gets a temporary id of zero or below. */
function nodesAfter(graph: Graph, { graph: wanted, placed }: TextGraph): readonly Node[] {
  const before = new Map(graph.nodes.map((node) => [node.nodeId, node]));
  const nodes = wanted.nodes.map((node, index): Node => {
    const own = before.get(node.nodeId);
    // A node of another type is a different node even if it has the same name.
    if (own === undefined || own.componentType !== node.componentType) return { ...node, id: -index };
    const { id, updatedAt, positionX, positionY } = own;
    return { ...node, id, updatedAt, ...(!placed.has(node.nodeId) && { positionX, positionY }) };
  });
  const targets = nodes.map(({ nodeId }) => nodeId);
  const linked = new Map(relinked({ nodes, edges: wanted.edges }, targets).map((node) => [node.nodeId, node]));
  return nodes.map((node) => withoutTemporaryLink(linked.get(node.nodeId) ?? node));
}

/** Removes a link to a model node that is not stored yet. Saving sets the link when the model has an id. */
function withoutTemporaryLink(node: Node): Node {
  const link = node.config.llm_model_config_id;
  return typeof link === 'number' && link <= 0
    ? { ...node, config: { ...node.config, llm_model_config_id: null } }
    : node;
}

function isKnown(node: Node, stored: Node | undefined): boolean {
  return stored !== undefined && isSameNode(node, stored);
}

type EdgeDifference = Pick<GraphDifference, 'deletedEdges' | 'changedEdges' | 'newEdges'>;

/**
 * Edges of one node are ordered by id, so ids must ascend in the order of the text. An edge whose stored id would break
 * this order is deleted and created again.
 */
function compareEdges(before: readonly Edge[], wanted: readonly Edge[]): EdgeDifference {
  const known = new Map(before.map((edge) => [identityOf(edge), edge]));
  const kept = new Set<number>();
  const changedEdges: Edge[] = [];
  const newEdges: EdgeDraft[] = [];
  // The largest id so far, by source and by target.
  const latest = new Map<string, number>();
  for (const { id: _temporaryId, ...edge } of wanted) {
    const ends = [`from ${edge.sourceNodeId}`, `to ${edge.targetNodeId}`];
    const own = known.get(identityOf(edge));
    const isKept = own !== undefined && ends.every((end) => own.id > (latest.get(end) ?? 0));
    for (const end of ends) latest.set(end, isKept ? own.id : Number.POSITIVE_INFINITY);
    if (!isKept) newEdges.push(edge);
    else {
      kept.add(own.id);
      if (!isSameJson(edge, withoutId(own))) changedEdges.push({ ...edge, id: own.id });
    }
  }
  return { deletedEdges: before.filter(({ id }) => !kept.has(id)), changedEdges, newEdges };
}

function withoutId({ id: _id, ...edge }: Edge): EdgeDraft {
  return edge;
}

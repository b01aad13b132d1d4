import type { NodeType } from '../api/node-types.ts';
import type { Graph, GraphNode } from '../state/graph.ts';

/** A node that a replay performs again. */
interface PerformedNode {
  readonly nodeId: string;
  /** What that does outside of the run; null if it does nothing there. */
  readonly effect: string | null;
}

/** What a replay from a node does. */
export interface ReplayPlan {
  /** The nodes whose results are used again, in the order in which they ended. */
  readonly reused: readonly string[];
  readonly performed: readonly PerformedNode[];
  /** The reused nodes that lead to the first performed ones: their outputs can be replaced. */
  readonly inputs: readonly string[];
  /** The node from which the service replays: for a node in a loop, the outermost loop. */
  readonly from: string;
}

interface ReplayedRun {
  readonly graph: Graph;
  readonly types: Readonly<Record<string, NodeType>>;
  /** The log entries of the execution: only those outside of loops count. */
  readonly logs: readonly { readonly node_id: string; readonly frame: string; readonly status: string }[];
}

/** Which results a replay reuses and which nodes it performs again. */
export function replayPlan({ graph, types, logs }: ReplayedRun, fromNode: string): ReplayPlan {
  const edges = graph.edges.filter(({ edge_label: label }) => flowLabels.has(label));
  const bodies = bodiesOf(graph, edges);
  const from = outermost(bodies, fromNode);
  const around = edges.filter(({ edge_label: label }) => label !== 'loop_return');
  const performed = reach(from, around);
  const nodes = graph.nodes.filter(({ node_id: id }) => performed.has(id));
  const ended = logs.filter(({ frame, status }) => frame === '' && (status === 'success' || status === 'failed'));
  const reused = [...new Set(ended.map(({ node_id: id }) => id))].filter((id) => !performed.has(id));
  const inputs = around
    .filter((edge) => edge.target_node_id === from && reused.includes(edge.source_node_id))
    .map((edge) => edge.source_node_id);
  return {
    from,
    reused,
    inputs: [...new Set(inputs)],
    performed: nodes.map((node) => ({ nodeId: node.node_id, effect: effectOf(node, types[node.component_type]) })),
  };
}

type FlowEdge = Graph['edges'][number];

const flowLabels: ReadonlySet<string> = new Set(['', 'error', 'loop_body', 'loop_return']);

function reach(from: string, edges: readonly FlowEdge[]): ReadonlySet<string> {
  const found = new Set([from]);
  for (const id of found) {
    for (const edge of edges) if (edge.source_node_id === id) found.add(edge.target_node_id);
  }
  return found;
}

/** By loop, the nodes of its body, with those of the loops inside. */
function bodiesOf(graph: Graph, edges: readonly FlowEdge[]): ReadonlyMap<string, ReadonlySet<string>> {
  const bodies = new Map<string, ReadonlySet<string>>();
  for (const { node_id: loop } of graph.nodes) {
    const entries = edges.filter((edge) => edge.source_node_id === loop && edge.edge_label === 'loop_body');
    if (entries.length === 0) continue;
    const inside = edges.filter((edge) => edge.source_node_id !== loop && edge.target_node_id !== loop);
    bodies.set(loop, new Set(entries.flatMap(({ target_node_id: id }) => [...reach(id, inside)])));
  }
  return bodies;
}

function outermost(bodies: ReadonlyMap<string, ReadonlySet<string>>, nodeId: string): string {
  const around = [...bodies].find(([, body]) => body.has(nodeId));
  return around === undefined
    ? nodeId
    : outermost(new Map([...bodies].filter(([loop]) => loop !== around[0])), around[0]);
}

/** HTTP methods that only read. */
const readingMethods: ReadonlySet<unknown> = new Set([undefined, 'GET', 'HEAD', 'OPTIONS']);

/** What another execution of a node does outside of the run; null if it only computes or reads. */
function effectOf(node: GraphNode, type: NodeType | undefined): string | null {
  const config = node.config.extra_config ?? {};
  switch (node.component_type) {
    case 'http_request': {
      const { method } = config;
      return readingMethods.has(method) ? null : `sends its ${String(method)} request again`;
    }
    case 'agent':
      return 'asks the model again, which may cost';
    case 'workflow':
      return 'runs another workflow again';
    case 'state':
      return config.operation === 'get' ? null : 'changes stored state again';
    case 'human_confirmation':
      return 'asks a person again';
    default:
      return type?.effect === 'keyed' || type?.effect === 'once' ? 'acts on another system again' : null;
  }
}

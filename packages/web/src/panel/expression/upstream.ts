import type { Graph, GraphEdge } from '../../state/graph.ts';

/** The labels of edges that fill a slot of a node. */
const slots: ReadonlySet<string> = new Set(['llm', 'tool', 'memory', 'output_parser']);

/** The nodes whose outputs exist when a node runs. */
export interface Upstream {
  /** Nearest first. */
  readonly nodeIds: readonly string[];
  /** Whether the node is in the body of a loop. */
  readonly isInLoop: boolean;
}

/** The nodes before a node, along the edges. A node in a slot has those of the node that uses it. */
export function upstreamOf({ edges }: Pick<Graph, 'edges'>, nodeId: string): Upstream {
  const into = Map.groupBy(edges.filter(carriesOn), ({ target_node_id: target }) => target);
  const users = edges.filter((edge) => isSlot(edge) && edge.source_node_id === nodeId);
  const found = new Set<string>();
  let isInLoop = false;
  let level = users.length === 0 ? [nodeId] : users.map(({ target_node_id: user }) => user);
  const seen = new Set(level);
  while (level.length > 0) {
    const next: string[] = [];
    for (const edge of level.flatMap((id) => into.get(id) ?? [])) {
      if (edge.edge_label === 'loop_body') isInLoop = true;
      const { source_node_id: source } = edge;
      if (seen.has(source)) continue;
      seen.add(source);
      found.add(source);
      next.push(source);
    }
    level = next;
  }
  return { nodeIds: [...found], isInLoop };
}

function isSlot({ edge_label: label }: GraphEdge): boolean {
  return slots.has(label ?? '');
}

/** The end of a loop's body is not before the loop: outside of the body, only its results exist. */
function carriesOn(edge: GraphEdge): boolean {
  return !isSlot(edge) && edge.edge_label !== 'loop_return';
}

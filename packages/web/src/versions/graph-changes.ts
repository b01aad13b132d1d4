import type { Graph, GraphEdge, GraphNode } from '../state/graph.ts';

/** A node that differs between two versions. */
export interface NodeChange {
  readonly kind: 'added' | 'removed' | 'changed';
  readonly node: GraphNode;
  /** What people read of it before and after, without its position. Null where it does not exist. */
  readonly before: object | null;
  readonly after: object | null;
}

/** An edge that only one of two versions has. */
export interface EdgeChange {
  readonly kind: 'added' | 'removed';
  readonly text: string;
}

/** How two versions of a graph differ. */
export interface GraphChanges {
  readonly nodes: readonly NodeChange[];
  readonly edges: readonly EdgeChange[];
  /** How many nodes have only another position. */
  readonly moved: number;
}

/** How two graphs differ. A node that was renamed and otherwise stayed the same node is a changed one. */
export function graphChanges(before: Graph, after: Graph): GraphChanges {
  const old = new Map(before.nodes.map((node) => [node.id, node]));
  const kept = new Set(after.nodes.map(({ id }) => id));
  const removed = before.nodes.filter(({ id }) => !kept.has(id));
  const nodes: NodeChange[] = removed.map((node) => ({ kind: 'removed', node, before: shown(node), after: null }));
  let moved = 0;
  for (const node of after.nodes) {
    const own = old.get(node.id);
    if (own === undefined) nodes.push({ kind: 'added', node, before: null, after: shown(node) });
    else if (!isSame(shown(own), shown(node))) {
      nodes.push({ kind: 'changed', node, before: shown(own), after: shown(node) });
    } else if (own.position_x !== node.position_x || own.position_y !== node.position_y) moved += 1;
  }
  return { nodes, edges: edgeChanges(before.edges, after.edges), moved };
}

/** The number of changes that a person counts. */
export function countOf({ nodes, edges, moved }: GraphChanges): number {
  return nodes.length + edges.length + moved;
}

/** A node without its id, its times and its position, and with its settings at one level. */
function shown(node: GraphNode): object {
  const { extra_config: extra, llm_model_config_id: _link, ...config } = node.config;
  const settings = Object.entries({ ...config, ...extra }).filter(([, value]) => value !== null);
  return {
    id: node.node_id,
    ...(node.label !== null && { label: node.label }),
    ...(node.is_entry_point && { is_entry_point: true }),
    ...(node.interrupt_before && { interrupt_before: true }),
    ...(node.interrupt_after && { interrupt_after: true }),
    ...(node.subworkflow_id !== null && { subworkflow_id: node.subworkflow_id }),
    ...Object.fromEntries(settings),
  };
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function edgeChanges(before: readonly GraphEdge[], after: readonly GraphEdge[]): readonly EdgeChange[] {
  const [old, now] = [new Set(before.map(textOf)), new Set(after.map(textOf))];
  return [
    ...[...old].filter((text) => !now.has(text)).map((text): EdgeChange => ({ kind: 'removed', text })),
    ...[...now].filter((text) => !old.has(text)).map((text): EdgeChange => ({ kind: 'added', text })),
  ];
}

/** An edge as in YAML: `a -> b`, `a -llm-> b`, `a -[route]-> b`. */
function textOf({
  source_node_id,
  target_node_id,
  edge_type,
  edge_label,
  condition_value,
  priority,
}: GraphEdge): string {
  const label = edge_type === 'conditional' ? `[${condition_value}]` : edge_label;
  const arrow = label === '' ? '->' : `-${label}->`;
  return `${source_node_id} ${arrow} ${target_node_id}${priority === 0 ? '' : ` (priority ${priority})`}`;
}

import type { Graph, GraphEdge, GraphNode } from '../state/graph.ts';

/** One line of the outline. */
export interface OutlineRow {
  readonly node: GraphNode;
  /** Counted from 1. */
  readonly level: number;
  /** How the flow gets here, or what the node is for its parent: `if large`, `each item`, `model`. Null in a sequence. */
  readonly via: string | null;
  /** The node that the row is below; null at the first level. */
  readonly parent: string | null;
  /** Edges to nodes that are elsewhere in the outline. */
  readonly jumps: readonly GraphEdge[];
}

/** The labels of edges whose source is a part of its target. */
const partLabels: Readonly<Record<string, string>> = {
  llm: 'model',
  tool: 'tool',
  memory: 'memory',
  output_parser: 'output parser',
};

/**
 * The graph as a tree: nodes in the order in which they run. Branches, bodies of loops, and the parts of an agent are
 * below their node. A node where branches meet again follows after them.
 */
export function outlineOf(graph: Graph): readonly OutlineRow[] {
  return new Outline(graph).rows;
}

interface MutableRow extends OutlineRow {
  readonly jumps: GraphEdge[];
}

class Outline {
  readonly rows: OutlineRow[] = [];
  readonly #nodes: ReadonlyMap<string, GraphNode>;
  readonly #parts: ReadonlyMap<string, readonly GraphEdge[]>;
  readonly #next: ReadonlyMap<string, readonly GraphEdge[]>;
  readonly #before: ReadonlyMap<string, readonly GraphEdge[]>;
  readonly #seen = new Set<string>();

  constructor({ nodes, edges }: Graph) {
    this.#nodes = new Map(nodes.map((node) => [node.node_id, node]));
    const known = edges.filter((edge) => this.#nodes.has(edge.source_node_id) && this.#nodes.has(edge.target_node_id));
    const flow = known.filter(isFlow);
    this.#parts = Map.groupBy(known.filter(isPart), (edge) => edge.target_node_id);
    this.#next = Map.groupBy(flow, (edge) => edge.source_node_id);
    this.#before = Map.groupBy(flow, (edge) => edge.target_node_id);
    const parts = new Set([...this.#parts.values()].flat().map((edge) => edge.source_node_id));
    const starts = nodes.filter(({ node_id: id }) => !this.#before.has(id) && !parts.has(id));
    for (const node of starts) this.#add(node.node_id, { level: 1, via: null, parent: null });
    // What is left is in a cycle, or a part of itself.
    for (const node of nodes) this.#add(node.node_id, { level: 1, via: null, parent: null });
  }

  /** Adds a node and everything after it, without recursion along a sequence: a chain may have 2,000 nodes. */
  #add(first: string, place: Pick<OutlineRow, 'level' | 'via' | 'parent'>): void {
    let id: string | undefined = first;
    let { via } = place;
    while (id !== undefined && !this.#seen.has(id)) {
      const node = this.#nodes.get(id);
      if (node === undefined) return;
      this.#seen.add(id);
      const row: MutableRow = { ...place, via, node, jumps: [] };
      this.rows.push(row);
      this.#addParts(id, place.level);
      id = this.#addNext(row);
      via = null;
    }
  }

  #addParts(id: string, level: number): void {
    for (const edge of this.#parts.get(id) ?? []) {
      const via = partLabels[edge.edge_label] ?? null;
      this.#add(edge.source_node_id, { level: level + 1, via, parent: id });
    }
  }

  /** Adds the branches of a node; returns the node that follows at the same level. */
  #addNext(row: MutableRow): string | undefined {
    const id = row.node.node_id;
    const edges = this.#next.get(id) ?? [];
    const plain = edges.filter((edge) => viaOf(edge) === null);
    const sequence = plain.length === 1 ? plain[0] : undefined;
    const branches = edges.filter((edge) => edge !== sequence);
    const first = this.rows.length;
    for (const edge of branches) {
      if (this.#isReady(edge) && !this.#isJoin(edge)) {
        this.#add(edge.target_node_id, { level: row.level + 1, via: viaOf(edge), parent: id });
      } else row.jumps.push(edge);
    }
    const follows = sequence !== undefined && this.#isReady(sequence) && (row.level === 1 || !this.#isJoin(sequence));
    if (follows) return sequence.target_node_id;
    if (sequence !== undefined) row.jumps.push(sequence);
    return branches.length === 0 ? undefined : this.#joined([row, ...this.rows.slice(first)]);
  }

  /** The node at which the branches of these rows meet. */
  #joined(rows: readonly OutlineRow[]): string | undefined {
    const targets = rows.flatMap(({ jumps }) => jumps.map((edge) => edge.target_node_id));
    return targets.find((id) => !this.#seen.has(id) && this.#isOpen(id));
  }

  /** Whether several edges lead to the node. */
  #isJoin({ target_node_id: id }: GraphEdge): boolean {
    return (this.#before.get(id) ?? []).filter((edge) => edge.edge_label !== 'loop_return').length > 1;
  }

  /** Whether the node is not listed yet, and everything before it is. */
  #isReady({ target_node_id: id }: GraphEdge): boolean {
    return !this.#seen.has(id) && this.#isOpen(id);
  }

  #isOpen(id: string): boolean {
    const before = (this.#before.get(id) ?? []).filter((edge) => edge.edge_label !== 'loop_return');
    return before.every((edge) => this.#seen.has(edge.source_node_id) || edge.source_node_id === id);
  }
}

function isPart({ edge_label: label }: GraphEdge): boolean {
  return partLabels[label] !== undefined;
}

function isFlow(edge: GraphEdge): boolean {
  return !isPart(edge);
}

/** How an edge is taken, for people; null if it is simply the next step. */
export function viaOf({ edge_type: type, edge_label: label, condition_value: value }: GraphEdge): string | null {
  if (type === 'conditional') return value === '__other__' ? 'otherwise' : `if ${value}`;
  if (label === 'loop_body') return 'each item';
  if (label === 'loop_return') return 'next item';
  return label === 'error' ? 'if it fails' : null;
}

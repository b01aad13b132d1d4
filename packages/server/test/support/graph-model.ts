import type { EdgeLabel } from '@millrace/core';
import { canConnect } from '@millrace/core/testkit';
import { testCatalogue } from './catalogue.ts';

interface ModelNode {
  readonly type: string;
  readonly label: string | null;
  readonly x: number;
  readonly y: number;
}

interface ModelEdge {
  readonly id: number | null;
  readonly source: string;
  readonly target: string;
  readonly label: string;
  /** The route of a conditional edge; null for a direct one. */
  readonly route: string | null;
  readonly priority: number;
}

/** An operation as `operationOn` makes it. */
export interface ModelOperation {
  readonly op: string;
  readonly node_id?: string;
  readonly edge_id?: number;
  readonly node?: { readonly node_id: string; readonly component_type: string; readonly position_x: number };
  readonly edge?: {
    readonly source_node_id: string;
    readonly target_node_id: string;
    readonly edge_label: string;
    readonly condition_value?: string;
  };
  readonly changes?: {
    readonly node_id?: string;
    readonly label?: string;
    readonly position_y?: number;
    readonly target_node_id?: string;
    readonly edge_label?: string;
    readonly priority?: number;
  };
}

/** The simplest model of a graph: no versions, no node ids, no sharing; every operation copies everything. */
export class GraphModel {
  readonly nodes: ReadonlyMap<string, ModelNode>;
  readonly edges: readonly ModelEdge[];

  constructor(nodes: ReadonlyMap<string, ModelNode> = new Map(), edges: readonly ModelEdge[] = []) {
    this.nodes = nodes;
    this.edges = edges;
  }

  /** The graph after the operation; null if it is rejected. */
  after(operation: ModelOperation): GraphModel | null {
    const { op, node, edge, node_id: name = '', edge_id: id = 0, changes = {} } = operation;
    if (op === 'create_node' && node !== undefined) {
      const made = { type: node.component_type, label: null, x: node.position_x, y: 0 };
      return this.nodes.has(node.node_id) ? null : this.#with(new Map([...this.nodes, [node.node_id, made]]));
    }
    if (op === 'create_edge' && edge !== undefined) {
      const { source_node_id: source, target_node_id: target, edge_label: label, condition_value: route = null } = edge;
      return this.#withEdge({ id: null, source, target, label, route, priority: 0 }, null);
    }
    if (op === 'update_node') return this.#updated(name, changes);
    if (op === 'delete_node') return this.#without(name);
    const old = this.edges.find((other) => other.id === id);
    if (old === undefined) return null;
    if (op === 'delete_edge')
      return this.#with(
        this.nodes,
        this.edges.filter((other) => other !== old),
      );
    const { target_node_id: target = old.target, edge_label: label = old.label, priority = old.priority } = changes;
    return this.#withEdge({ ...old, target, label, priority }, old);
  }

  /** For each node name, the name of the model that the node is linked to. */
  get models(): ReadonlyMap<string, string> {
    const links = this.edges.filter(({ label, source }) => label === 'llm' && this.nodes.has(source));
    return new Map(links.filter(({ target }) => this.nodes.has(target)).map(({ target, source }) => [target, source]));
  }

  #with(nodes: ReadonlyMap<string, ModelNode>, edges = this.edges): GraphModel {
    return new GraphModel(nodes, edges);
  }

  #updated(
    name: string,
    { node_id: to = name, label, position_y: y }: NonNullable<ModelOperation['changes']>,
  ): GraphModel | null {
    const node = this.nodes.get(name);
    if (node === undefined || (to !== name && this.nodes.has(to))) return null;
    const after = { ...node, label: label ?? node.label, y: y ?? node.y };
    const nodes = [...this.nodes].map(([other, value]) =>
      other === name ? ([to, after] as const) : ([other, value] as const),
    );
    const end = (other: string) => (other === name ? to : other);
    return this.#with(
      new Map(nodes),
      this.edges.map((edge) => ({ ...edge, source: end(edge.source), target: end(edge.target) })),
    );
  }

  #without(name: string): GraphModel | null {
    if (!this.nodes.has(name)) return null;
    const nodes = [...this.nodes].filter(([other]) => other !== name);
    return this.#with(
      new Map(nodes),
      this.edges.filter(({ source, target }) => source !== name && target !== name),
    );
  }

  #withEdge(edge: ModelEdge, old: ModelEdge | null): GraphModel | null {
    const others = this.edges.filter((other) => other !== old);
    const [source, target] = [this.nodes.get(edge.source), this.nodes.get(edge.target)];
    if (edge.route !== null && source?.type !== 'switch') return null;
    if (edge.source === edge.target) return null;
    if (source !== undefined && target !== undefined && !fits(source.type, target.type, edge.label)) return null;
    const keyOf = (one: ModelEdge) => [one.source, one.target, one.label, one.route].join();
    if (others.some((other) => keyOf(other) === keyOf(edge))) return null;
    return this.#with(
      this.nodes,
      old === null ? [...others, edge] : this.edges.map((other) => (other === old ? edge : other)),
    );
  }
}

function fits(source: string, target: string, label: string): boolean {
  const [from, to] = [testCatalogue.get(source), testCatalogue.get(target)];
  return from !== undefined && to !== undefined && canConnect(from, to, label as EdgeLabel) === null;
}

import type { EdgeRow, NodeRow } from './graph-rows.ts';

/** How to restore one object to its state before a change: as columns, so that nothing is parsed to store it. */
export type Undo =
  | { readonly drop: 'node' | 'edge'; readonly id: number }
  | { readonly node: NodeRow }
  | { readonly edge: EdgeRow }
  | { readonly set: 'node' | 'edge'; readonly id: number; readonly columns: Readonly<Record<string, unknown>> };

/** The columns that an update changes, with their previous values: moving a node must not store its config again. */
export function changedColumns(
  before: object,
  names: readonly string[],
  values: readonly unknown[],
): Readonly<Record<string, unknown>> {
  const changed: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) {
    const value = (before as Readonly<Record<string, unknown>>)[name];
    if (value !== values[index]) changed[name] = value;
  }
  return changed;
}

/** The rows of a graph while an earlier version is restored from it. */
export class GraphRows {
  readonly #nodes: Map<number, NodeRow>;
  readonly #edges: Map<number, EdgeRow>;

  constructor(nodes: readonly NodeRow[], edges: readonly EdgeRow[]) {
    this.#nodes = new Map(nodes.map((row) => [row.id, row]));
    this.#edges = new Map(edges.map((row) => [row.id, row]));
  }

  /** In id order, as in a graph. */
  get nodes(): readonly NodeRow[] {
    return [...this.#nodes.values()].sort((a, b) => a.id - b.id);
  }

  get edges(): readonly EdgeRow[] {
    return [...this.#edges.values()].sort((a, b) => a.id - b.id);
  }

  undo(undo: Undo): void {
    if ('node' in undo) this.#nodes.set(undo.node.id, undo.node);
    else if ('edge' in undo) this.#edges.set(undo.edge.id, undo.edge);
    else if ('drop' in undo) (undo.drop === 'node' ? this.#nodes : this.#edges).delete(undo.id);
    else if (undo.set === 'node') set(this.#nodes, undo.id, undo.columns);
    else set(this.#edges, undo.id, undo.columns);
  }
}

function set<Row>(rows: Map<number, Row>, id: number, columns: object): void {
  const row = rows.get(id);
  if (row !== undefined) rows.set(id, { ...row, ...columns });
}

import type { EdgeFields, NodeChanges, NodeFields } from '@millrace/core/editing';

/**
 * One change of the draft. Nodes have the names of the graph. Edges have keys, because the service gives an edge its id
 * only when it stores it, and another one after a deletion is undone. The key of an edge that the service knew first is
 * its id as text.
 */
export type DraftOperation =
  | { readonly op: 'create_node'; readonly node: NodeFields }
  | ({ readonly op: 'update_node'; readonly nodeId: string; readonly changes: NodeChanges } & Contestable)
  | ({ readonly op: 'delete_node'; readonly nodeId: string } & Contestable)
  | { readonly op: 'create_edge'; readonly key: string; readonly edge: EdgeFields }
  | ({ readonly op: 'update_edge'; readonly key: string; readonly changes: Partial<EdgeFields> } & Contestable)
  | ({ readonly op: 'delete_edge'; readonly key: string } & Contestable);

interface Contestable {
  /** Whether somebody else changed the same after this operation was noted for an undo: a person must decide. */
  readonly isContested?: true;
}

/** What one user action changes; it is saved as a whole and undone as a whole. */
export interface Gesture {
  readonly id: string;
  /** For people: `Move 3 nodes`. */
  readonly label: string;
  readonly operations: readonly DraftOperation[];
}

/**
 * The same gesture without changes of edges that it creates: the service gives them their ids only afterwards. An edge
 * is created in its final form, or not at all.
 */
export function settled(operations: readonly DraftOperation[]): readonly DraftOperation[] {
  const result: (DraftOperation | null)[] = [];
  const created = new Map<string, number>();
  for (const operation of operations) {
    const index = 'key' in operation ? created.get(operation.key) : undefined;
    const creation = index === undefined ? null : result[index];
    if (operation.op === 'create_edge') created.set(operation.key, result.length);
    if (index !== undefined && creation?.op === 'create_edge' && operation.op === 'delete_edge') {
      result[index] = null;
      created.delete(operation.key);
    } else if (index !== undefined && creation?.op === 'create_edge' && operation.op === 'update_edge') {
      result[index] = { ...creation, edge: { ...creation.edge, ...operation.changes } };
    } else {
      result.push(operation);
    }
  }
  return result.filter((operation) => operation !== null);
}

import { type EditRules, findNode, type NodeChanges, type NodeFields, type Rename } from '@millrace/core/editing';
import type { DraftOperation } from './operation.ts';
import type { View } from './view.ts';

/**
 * The present names of nodes that operations know by earlier names, because somebody else renamed a node or took a name.
 * Operations are passed in their order: an operation that gives a node a name ends what the name stood for before.
 */
export class Names {
  readonly #present: Map<string, string>;

  constructor(renames: readonly Rename[] = []) {
    this.#present = new Map(renames.map(({ from, to }) => [from, to]));
  }

  get isEmpty(): boolean {
    return this.#present.size === 0;
  }

  of(name: string): string {
    return this.#present.get(name) ?? name;
  }

  /** From here on, operations that use the name mean another node, or one with another name. */
  given(name: string, present: string): void {
    if (name === present) this.#present.delete(name);
    else this.#present.set(name, present);
  }

  /** After an operation, the names that it gives and frees mean what it says. */
  follow(operation: DraftOperation): void {
    if (operation.op === 'create_node') this.#present.delete(operation.node.nodeId);
    const name = operation.op === 'update_node' ? operation.changes.nodeId : undefined;
    if (operation.op !== 'update_node' || name === undefined || name === operation.nodeId) return;
    this.#present.delete(operation.nodeId);
    this.#present.delete(name);
  }

  /** The operation with present names; a name that it gives is not changed. */
  in(operation: DraftOperation, rules: EditRules, view: View): DraftOperation {
    if (this.isEmpty) return operation;
    switch (operation.op) {
      case 'create_node':
        return { ...operation, node: this.#inTexts(operation.node, rules) };
      case 'update_node': {
        const nodeId = this.of(operation.nodeId);
        return { ...operation, nodeId, changes: this.#inChanges(operation.changes, nodeId, { rules, view }) };
      }
      case 'delete_node':
        return { ...operation, nodeId: this.of(operation.nodeId) };
      case 'create_edge':
        return { ...operation, edge: this.#inEnds(operation.edge) };
      case 'update_edge':
        return { ...operation, changes: this.#inEnds(operation.changes) };
      case 'delete_edge':
        return operation;
    }
  }

  #inEnds<Ends extends { readonly sourceNodeId?: string; readonly targetNodeId?: string }>(ends: Ends): Ends {
    const { sourceNodeId, targetNodeId } = ends;
    return {
      ...ends,
      ...(sourceNodeId !== undefined && { sourceNodeId: this.of(sourceNodeId) }),
      ...(targetNodeId !== undefined && { targetNodeId: this.of(targetNodeId) }),
    };
  }

  #inChanges(
    changes: NodeChanges,
    nodeId: string,
    { rules, view }: { readonly rules: EditRules; readonly view: View },
  ): NodeChanges {
    const node = findNode(view.graph, nodeId);
    if (changes.config === undefined || node === undefined) return changes;
    const { config } = this.#inTexts({ ...node, config: changes.config as NodeFields['config'] }, rules);
    return { ...changes, config };
  }

  #inTexts(fields: NodeFields, rules: EditRules): NodeFields {
    let node = { ...fields, id: 0, updatedAt: 0 };
    for (const [from, to] of this.#present) node = { ...node, config: rules.renamed(node, { from, to }) };
    return { ...fields, config: node.config };
  }
}

import {
  type Catalogue,
  type Edge,
  type Graph,
  type GraphOperation,
  type Node,
  planOperations,
  rejectionOf,
  type User,
  type Workflow,
} from '@millrace/core';
import type { Store } from '../../store/store.ts';
import { editRules } from './edit-rules.ts';
import { editOf, type Graphs, type PlanEdit } from './graphs.ts';
import { checkReferences, type ReferenceStore } from './node-references.ts';
import { expectVersion, type StaleGraph, unlessStale } from './stale-version.ts';

/** The result of a list of operations. */
export interface AppliedOperations {
  readonly kind: 'applied';
  readonly version: number;
  /** For each operation the object that it created or updated; null for a deletion. */
  readonly objects: readonly (Node | Edge | null)[];
}

/** Several edits of a graph in one transaction. */
export interface GraphOperations {
  /** Applies all operations or none. @throws Problem `invalid` or `conflict` with the index of the operation */
  apply(user: User, workflow: Workflow, batch: OperationBatch): Promise<AppliedOperations | StaleGraph>;
}

interface OperationBatch {
  /** The version that the caller has read. */
  readonly version: number;
  readonly operations: readonly GraphOperation[];
  /** A repeated request with this id gets the same answer, and is not applied again. */
  readonly requestId: string | null;
}

interface OperationsPorts {
  readonly store: ReferenceStore & Pick<Store, 'graphs'>;
  readonly graphs: Graphs;
  readonly catalogue: Catalogue;
}

export function createGraphOperations(ports: OperationsPorts): GraphOperations {
  const { store, graphs } = ports;
  const rules = editRules(ports.catalogue);
  return {
    async apply(user, workflow, batch) {
      const { version, operations, requestId } = batch;
      const current = await graphs.current(workflow);
      const earlier = current.version === version ? null : await savedEarlier(store, workflow, batch);
      if (earlier !== null) return earlier;
      await checkOperations(store, user, { graph: current, operations });
      const outcome = await unlessStale<AppliedOperations>(ports, workflow, async () => {
        let firsts: readonly number[] = [];
        const plan: PlanEdit = (graph) => {
          expectVersion(graph, version);
          const planned = planOperations(rules, graph, operations);
          firsts = planned.firsts;
          return planned.changes;
        };
        const request = requestId === null ? {} : { request: { id: requestId, firsts: () => firsts } };
        const result = await graphs.edit(workflow, plan, { ...editOf(user), ...request });
        return { kind: 'applied', version: result.version, objects: firsts.map((at) => result.saved[at] ?? null) };
      });
      // The same request may have been saved while this one waited.
      return (outcome.kind === 'stale' ? await savedEarlier(store, workflow, batch) : null) ?? outcome;
    },
  };
}

/** The answer to the same request when it was saved: a save on a version creates the next one. */
async function savedEarlier(
  store: Pick<Store, 'graphs'>,
  { id: workflowId }: Workflow,
  { version, requestId }: OperationBatch,
): Promise<AppliedOperations | null> {
  if (requestId === null) return null;
  const saved = await store.graphs.savedRequest({ workflowId, version: version + 1, requestId });
  return saved && { kind: 'applied', ...saved };
}

async function checkOperations(
  store: ReferenceStore,
  user: User,
  { graph, operations }: { readonly graph: Graph; readonly operations: readonly GraphOperation[] },
): Promise<void> {
  const nodes = new Map(graph.nodes.map((node) => [node.nodeId, node]));
  for (const [index, operation] of operations.entries()) {
    if (operation.op !== 'create_node' && operation.op !== 'update_node') continue;
    const fields = operation.op === 'create_node' ? operation.node : operation.changes;
    const stored = operation.op === 'update_node' ? nodes.get(operation.nodeId) : undefined;
    await checkReferences(store, user, { ...fields, stored }).catch((error: unknown) => {
      throw rejectionOf(error, operation.op, index);
    });
  }
}

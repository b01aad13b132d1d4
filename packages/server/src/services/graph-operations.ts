import type { Catalogue, Edge, Node, User, Workflow } from '@millrace/core';
import type { VersionedGraph } from '../store/store.ts';
import { type AccessStore, workflowNotFound } from './access.ts';
import type { Graphs } from './graphs.ts';
import { type GraphOperation, planOperations } from './operation-plan.ts';
import { refusalOf } from './refused-operation.ts';
import { checkSubworkflow } from './subworkflow.ts';

/** What became of a list of operations. */
export type OperationsOutcome =
  | {
      readonly kind: 'applied';
      readonly version: number;
      /** For each operation the object that it made or changed; null for what it deleted. */
      readonly objects: readonly (Node | Edge | null)[];
    }
  /** Somebody else changed the graph since the version that the operations are based on: nothing was done. */
  | { readonly kind: 'stale'; readonly workflow: Workflow; readonly graph: VersionedGraph };

/** Several edits of a graph as one. */
export interface GraphOperations {
  /** Applies all or none, each as if it were alone. @throws Problem `invalid` or `conflict`, naming the operation */
  apply(user: User, workflow: Workflow, batch: OperationBatch): Promise<OperationsOutcome>;
}

interface OperationBatch {
  /** The version that the caller saw. */
  readonly version: number;
  readonly operations: readonly GraphOperation[];
}

interface OperationsPorts {
  readonly store: AccessStore;
  readonly graphs: Graphs;
  readonly catalogue: Catalogue;
}

export function createGraphOperations(ports: OperationsPorts): GraphOperations {
  const { store, graphs, catalogue } = ports;
  return {
    async apply(user, workflow, { version, operations }) {
      await checkSubworkflows(store, user, operations);
      let firsts: readonly number[] = [];
      try {
        const result = await graphs.edit(workflow, (graph) => {
          if (graph.version !== version) throw new StaleVersion();
          const plan = planOperations(catalogue, graph, operations);
          firsts = plan.firsts;
          return plan.changes;
        });
        return { kind: 'applied', version: result.version, objects: firsts.map((at) => result.saved[at] ?? null) };
      } catch (error) {
        if (!(error instanceof StaleVersion)) throw error;
        return { kind: 'stale', ...(await present(ports, workflow)) };
      }
    },
  };
}

/** The workflow and its graph as they are now. */
async function present({ store, graphs }: OperationsPorts, { id }: Workflow) {
  const row = await store.workflows.byId(id);
  if (row === null) throw workflowNotFound();
  const graph = await graphs.current(row);
  // The graph may be newer than the row.
  const counts = { nodeCount: graph.nodes.length, edgeCount: graph.edges.length };
  return { workflow: { ...row, ...counts, version: graph.version }, graph };
}

/** Thrown within an edit to leave it; nobody else sees it. */
class StaleVersion extends Error {}

async function checkSubworkflows(store: AccessStore, user: User, operations: readonly GraphOperation[]): Promise<void> {
  for (const [index, operation] of operations.entries()) {
    if (operation.op !== 'create_node' && operation.op !== 'update_node') continue;
    const fields = operation.op === 'create_node' ? operation.node : operation.changes;
    await checkSubworkflow(store, user, fields).catch((error: unknown) => {
      throw refusalOf(error, operation.op, index);
    });
  }
}

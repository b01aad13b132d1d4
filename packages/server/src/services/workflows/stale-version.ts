import type { Workflow } from '@millrace/core';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { workflowNotFound } from '../access/access.ts';
import type { Graphs } from './graphs.ts';

/** Somebody else changed the graph since the version that the caller saw: nothing was done. This is what it is now. */
export interface StaleGraph extends CurrentGraph {
  readonly kind: 'stale';
}

/** A workflow with its graph, both as they are now. */
export interface CurrentGraph {
  readonly workflow: Workflow;
  readonly graph: VersionedGraph;
}

interface StalePorts {
  readonly store: Pick<Store, 'workflows'>;
  readonly graphs: Graphs;
}

class StaleVersion extends Error {}

/** Leaves an edit whose graph is not at the version that the caller saw; see `unlessStale`. */
export function expectVersion(graph: VersionedGraph, version: number): void {
  if (graph.version !== version) throw new StaleVersion();
}

/** What an edit gives, or the graph as it is now when `expectVersion` left it. */
export async function unlessStale<Result>(
  ports: StalePorts,
  workflow: Workflow,
  edit: () => Promise<Result>,
): Promise<Result | StaleGraph> {
  try {
    return await edit();
  } catch (error) {
    if (!(error instanceof StaleVersion)) throw error;
    return { kind: 'stale', ...(await currentGraph(ports, workflow)) };
  }
}

/** @throws Problem `not_found` when the workflow was deleted meanwhile */
export async function currentGraph({ store, graphs }: StalePorts, { id }: Workflow): Promise<CurrentGraph> {
  const row = await store.workflows.byId(id);
  if (row === null) throw workflowNotFound();
  const graph = await graphs.current(row);
  // The graph may be newer than the row.
  const counts = { nodeCount: graph.nodes.length, edgeCount: graph.edges.length };
  return { workflow: { ...row, ...counts, version: graph.version }, graph };
}

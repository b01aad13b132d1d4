import type { Workflow } from '@millrace/core';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { workflowNotFound } from '../access/access.ts';
import type { Graphs } from './graphs.ts';

/**
 * The graph has changed since the version that the caller has read, so nothing was done. It contains the current graph.
 */
export interface StaleGraph extends CurrentGraph {
  readonly kind: 'stale';
}

/** A workflow with its graph, both in the current state. */
export interface CurrentGraph {
  readonly workflow: Workflow;
  readonly graph: VersionedGraph;
}

interface StalePorts {
  readonly store: Pick<Store, 'workflows'>;
  readonly graphs: Graphs;
}

class StaleVersion extends Error {}

/** Aborts an edit if the graph is not at the version that the caller has read; see `unlessStale`. */
export function expectVersion(graph: VersionedGraph, version: number): void {
  if (graph.version !== version) throw new StaleVersion();
}

/** The result of an edit, or the current graph if `expectVersion` aborted it. */
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

/** @throws Problem `not_found` if the workflow was deleted meanwhile */
export async function currentGraph({ store, graphs }: StalePorts, { id }: Workflow): Promise<CurrentGraph> {
  const row = await store.workflows.byId(id);
  if (row === null) throw workflowNotFound();
  const graph = await graphs.current(row);
  // The graph may be newer than the row.
  const counts = { nodeCount: graph.nodes.length, edgeCount: graph.edges.length };
  return { workflow: { ...row, ...counts, version: graph.version }, graph };
}

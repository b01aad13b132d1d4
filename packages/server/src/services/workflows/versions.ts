import { type Graph, Problem, type User, type Workflow } from '@millrace/core';
import type { GraphVersion } from '../../store/graphs.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import type { Graphs, PlanEdit } from './graphs.ts';
import { planRestore } from './restore-plan.ts';
import { type CurrentGraph, currentGraph, expectVersion, type StaleGraph, unlessStale } from './stale-version.ts';

/** A version with its graph. */
export interface VersionDetail {
  readonly info: GraphVersion;
  readonly graph: Graph;
}

/** The stored versions of a workflow. */
export interface Versions {
  /** Newest first. */
  list(workflow: Workflow, page: { readonly limit: number; readonly offset: number }): Promise<Page<GraphVersion>>;
  /** @throws Problem `not_found` */
  find(workflow: Workflow, version: number | null): Promise<VersionDetail>;
  /** Makes the graph of an earlier version the newest one. */
  restore(user: User, workflow: Workflow, restoration: Restoration): Promise<Restored | StaleGraph>;
}

interface Restoration {
  readonly target: VersionDetail;
  /** The version that the caller has read; null restores the version whatever has changed since. */
  readonly baseVersion: number | null;
}

/** The workflow with its restored graph. */
interface Restored extends CurrentGraph {
  readonly kind: 'restored';
}

interface VersionsPorts {
  readonly store: Pick<Store, 'workflows' | 'graphs'>;
  readonly graphs: Graphs;
}

/** The version never existed, or it was pruned. */
export function versionNotFound(): Problem {
  return new Problem('not_found', 'Version not found.');
}

export function createVersions(ports: VersionsPorts): Versions {
  const { store, graphs } = ports;
  return {
    list: ({ id: workflowId }, page) => store.graphs.versions({ workflowId, ...page }),
    async find({ id: workflowId }, version) {
      const found = version === null ? null : await store.graphs.at({ workflowId, version });
      if (found === null) throw versionNotFound();
      return found;
    },
    restore: (user, workflow, { target, baseVersion }) =>
      unlessStale<Restored>(ports, workflow, async () => {
        const plan: PlanEdit = (graph) => {
          if (baseVersion !== null) expectVersion(graph, baseVersion);
          return planRestore(graph, target.graph);
        };
        await graphs.edit(workflow, plan, { authorId: user.id, restoredFrom: target.info.version });
        return { kind: 'restored', ...(await currentGraph(ports, workflow)) };
      }),
  };
}

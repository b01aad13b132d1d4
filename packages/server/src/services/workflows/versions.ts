import { type Graph, Problem, type User, type Workflow } from '@millrace/core';
import { FairTurns } from '../../ground/fair-turns.ts';
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

/** A version that somebody asks for. */
interface WantedVersion {
  readonly workflow: Workflow;
  /** Null names none. */
  readonly version: number | null;
}

/** Who asks for a version. */
interface VersionReader {
  readonly user: User;
  /** Aborted when the reader does not wait any more. */
  readonly gone?: AbortSignal;
}

/** Versions that are read at once. A graph of 8 MiB of JSON and its answer take up to 100 MB of memory. */
const maxVersionsAtOnce = 2;

/** Reads of versions that wait. A large one takes up to half a second. */
const maxVersionsWaiting = 200;

/** The stored versions of a workflow. */
export interface Versions {
  /** Newest first. */
  list(workflow: Workflow, page: { readonly limit: number; readonly offset: number }): Promise<Page<GraphVersion>>;
  /**
   * Reads a version and works with it. Few versions are in memory at once, because each may be large; users take turns.
   * @param use must not read another version, which would wait for this one
   * @throws Problem `not_found`, or `overloaded` if too many are waiting or the reader is gone
   */
  read<Result>(
    reader: VersionReader,
    wanted: WantedVersion,
    use: (found: VersionDetail) => Promise<Result>,
  ): Promise<Result>;
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
  const reads = new FairTurns({
    atOnce: maxVersionsAtOnce,
    waiting: maxVersionsWaiting,
    message: 'Too many versions of workflows are being read. Try again in a moment.',
  });
  return {
    list: ({ id: workflowId }, page) => store.graphs.versions({ workflowId, ...page }),
    async read({ user, gone }, { workflow: { id: workflowId }, version }, use) {
      if (version === null) throw versionNotFound();
      const read = async () => {
        const found = await store.graphs.at({ workflowId, version });
        if (found === null) throw versionNotFound();
        return use(found);
      };
      return reads.take({ id: String(user.id), isKnown: true }, read, gone);
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

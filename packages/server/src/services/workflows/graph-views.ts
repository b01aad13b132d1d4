import { publicGraph, type User, type Workflow } from '@millrace/core';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { isMember, standingOf } from '../access/access.ts';
import type { Graphs } from './graphs.ts';

/** The newest graphs of workflows, as far as their readers may see them. */
export interface GraphViews {
  /** Public viewers see no data of runs: neither pinned outputs nor payloads. @throws Problem `not_found` */
  current(reader: Pick<User, 'id'>, workflow: Workflow): Promise<VersionedGraph>;
}

interface GraphViewsPorts {
  readonly store: Pick<Store, 'collaborators'>;
  readonly graphs: Pick<Graphs, 'current'>;
}

export function createGraphViews({ store, graphs }: GraphViewsPorts): GraphViews {
  return {
    async current(reader, workflow) {
      const graph = await graphs.current(workflow);
      const shown = publicGraph(graph);
      return shown === graph || isMember(await standingOf(store, reader, workflow)) ? graph : shown;
    },
  };
}

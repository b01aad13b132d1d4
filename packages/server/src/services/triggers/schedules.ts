import {
  type Graph,
  type Node,
  Problem,
  type Schedule,
  type ScheduleState,
  scheduleType,
  type User,
  type Workflow,
  withoutPast,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';
import { isMember, standingOf } from '../access/access.ts';
import { nodeNotFound } from '../workflows/node-edits.ts';

/** The schedules of trigger_schedule nodes, as people see and steer them. */
export interface Schedules {
  /** Those of a graph, or of a part of it, by the ids of their nodes; what their runs were is shown to members only. */
  of(workflow: Workflow, graph: Pick<Graph, 'nodes'>, reader: User): Promise<ReadonlyMap<number, Schedule>>;
  /** @throws Problem `not_a_schedule`, or `not_found` when the node is gone */
  setState(node: Node, state: ScheduleState): Promise<Schedule>;
}

interface SchedulesPorts {
  readonly store: Pick<Store, 'schedules' | 'collaborators'>;
  readonly clock: Pick<Clock, 'now'>;
}

const none: ReadonlyMap<number, Schedule> = new Map();

export function createSchedules({ store, clock }: SchedulesPorts): Schedules {
  return {
    async of(workflow, graph, reader) {
      if (!hasSchedules(graph)) return none;
      const found = await store.schedules.ofWorkflow(workflow.id);
      const shown = isMember(await standingOf(store, reader, workflow)) ? found : found.map(withoutPast);
      return new Map(shown.map((schedule) => [schedule.id, schedule]));
    },
    async setState(node, state) {
      if (node.componentType !== scheduleType) {
        throw new Problem('not_a_schedule', 'Node is not a trigger_schedule.');
      }
      const schedule = await store.schedules.setState({ id: node.id, state, at: clock.now() });
      // It went with its node, a moment ago.
      if (schedule === null) throw nodeNotFound();
      return schedule;
    },
  };
}

// Weak: what was found out lives as long as whoever keeps the nodes.
const known = new WeakMap<readonly Node[], boolean>();

/** Whether a graph has nodes that fire by the clock. */
export function hasSchedules({ nodes }: Pick<Graph, 'nodes'>): boolean {
  const answer = known.get(nodes) ?? nodes.some((node) => node.componentType === scheduleType);
  known.set(nodes, answer);
  return answer;
}

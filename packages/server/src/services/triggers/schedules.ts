import {
  expectNode,
  findNode,
  type Graph,
  type Node,
  nodeNotFound,
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
import type { Graphs } from '../workflows/graphs.ts';

/** The schedules of trigger_schedule nodes, which users read, start, pause and stop. */
export interface Schedules {
  /** The schedules of a graph, or of a part of it, by the ids of their nodes; only members see their past runs. */
  of(workflow: Workflow, graph: Pick<Graph, 'nodes'>, reader: User): Promise<ReadonlyMap<number, Schedule>>;
  /**
   * A node of the version that triggers run, or else of the newest version: published schedules can be paused even if
   * the draft has removed or renamed their nodes.
   * @throws Problem `not_found`
   */
  find(workflow: Workflow, nodeId: string): Promise<ScheduleNode>;
  /** @throws Problem `not_a_schedule`, `conflict` if the node is only in the draft, `not_found` if it was deleted */
  setState(node: ScheduleNode, state: ScheduleState): Promise<Schedule>;
}

/** A node whose schedule is to be started, paused or stopped. */
export interface ScheduleNode {
  /** As in the newest version, or as in the published version if the draft no longer has it. */
  readonly node: Node;
  /** True if the version that triggers run has the node. */
  readonly isEffective: boolean;
}

interface SchedulesPorts {
  readonly store: Pick<Store, 'schedules' | 'collaborators'>;
  readonly graphs: Graphs;
  readonly clock: Pick<Clock, 'now'>;
}

const none: ReadonlyMap<number, Schedule> = new Map();

export function createSchedules({ store, graphs, clock }: SchedulesPorts): Schedules {
  return {
    async of(workflow, graph, reader) {
      if (!hasSchedules(graph)) return none;
      const found = await store.schedules.ofWorkflow(workflow.id);
      const shown = isMember(await standingOf(store, reader, workflow)) ? found : found.map(withoutPast);
      return new Map(shown.map((schedule) => [schedule.id, schedule]));
    },
    async find(workflow, nodeId) {
      const [effective, newest] = [await graphs.effective(workflow), await graphs.current(workflow)];
      const node = findNode(effective, nodeId) ?? expectNode(newest, nodeId);
      const has = (graph: Graph) => graph.nodes.find(({ id }) => id === node.id);
      return { node: has(newest) ?? node, isEffective: has(effective) !== undefined };
    },
    async setState({ node, isEffective }, state) {
      if (node.componentType !== scheduleType) {
        throw new Problem('not_a_schedule', 'Node is not a trigger_schedule.');
      }
      if (!isEffective) {
        throw new Problem('conflict', `Node '${node.nodeId}' is only in the draft: publish it to start its schedule.`);
      }
      const schedule = await store.schedules.setState({ id: node.id, state, at: clock.now() });
      // It was removed meanwhile.
      if (schedule === null) throw nodeNotFound();
      return schedule;
    },
  };
}

// Weak: an entry lives as long as the nodes are cached.
const known = new WeakMap<readonly Node[], boolean>();

/** True if a graph has schedule nodes. */
export function hasSchedules({ nodes }: Pick<Graph, 'nodes'>): boolean {
  const answer = known.get(nodes) ?? nodes.some((node) => node.componentType === scheduleType);
  known.set(nodes, answer);
  return answer;
}

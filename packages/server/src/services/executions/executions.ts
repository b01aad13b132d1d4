import {
  type Catalogue,
  type Execution,
  type ExecutionStatus,
  executionLog,
  type Instant,
  isEnded,
  type LogEntry,
  Problem,
  type User,
  type Workflow,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { ReadableExecution } from '../../store/executions.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import { isMember, standingOf } from '../access/access.ts';
import { isExecutionId, loadExecution, loadExecutionDetail, loadSteerable } from './execution-access.ts';
import { type ManuallyStarted, type ManualStart, type ManualStartPorts, startManually } from './manual-start.ts';
import { planOfShownRun } from './run-plan.ts';

/** Which executions a list shows. */
export interface ListRequest {
  readonly workflowSlug?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Runs as people see and steer them. An execution of a foreign workflow is as good as missing. */
export interface Executions {
  list(user: User, request: ListRequest): Promise<Page<Execution>>;
  /** @throws Problem `not_found` */
  find(user: User, id: string): Promise<Execution>;
  /** @throws Problem `not_found` */
  detail(user: User, id: string): Promise<ReadableExecution>;
  /** One that the user may steer. @throws Problem `not_found`, `read_only` */
  findToSteer(user: User, id: string): Promise<Execution>;
  /** The log of an execution; without inputs and queue times when something that they follow from is damaged. */
  log(detail: ReadableExecution): Promise<readonly LogEntry[]>;
  /** Ends a pending run, asks a running one to stop. @throws Problem `conflict` when it has ended */
  cancel(execution: Execution): Promise<Execution>;
  /** Deletes those that have ended; unknown and foreign ones are ignored. */
  remove(user: User, ids: readonly string[]): Promise<void>;
  /** Starts a workflow by hand. @throws Problem `invalid`, `overloaded` or `idempotency_conflict` */
  start(workflow: Workflow, start: ManualStart): Promise<ManuallyStarted>;
}

interface ExecutionsPorts extends ManualStartPorts {
  readonly store: Pick<Store, 'executions' | 'workflows' | 'collaborators' | 'graphs'>;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
}

export function createExecutions(ports: ExecutionsPorts): Executions {
  const { store, clock } = ports;
  return {
    async list(user, { workflowSlug, limit, offset, ...filter }) {
      const workflowId = workflowSlug === undefined ? undefined : await memberWorkflowId(ports, user, workflowSlug);
      // A foreign workflow has, for this user, no executions: the same as a missing one.
      if (workflowId === null) return { items: [], total: 0 };
      return store.executions.list({ ...defined({ ...filter, workflowId }), visibleTo: user.id, limit, offset });
    },
    find: async (user, id) => (await loadExecution(store, user, id)).execution,
    detail: (user, id) => loadExecutionDetail(store, user, id),
    findToSteer: (user, id) => loadSteerable(store, user, id),
    log: (detail) => logOf(ports, detail),
    async cancel(before) {
      const { id } = before;
      if (before.status === 'cancelled') return before;
      const outcome = isEnded(before.status) ? 'ended' : await store.executions.cancel({ id, at: clock.now() });
      const after = (await store.executions.byId(id)) ?? before;
      if (outcome === 'ended' && after.status !== 'cancelled') {
        throw new Problem('conflict', `Execution has already ended: it is ${after.status}.`);
      }
      return after;
    },
    async remove(user, ids) {
      await store.executions.remove({ ids: ids.filter(isExecutionId), removableBy: user.id });
    },
    start: (workflow, start) => startManually(ports, workflow, start),
  };
}

/** Only the fields that have a value. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as typeof fields;
}

async function memberWorkflowId({ store }: ExecutionsPorts, user: User, slug: string): Promise<number | null> {
  const workflow = await store.workflows.bySlug(slug);
  if (workflow === null || !isMember(await standingOf(store, user, workflow))) return null;
  return workflow.id;
}

async function logOf(ports: ExecutionsPorts, detail: ReadableExecution): Promise<readonly LogEntry[]> {
  const { trigger, acceptedAt, journal } = detail;
  // A run of a version that cannot run any more still has outputs and errors to show.
  const plan = detail.unreadable.length > 0 ? null : await planOfShownRun(ports, detail);
  return executionLog({ plan, trigger, acceptedAt, journal });
}

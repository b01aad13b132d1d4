import {
  type Catalogue,
  type Execution,
  type ExecutionStatus,
  executionLogInSlices,
  type Instant,
  isEnded,
  type LogEntry,
  Problem,
  type SlicedWork,
  type User,
  type Workflow,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { FairTurns } from '../../ground/fair-turns.ts';
import type { Turns } from '../../ground/turns.ts';
import type { OwnedExecution, ReadableExecution } from '../../store/executions.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import { isMember, standingOf } from '../access/access.ts';
import { executionNotFound, isExecutionId, loadExecution, loadSteerable } from './execution-access.ts';
import { type ManuallyStarted, type ManualStart, type ManualStartPorts, startManually } from './manual-start.ts';
import { withMemory } from './remembered-prompt.ts';
import { planOfShownRun } from './run-plan.ts';

/** The filters of a list of executions. */
export interface ListRequest {
  readonly workflowSlug?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
  readonly since?: Instant | undefined;
  readonly until?: Instant | undefined;
  readonly q?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Who reads an execution. */
interface Reader {
  readonly user: User;
  /** Aborted when the reader does not wait any more. */
  readonly gone: AbortSignal;
  /** The id of the log entry that is read with the prompt of its model, if it is a call of one. */
  readonly promptOf?: number | undefined;
}

/** Large executions that wait to be read. Each takes up to two seconds. */
const maxReadsWaiting = 100;

/** Reads and controls executions for users. An execution of a foreign workflow looks like a missing one. */
export interface Executions {
  list(user: User, request: ListRequest): Promise<Page<Execution>>;
  /** @throws Problem `not_found` */
  find(user: User, id: string): Promise<OwnedExecution>;
  /**
   * Presents an execution with its log; that has no inputs and queue times if the data that they are computed from is
   * damaged. Large ones are read one after the other, so that their values are not in memory at the same time; users
   * take turns.
   * @throws Problem `not_found` if it was deleted meanwhile, `overloaded` if too many are waiting or the reader is gone
   */
  show<Shown>(
    execution: Execution,
    reader: Reader,
    prepare: (detail: ReadableExecution, log: readonly LogEntry[]) => Promise<SlicedWork<Shown>>,
  ): Promise<Shown>;
  /** An execution that the user may control. @throws Problem `not_found`, `read_only` */
  findToSteer(user: User, id: string): Promise<Execution>;
  /** Ends a pending run, requests a running one to stop. @throws Problem `conflict` if it has ended */
  cancel(execution: Execution): Promise<Execution>;
  /** Deletes executions that have ended; unknown and foreign ids are ignored. */
  remove(user: User, ids: readonly string[]): Promise<void>;
  /** Starts a workflow manually. @throws Problem `invalid`, `overloaded` or `idempotency_conflict` */
  start(workflow: Workflow, start: ManualStart): Promise<ManuallyStarted>;
}

interface ExecutionsPorts extends ManualStartPorts {
  readonly store: Pick<Store, 'executions' | 'workflows' | 'collaborators' | 'graphs' | 'chats' | 'recordings'>;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly turns: Pick<Turns, 'finish'>;
}

export function createExecutions(ports: ExecutionsPorts): Executions {
  const { store, clock, turns } = ports;
  const reads = new FairTurns({
    atOnce: 1,
    waiting: maxReadsWaiting,
    message: 'Too many large executions are being read. Try again in a moment.',
  });
  return {
    async list(user, { workflowSlug, limit, offset, ...filter }) {
      const workflowId = workflowSlug === undefined ? undefined : await memberWorkflowId(ports, user, workflowSlug);
      // A foreign workflow has no executions for this user, as a missing one.
      if (workflowId === null) return { items: [], total: 0 };
      return store.executions.list({ ...defined({ ...filter, workflowId }), visibleTo: user.id, limit, offset });
    },
    find: async (user, id) => (await loadExecution(store, user, id)).execution,
    async show({ id }, { user, gone, promptOf }, prepare) {
      const read = async () => {
        const detail = await store.executions.readable(id);
        if (detail === null) throw executionNotFound();
        return turns.finish(await prepare(detail, await logOf(ports, detail, promptOf)));
      };
      if (!(await store.executions.isLarge(id))) return read();
      return reads.take({ id: String(user.id), isKnown: true }, read, gone);
    },
    findToSteer: (user, id) => loadSteerable(store, user, id),
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

async function logOf(
  ports: ExecutionsPorts,
  detail: ReadableExecution,
  promptOf: number | undefined,
): Promise<readonly LogEntry[]> {
  const { id, trigger, acceptedAt, journal } = detail;
  // A run whose version can no longer run still has outputs and errors to show.
  const plan = detail.unreadable.length > 0 ? null : await planOfShownRun(ports, detail);
  const log = await ports.turns.finish(executionLogInSlices({ plan, trigger, acceptedAt, journal, promptOf }));
  const asked = log.find(({ prompt }) => prompt !== undefined);
  if (asked?.prompt === undefined) return log;
  const whole = { ...asked, prompt: await withMemory(ports.store.chats, id, asked.prompt) };
  return log.map((entry) => (entry === asked ? whole : entry));
}

import {
  type Catalogue,
  type Execution,
  type ExecutionStatus,
  type Instant,
  inputsOf,
  isEnded,
  type Json,
  Problem,
  planRun,
  type User,
  type Workflow,
} from '@millrace/core';
import type { Clock } from '../clock.ts';
import type { ExecutionDetail, OwnedExecution } from '../store/executions.ts';
import type { Page } from '../store/page.ts';
import type { Store } from '../store/store.ts';
import type { Acceptance } from './acceptance.ts';
import { isMember, mayWrite, readOnly, type Standing, standingOf } from './access.ts';
import type { Answers } from './answers.ts';
import type { Graphs } from './graphs.ts';
import type { InputSchemas } from './input-schema.ts';
import type { Triggers } from './triggers.ts';

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

/** What a run by hand starts with. */
export interface HandStart {
  readonly payload: Json;
  readonly text: string;
  readonly triggerNodeId: string | null;
  /** Whether to wait until the run has ended. */
  readonly wait: boolean;
}

/** Runs as people see and steer them. An execution of a foreign workflow is as good as missing. */
export interface Executions {
  list(user: User, request: ListRequest): Promise<Page<Execution>>;
  /** @throws Problem `not_found` */
  find(user: User, id: string): Promise<Execution>;
  /** @throws Problem `not_found` */
  detail(user: User, id: string): Promise<ExecutionDetail>;
  /** What each journaled step was given, by seq. */
  inputs(detail: ExecutionDetail): Promise<ReadonlyMap<number, Json>>;
  /** Ends a pending run, asks a running one to stop. @throws Problem `not_found`, `read_only`, or `conflict` when it has ended */
  cancel(user: User, id: string): Promise<Execution>;
  /** Deletes those that have ended; unknown and foreign ones are ignored. */
  remove(user: User, ids: readonly string[]): Promise<void>;
  /** Starts a workflow by hand. @throws Problem `invalid` or `overloaded` */
  start(workflow: Workflow, start: HandStart): Promise<{ readonly id: string; readonly status: ExecutionStatus }>;
}

interface ExecutionsPorts {
  readonly store: Pick<Store, 'executions' | 'workflows' | 'collaborators' | 'graphs'>;
  readonly catalogue: Catalogue;
  readonly graphs: Graphs;
  readonly triggers: Triggers;
  readonly inputSchemas: InputSchemas;
  readonly acceptance: Acceptance;
  readonly answers: Answers;
  readonly clock: Clock;
}

const executionId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** How long a run by hand is waited for: what a person, and a proxy in between, will sit through. */
const waitMs = 30_000;

export function createExecutions(ports: ExecutionsPorts): Executions {
  const { store, clock } = ports;
  return {
    async list(user, { workflowSlug, limit, offset, ...filter }) {
      const workflowId = workflowSlug === undefined ? undefined : await memberWorkflowId(ports, user, workflowSlug);
      // A foreign workflow has, for this user, no executions: the same as a missing one.
      if (workflowId === null) return { items: [], total: 0 };
      return store.executions.list({ ...defined({ ...filter, workflowId }), visibleTo: user.id, limit, offset });
    },
    find: async (user, id) => (await loadExecution(ports, user, id)).execution,
    detail: (user, id) => loadDetail(ports, user, id),
    inputs: (detail) => derivedInputs(ports, detail),
    async cancel(user, id) {
      const { execution: before, standing } = await loadExecution(ports, user, id);
      if (!mayWrite(standing)) throw readOnly();
      if (before.status === 'cancelled') return before;
      const outcome = isEnded(before.status) ? 'ended' : await store.executions.cancel({ id, at: clock.now() });
      const after = (await store.executions.byId(id)) ?? before;
      if (outcome === 'ended' && after.status !== 'cancelled') {
        throw new Problem('conflict', `Execution has already ended: it is ${after.status}.`);
      }
      return after;
    },
    async remove(user, ids) {
      await store.executions.remove({ ids: ids.filter((id) => executionId.test(id)), removableBy: user.id });
    },
    start: (workflow, start) => startByHand(ports, workflow, start),
  };
}

/** Only the fields that have a value. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as typeof fields;
}

function notFound(): Problem {
  return new Problem('not_found', 'Execution not found.');
}

async function memberWorkflowId({ store }: ExecutionsPorts, user: User, slug: string): Promise<number | null> {
  const workflow = await store.workflows.bySlug(slug);
  if (workflow === null || !isMember(await standingOf(store, user, workflow))) return null;
  return workflow.id;
}

/** What the user is to the run's workflow. Payloads are its members': that a workflow is public does not show them. */
async function standingTo({ store }: ExecutionsPorts, user: User, run: OwnedExecution): Promise<Standing> {
  // A removed workflow's history is its owner's; and nobody's time is spent on asking where the owner asks.
  if (run.ownerId === user.id) return 'owner';
  const workflow = await store.workflows.byId(run.workflowId);
  const standing = workflow === null ? null : await standingOf(store, user, workflow);
  if (standing === null || !isMember(standing)) throw notFound();
  return standing;
}

async function loadExecution(
  ports: ExecutionsPorts,
  user: User,
  id: string,
): Promise<{ readonly execution: Execution; readonly standing: Standing }> {
  const execution = executionId.test(id) ? await ports.store.executions.byId(id) : null;
  if (execution === null) throw notFound();
  return { execution, standing: await standingTo(ports, user, execution) };
}

async function loadDetail(ports: ExecutionsPorts, user: User, id: string): Promise<ExecutionDetail> {
  const detail = executionId.test(id) ? await ports.store.executions.detail(id) : null;
  if (detail === null) throw notFound();
  await standingTo(ports, user, detail);
  return detail;
}

async function derivedInputs(ports: ExecutionsPorts, detail: ExecutionDetail): Promise<ReadonlyMap<number, Json>> {
  const { workflowId, workflowVersion: version, triggerNodeId, trigger, journal } = detail;
  const graph = await ports.store.graphs.pinned({ workflowId, version });
  if (graph === null) return new Map();
  try {
    return inputsOf(planRun({ graph, catalogue: ports.catalogue, triggerNodeId }), trigger, journal);
  } catch (error) {
    // A run of a version that cannot run (any more) still has outputs and errors to show.
    if (error instanceof Problem) return new Map();
    throw error;
  }
}

async function startByHand(
  ports: ExecutionsPorts,
  workflow: Workflow,
  start: HandStart,
): Promise<{ id: string; status: ExecutionStatus }> {
  const { graphs, triggers, inputSchemas, acceptance, answers, store } = ports;
  const graph = await graphs.current(workflow);
  const triggerNodeId = triggers.byHand(graph, start.triggerNodeId);
  inputSchemas.check(workflow, start.payload, ['body', 'payload']);
  triggers.checkRun(graph, triggerNodeId);
  const id = acceptance.newId();
  const ended = start.wait ? answers.expect(id, { moment: 'end', timeoutMs: waitMs }) : null;
  try {
    const trigger = { payload: start.payload, text: start.text };
    await acceptance.accept({ id, workflow, graph, triggerNodeId, trigger, idempotencyKey: null });
  } catch (error) {
    ended?.abandon();
    throw error;
  }
  if (ended === null) return { id, status: 'pending' };
  await ended.answer;
  return { id, status: (await store.executions.byId(id))?.status ?? 'pending' };
}

import {
  emptyGraph,
  type Fact,
  type Instant,
  type Json,
  type JsonObject,
  type LiveEvent,
  type Trigger,
  type User,
  type Workflow,
} from '@millrace/core';
import type { Append, ClaimedRun, ExecutionStore, NewExecution } from '../executions.ts';
import type { NodeFields } from '../graphs.ts';
import type { Store } from '../store.ts';
import type { NewWorkflow } from '../workflows.ts';

/** A time with microseconds, from which the tests count. */
export const start: Instant = Date.UTC(2026, 0, 5, 10, 0, 0, 123) + 0.5;

/** The trigger of test runs, about the size of a webhook's. */
export const someTrigger: Trigger = {
  payload: { order: 1042, customer: { name: 'Ärger & "Söhne"', tags: ['new', '100%_sure'] }, total: 99.5, paid: true },
  text: '',
  headers: { 'content-type': 'application/json' },
  query: {},
};

let counter = 0;

/** A unique name. */
function fresh(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}`;
}

/** Run ids that sort in the order of their creation, like UUIDv7. */
function newRunId(): string {
  counter += 1;
  return `01900000-0000-7000-8000-${String(counter).padStart(12, '0')}`;
}

/** A stored user. */
export async function newUser(store: Store): Promise<User> {
  const user = await store.users.insert({ username: fresh('user'), isAdmin: false, at: start });
  if (user === null) throw new Error('the name is taken');
  return user;
}

/** The fields of a workflow with the specification's defaults. */
export function workflowFields(ownerId: number): NewWorkflow {
  return {
    ownerId,
    name: 'Orders',
    slug: fresh('orders'),
    description: '',
    isActive: true,
    isPublic: false,
    isDefault: false,
    mcp: false,
    budget: null,
    tags: null,
    errorHandlerWorkflowId: null,
    inputSchema: null,
    outputSchema: null,
    maxExecutionSeconds: 900,
    concurrency: null,
    concurrencyKey: null,
    priority: 0,
    at: start,
  };
}

/** A stored workflow; its owner is a new user unless one is given. */
export async function newWorkflow(store: Store, fields: Partial<NewWorkflow> = {}): Promise<Workflow> {
  const ownerId = fields.ownerId ?? (await newUser(store)).id;
  const workflow = await store.workflows.insert({ ...workflowFields(ownerId), ...fields });
  if (workflow === 'slug_taken') throw new Error('the slug is taken');
  return workflow;
}

/** The fields of a node, with a config whose keys are difficult for the store. */
export function nodeFields(nodeId: string): NodeFields {
  return {
    nodeId,
    label: null,
    componentType: 'transform',
    isEntryPoint: false,
    interruptBefore: false,
    interruptAfter: false,
    positionX: 40,
    positionY: -20,
    config: { system_prompt: '', extra_config: { ['__proto__']: 'a key like any other' } },
    subworkflowId: null,
    codeBlockId: null,
  };
}

/** A run to be accepted. */
export function newExecution(workflow: Workflow, fields: Partial<NewExecution> = {}): NewExecution {
  return {
    id: newRunId(),
    workflowId: workflow.id,
    graph: { ...emptyGraph, version: workflow.version },
    triggerNodeId: 'start',
    trigger: someTrigger,
    idempotency: null,
    at: start,
    ...fields,
  };
}

/** A succeeded step; `at` and other fields may differ from the default. */
export function stepSucceeded(nodeId: string, outputs: JsonObject = { result: 1 }): Fact {
  return { kind: 'step_succeeded', nodeId, frame: '', at: start, attempt: 1, durationMs: 1.25, outputs };
}

/** The end of a completed run. */
export function completed(output: Json = 'done'): Fact {
  return { kind: 'run_finished', at: start + 9, status: 'completed', output, failure: null, nodeId: null };
}

/** The end of a failed run. */
export function failed(message: string): Fact {
  const failure = { code: 'http_status', message } as const;
  return { kind: 'run_finished', at: start + 9, status: 'failed', output: null, failure, nodeId: 'call' };
}

/**
 * Claims with defaults, for tests in which the details do not matter: for `owner`, with a lease of 30 s from `start`.
 */
export function claim(store: Store, fields: Partial<Claim> = {}): Promise<readonly ClaimedRun[]> {
  const times = { now: start, monotonic: 0, leaseUntil: start + 30_000 };
  return store.executions.claim({ owner: 'worker-1', ...times, limit: 100, ...fields });
}

type Claim = Parameters<ExecutionStore['claim']>[0];

/** A run that was accepted and claimed. */
export async function runningRun(store: Store, workflow: Workflow): Promise<ClaimedRun> {
  const { id } = await store.executions.accept(newExecution(workflow));
  const run = (await claim(store)).find((claimed) => claimed.id === id);
  if (run === undefined) throw new Error('the run was not claimed');
  return run;
}

/** The parameters of an append by this run's owner, without events. */
export function appendOf(run: ClaimedRun, facts: readonly Fact[], afterSeq = 0): Append {
  return { id: run.id, workflowId: run.workflowId, epoch: run.epoch, afterSeq, facts, events: [] };
}

/** All notifications of subscribers, in order. */
export function listen(store: Store): Notification[] {
  const notified: Notification[] = [];
  store.subscribe({
    published: (events) => void notified.push(...events.map(({ event }) => event.type)),
    pending: () => void notified.push('pending'),
    cancelRequested: (ids) => void notified.push(...ids.map((id) => `cancel ${id}` as const)),
  });
  return notified;
}

type Notification = LiveEvent['type'] | 'pending' | `cancel ${string}`;

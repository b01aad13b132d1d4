import { isArray, type JsonObject, Problem, textOf, type User, type Workflow, withNumberBounds } from '@millrace/core';
import { newExecutionId } from '../../ground/ids.ts';
import type { Idempotency, NewExecution } from '../../store/executions.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { concurrencyKeyOf } from '../acceptance/concurrency-key.ts';
import type { Expectation, RunResult } from '../acceptance/result-waiters.ts';
import type { StartPorts } from '../acceptance/start-ports.ts';
import { loadWritableWorkflow, workflowNotFound } from '../access/access.ts';
import { loadExecution } from '../executions/execution-access.ts';
import { calledTrigger } from '../validation/called-workflow.ts';

/** A workflow that MCP clients may call. */
export interface OfferedWorkflow {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments: always that of an object. */
  readonly parameters: JsonObject;
}

/** A part of the list of tools. */
export interface OfferedPage {
  readonly workflows: readonly OfferedWorkflow[];
  /** Where the next part begins; null if this is the last one. */
  readonly next: number | null;
}

/** A call of a workflow as a tool. */
export interface WorkflowToolCall {
  readonly slug: string;
  readonly payload: JsonObject;
  readonly idempotency: Idempotency | null;
  /** Aborted when the caller does not wait any more. The execution continues. */
  readonly gone: AbortSignal;
}

/** An execution, and how it ended as far as is known. */
export interface CalledWorkflow {
  readonly executionId: string;
  /** True if an earlier request with the same key started it. */
  readonly isReplayed: boolean;
  readonly result: RunResult;
}

/** Offers workflows as tools: those with `mcp` that the user owns or edits, if they have a `trigger_workflow`. */
export interface WorkflowTools {
  /** In the order of their ids, after the given one. */
  list(user: User, after: number): Promise<OfferedPage>;
  /**
   * Starts the workflow and waits for its end, for a limited time.
   * @throws Problem `not_found` for what is not offered, `invalid`, `overloaded`, `idempotency_conflict`
   */
  call(user: User, call: WorkflowToolCall): Promise<CalledWorkflow>;
  /** Waits for the end of an execution, for as long as a call does. @throws Problem `not_found` */
  result(user: User, executionId: string, gone: AbortSignal): Promise<CalledWorkflow>;
}

interface WorkflowToolsPorts extends Omit<StartPorts, 'validity'> {
  readonly store: Pick<Store, 'workflows' | 'collaborators' | 'executions'>;
}

/** How long a caller waits for an execution: shorter than clients and proxies usually wait for an answer. */
const callWaitMs = 60_000;
const untilEnd = { moment: 'end', timeoutMs: callWaitMs } as const;

/** Workflows in one part of the list. Each may have a schema of 64 KiB. */
const pageSize = 50;

export function createWorkflowTools(ports: WorkflowToolsPorts): WorkflowTools {
  const { store, resultWaiters } = ports;
  return {
    async list({ id: editableBy }, after) {
      // One more shows whether another part follows.
      const found = await store.workflows.tools({ editableBy, after, limit: pageSize + 1 });
      const page = found.slice(0, pageSize);
      const workflows: OfferedWorkflow[] = [];
      for (const workflow of page) {
        const parameters = parametersOf(workflow);
        if (parameters === null || (await startOf(ports, workflow)) === null) continue;
        workflows.push({ ...described(workflow), parameters });
      }
      return { workflows, next: found.length > pageSize ? (page.at(-1)?.id ?? null) : null };
    },

    async call(user, call) {
      const { workflow, start } = await offered(ports, user, call.slug);
      const attempt = { workflow: workflow.slug, trigger: 'mcp', nodeId: start.triggerNodeId } as const;
      return ports.rejectedStarts.watch(attempt, () => startAndWait(ports, user, { ...call, workflow, ...start }));
    },

    async result(user, id, gone) {
      const { execution } = await loadExecution(store, user, id);
      const expected = await resultWaiters.expectExisting(execution.id, untilEnd);
      return { executionId: execution.id, isReplayed: false, result: await whileWaiting(expected, gone) };
    },
  };
}

interface Start {
  readonly graph: VersionedGraph;
  readonly triggerNodeId: string;
}

/** Where a call begins; null if the workflow has no trigger for it. */
async function startOf({ graphs, triggers }: WorkflowToolsPorts, workflow: Workflow): Promise<Start | null> {
  const graph = await graphs.effective(workflow);
  const triggerNodeId = triggers.ofType(graph, calledTrigger);
  return triggerNodeId === null ? null : { graph, triggerNodeId };
}

async function offered(
  ports: WorkflowToolsPorts,
  user: User,
  slug: string,
): Promise<{ readonly workflow: Workflow; readonly start: Start }> {
  const workflow = await editable(ports, user, slug);
  const isOffered = workflow.mcp && workflow.isActive && parametersOf(workflow) !== null;
  const start = isOffered ? await startOf(ports, workflow) : null;
  if (start === null) throw workflowNotFound();
  return { workflow, start };
}

/** A workflow that the user may only read is not offered, so it is missing. */
async function editable({ store }: WorkflowToolsPorts, user: User, slug: string): Promise<Workflow> {
  try {
    return await loadWritableWorkflow(store, user, slug);
  } catch (error) {
    throw error instanceof Problem && error.code === 'read_only' ? workflowNotFound() : error;
  }
}

interface AcceptedCall extends WorkflowToolCall, Start {
  readonly workflow: Workflow;
}

async function startAndWait(ports: WorkflowToolsPorts, user: User, call: AcceptedCall): Promise<CalledWorkflow> {
  const { acceptance, resultWaiters, inputSchemas } = ports;
  const { workflow, payload, gone } = call;
  const idempotency = acceptance.useOf(`mcp:${user.id}`, call.idempotency);
  // Before any check: an accepted request is not rejected later because the workflow or the load has changed.
  const earlier = await acceptance.earlier(workflow, idempotency);
  if (earlier !== null) return awaitedAgain(ports, earlier, gone);
  inputSchemas.check(workflow, payload, ['arguments']);
  const run = runOf(ports, call, idempotency);
  const expected = resultWaiters.expect(run.id, untilEnd);
  try {
    const { id, created } = await acceptance.accept(run);
    if (created) return { executionId: id, isReplayed: false, result: await whileWaiting(expected, gone) };
    return await awaitedAgain(ports, id, gone);
  } finally {
    expected.abandon();
  }
}

function runOf(
  { clock }: WorkflowToolsPorts,
  { workflow, graph, triggerNodeId, payload }: AcceptedCall,
  idempotency: NewExecution['idempotency'],
): NewExecution {
  const at = clock.now();
  const trigger = { payload, text: textOf(payload) ?? '' };
  const concurrencyKey = concurrencyKeyOf(workflow, trigger);
  return {
    id: newExecutionId(at),
    workflowId: workflow.id,
    graph,
    triggerNodeId,
    trigger,
    concurrencyKey,
    idempotency,
    at,
  };
}

async function awaitedAgain(
  { resultWaiters }: WorkflowToolsPorts,
  executionId: string,
  gone: AbortSignal,
): Promise<CalledWorkflow> {
  const expected = await resultWaiters.expectExisting(executionId, untilEnd);
  return { executionId, isReplayed: true, result: await whileWaiting(expected, gone) };
}

async function whileWaiting({ answer, abandon }: Expectation, gone: AbortSignal): Promise<RunResult> {
  if (gone.aborted) abandon();
  gone.addEventListener('abort', abandon, { once: true });
  try {
    return await answer;
  } finally {
    gone.removeEventListener('abort', abandon);
  }
}

function described({ slug, name, description }: Workflow): Omit<OfferedWorkflow, 'parameters'> {
  const text = description.trim();
  return { slug, name, description: text === '' ? `Runs the workflow '${name}'.` : text };
}

/** Null if the workflow takes no object: arguments of a tool are one. */
function parametersOf({ inputSchema }: Workflow): JsonObject | null {
  if (inputSchema === null) return { type: 'object' };
  const { type = 'object' } = inputSchema;
  const takesObject = type === 'object' || (isArray(type) && type.includes('object'));
  return takesObject ? { ...withNumberBounds(inputSchema), type: 'object' } : null;
}

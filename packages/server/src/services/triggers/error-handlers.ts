import type { ErrorHandling, JsonObject, RunFinished, Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { newExecutionId } from '../../ground/ids.ts';
import type { ClaimedRun, NewExecution } from '../../store/executions.ts';
import type { Store } from '../../store/store.ts';
import { isSealedFrom, sharedRecording } from '../acceptance/shared-recording.ts';
import type { Triggers } from '../acceptance/triggers.ts';
import { standingOf } from '../access/access.ts';
import type { Graphs } from '../workflows/graphs.ts';

/** What the end of a failed run records about its error handler, and the run that is accepted with it. */
export interface HandlerStart {
  readonly handling: ErrorHandling;
  readonly start: NewExecution | null;
}

/** Starts the workflows that handle the failures of other workflows. */
export interface ErrorHandlers {
  /**
   * The run to accept together with the fact that this run failed; null if its workflow has no handler. The caller
   * stores both or neither, so a handler starts exactly once, even after a crash.
   */
  startFor(run: ClaimedRun, end: RunFinished): Promise<HandlerStart | null>;
}

interface ErrorHandlerPorts {
  readonly store: Pick<Store, 'workflows' | 'collaborators' | 'executions'> & {
    readonly graphs: Pick<Store['graphs'], 'pinned'>;
  };
  readonly graphs: Graphs;
  readonly triggers: Triggers;
  readonly clock: Clock;
}

/** The component at which a handler starts. */
const handlerTrigger = 'trigger_error';

/** Limits the search for the first run. Sub-workflows are never nested this deep. */
const maxAncestors = 100;

export function createErrorHandlers(ports: ErrorHandlerPorts): ErrorHandlers {
  return {
    async startFor(run, end) {
      const failed = await ports.store.workflows.byId(run.workflowId);
      if (failed === null || failed.errorHandlerWorkflowId === null) return null;
      const found = await handlerFor(ports, run, failed);
      if (typeof found === 'string') return { handling: { skipped: found }, start: null };
      const at = ports.clock.now();
      const id = newExecutionId(at);
      const trigger = { payload: payloadOf(run, end), text: '' };
      const start = { id, ...found, trigger, idempotency: null, at };
      return { handling: { executionId: id }, start };
    },
  };
}

type Handler = Pick<NewExecution, 'workflowId' | 'graph' | 'triggerNodeId' | 'recording'>;

/** Where the handler starts, or the reason why it does not. */
async function handlerFor(ports: ErrorHandlerPorts, run: ClaimedRun, failed: Workflow): Promise<Handler | string> {
  const { store, graphs, triggers } = ports;
  if (await isOfHandler(ports, run.id))
    return 'This execution handles an error itself: its own failure starts no handler.';
  const handler = await store.workflows.byId(failed.errorHandlerWorkflowId ?? 0);
  if (handler === null) return 'The error handler workflow has been deleted.';
  // An owner who may no longer see the handler must not send it the payloads of their executions.
  if ((await standingOf(store, { id: failed.ownerId }, handler)) === null) {
    return "The workflow's owner may not see the error handler workflow any more.";
  }
  if (isSealedFrom(run, handler)) return 'An execution with recorded answers starts no workflow of another owner.';
  if (!handler.isActive) return `The error handler workflow '${handler.slug}' is not active.`;
  const graph = await graphs.effective(handler);
  const triggerNodeId = triggers.ofType(graph, handlerTrigger);
  if (triggerNodeId === null) return `The error handler workflow '${handler.slug}' has no active ${handlerTrigger}.`;
  return { workflowId: handler.id, graph, triggerNodeId, ...sharedRecording(run, handler) };
}

/** True if a handler started this run, or a run above it. */
async function isOfHandler({ store }: ErrorHandlerPorts, id: string): Promise<boolean> {
  let next: string | null = id;
  for (let depth = 0; next !== null && depth < maxAncestors; depth += 1) {
    const run = await store.executions.byId(next);
    if (run === null) return false;
    const graph = await store.graphs.pinned({ workflowId: run.workflowId, version: run.workflowVersion });
    const trigger = graph?.nodes.find((node) => node.nodeId === run.triggerNodeId);
    if (trigger?.componentType === handlerTrigger) return true;
    next = run.parentExecutionId;
  }
  return false;
}

function payloadOf(run: ClaimedRun, { failure, nodeId }: RunFinished): JsonObject {
  return {
    execution_id: run.id,
    workflow: run.workflowSlug,
    node_id: nodeId,
    error: failure?.message ?? null,
    error_code: failure?.code ?? null,
    payload: run.trigger.payload,
  };
}

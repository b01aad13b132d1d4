import {
  calledSlug,
  type Json,
  Problem,
  StepError,
  type ToolDescription,
  textOf,
  textStart,
  type Workflow,
} from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { newExecutionId } from '../../ground/ids.ts';
import type { ClaimedRun, NewExecution } from '../../store/executions.ts';
import type { Store } from '../../store/store.ts';
import type { Acceptance } from '../acceptance/acceptance.ts';
import { isSealedFrom, sharedRecording } from '../acceptance/shared-recording.ts';
import type { Triggers } from '../acceptance/triggers.ts';
import { isMember, standingOf } from '../access/access.ts';
import { calledTrigger, startIssues } from '../validation/called-workflow.ts';
import type { InputSchemas } from '../validation/input-schema.ts';
import type { Graphs } from '../workflows/graphs.ts';
import { sentenceOf } from './problem-message.ts';

/** Prepares the executions that steps start. */
export type SubworkflowStart = (parent: ClaimedRun, call: SubworkflowCall) => Promise<NewExecution>;

/** The calling node, the called workflow and the payload. */
interface SubworkflowCall {
  readonly nodeId: string;
  readonly slug: string;
  readonly payload: Json;
  readonly isWaitedFor: boolean;
}

interface SubworkflowPorts {
  readonly store: Pick<Store, 'workflows' | 'collaborators' | 'executions' | 'graphs'>;
  readonly graphs: Graphs;
  readonly triggers: Triggers;
  readonly inputSchemas: InputSchemas;
  readonly acceptance: Pick<Acceptance, 'checkRoom'>;
  readonly clock: Clock;
}

/** How many executions may be above one: deeper than people nest, and an end for workflows that call each other. */
const maxDepth = 20;

export function createSubworkflowStart(ports: SubworkflowPorts): SubworkflowStart {
  return async (parent, { nodeId, slug, payload, isWaitedFor }) => {
    const depth = parent.depth + 1;
    if (depth > maxDepth) {
      throw rejection(
        slug,
        `sub-workflows can be nested ${maxDepth} levels deep at most. Does the workflow call itself?`,
      );
    }
    const { workflow, isShared } = await targetOf(ports, parent, slug);
    if (isSealedFrom(parent, workflow)) throw sealed(slug);
    await checkCycle(ports, parent, { nodeId, slug, targetId: workflow.id });
    if (!workflow.isActive) throw rejection(slug, startIssues.inactive);
    const graph = await ports.graphs.effective(workflow);
    const triggerNodeId = ports.triggers.ofType(graph, calledTrigger);
    if (triggerNodeId === null) throw rejection(slug, startIssues.noTrigger);
    withStepErrors(slug, () => ports.inputSchemas.check(workflow, payload, ['payload']));
    // A child that is waited for replaces its parent, which is not counted while it waits.
    if (!isWaitedFor) await checkRoom(ports, slug);
    const at = ports.clock.now();
    return {
      id: newExecutionId(at),
      workflowId: workflow.id,
      graph,
      triggerNodeId,
      trigger: { payload, text: textOf(payload) ?? '' },
      idempotency: null,
      parent: { executionId: parent.id, depth, ...(!isShared && { isPublicCall: true }) },
      // Pinned outputs are data of earlier runs, which only members see.
      isManual: parent.isManual && isShared,
      ...sharedRecording(parent, workflow),
      at,
    };
  };
}

/** What a workflow does as a tool, for the owner of the workflow that calls it. */
export function createWorkflowInput(
  ports: Pick<SubworkflowPorts, 'store'>,
): (caller: Pick<ClaimedRun, 'workflowId'>, slug: string) => Promise<ToolDescription> {
  return async (caller, slug) => {
    const { workflow } = await targetOf(ports, caller, slug);
    const { description, inputSchema } = workflow;
    return {
      ...(description.trim() !== '' && { description: textStart(description, maxToolDescription) }),
      // Without a schema it takes any object.
      parameters: inputSchema ?? { type: 'object', additionalProperties: true },
    };
  };
}

/** As many characters as a node may set itself. */
const maxToolDescription = 1024;

interface Target {
  readonly workflow: Workflow;
  /** False if the owner of the calling workflow sees this one only because it is public. */
  readonly isShared: boolean;
}

/** A workflow that the owner of the calling one may see: for a step, any other one is missing. */
async function targetOf(
  { store }: Pick<SubworkflowPorts, 'store'>,
  parent: Pick<ClaimedRun, 'workflowId'>,
  slug: string,
): Promise<Target> {
  const [caller, target] = [await store.workflows.byId(parent.workflowId), await store.workflows.bySlug(slug)];
  const standing = caller === null || target === null ? null : await standingOf(store, { id: caller.ownerId }, target);
  if (target === null || standing === null)
    throw rejection(slug, "it does not exist, or the workflow's owner may not see it.");
  return { workflow: target, isShared: isMember(standing) };
}

/**
 * Rejects what validation reports as a cycle: a workflow that is called by its slug and is already above the calling
 * run. It would perform all its steps up to 20 times. A workflow named by an expression may recur, as its calls can
 * end.
 */
async function checkCycle(
  { store }: SubworkflowPorts,
  parent: ClaimedRun,
  { nodeId, slug, targetId }: { readonly nodeId: string; readonly slug: string; readonly targetId: number },
): Promise<void> {
  const above = parent.depth === 0 ? [] : await store.executions.ancestors(parent.id);
  const chain = [...above, { workflowId: parent.workflowId, slug: parent.workflowSlug }];
  const first = chain.findIndex(({ workflowId }) => workflowId === targetId);
  if (first === -1) return;
  const graph = await store.graphs.pinned({ workflowId: parent.workflowId, version: parent.version });
  const node = graph?.nodes.find((one) => one.nodeId === nodeId);
  if (node === undefined || calledSlug(node) === null) return;
  const names = [...chain.slice(first).map((each) => each.slug), slug].join(' → ');
  throw rejection(slug, `it calls itself: ${names}. If this is intended and ends, name the workflow by an expression.`);
}

/**
 * If the queue is full, the step is retried later, as other callers do: a loop of starts would fill it without limit.
 */
async function checkRoom({ acceptance }: SubworkflowPorts, slug: string): Promise<void> {
  try {
    await acceptance.checkRoom();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'overloaded') throw error;
    const words = `Workflow '${slug}' cannot be started now: too many executions are pending or running.`;
    throw new StepError('subworkflow', words, { retryable: true, retryAfterMs: (error.retryAfter ?? 0) * 1000 });
  }
}

function rejection(slug: string, reason: string): StepError {
  return new StepError('subworkflow', `Workflow '${slug}' cannot be started: ${reason}`);
}

function sealed(slug: string): StepError {
  const words = `Workflow '${slug}' belongs to another owner: an execution with recorded answers does not start it.`;
  return new StepError('cassette_miss', words);
}

function withStepErrors(slug: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw rejection(slug, sentenceOf(error));
  }
}

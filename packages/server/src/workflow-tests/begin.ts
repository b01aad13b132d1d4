import { type Catalogue, type Execution, isTrigger, type Node, suggestion } from '@millrace/core';
import { PendingReply, type Reply, type Stage } from './stage.ts';
import type { WorkflowTest } from './test-schema.ts';

/** How a run began. */
export interface Beginning {
  /** Null where the service refused to start one: the reply says why. */
  readonly executionId: string | null;
  /** What whoever started it is answered, once that has come. */
  readonly reply: PendingReply;
}

/** Nothing can begin as the test says; the message says why. */
export class CannotBegin extends Error {}

/** What a test begins with. */
export interface Start {
  readonly slug: string;
  readonly test: WorkflowTest;
  readonly catalogue: Catalogue;
}

/** Starts the workflow with a test's payload, the way that its trigger is started. @throws CannotBegin */
export async function begin(stage: Stage, start: Start): Promise<Beginning> {
  const trigger = await triggerOf(stage, start);
  const reply = new PendingReply(request(stage, start, trigger));
  // The request is on its way: no time passes until it has started a run, or was refused.
  for (;;) {
    await stage.settle();
    const run = await firstRun(stage, start);
    if (run !== null) {
      if (run.triggerNodeId === trigger.nodeId) return { executionId: run.id, reply };
      throw new CannotBegin(
        `Requests to this workflow's webhook start '${run.triggerNodeId}', not '${trigger.nodeId}'.`,
      );
    }
    if (reply.value !== null) return { executionId: null, reply };
  }
}

async function triggerOf(stage: Stage, { slug, test, catalogue }: Start): Promise<Node> {
  const workflow = await stage.store.workflows.bySlug(slug);
  const graph = workflow && (await stage.store.graphs.load(workflow.id));
  const triggers = (graph?.nodes ?? []).filter(({ componentType }) => {
    const component = catalogue.get(componentType);
    return component !== undefined && isTrigger(component);
  });
  const names = triggers.map(({ nodeId }) => nodeId);
  const [first, second] = triggers;
  if (first === undefined) throw new CannotBegin('The workflow has no trigger.');
  if (test.trigger === undefined) {
    const manual = triggers.find(({ componentType }) => componentType === 'trigger_manual');
    if (second === undefined || manual !== undefined) return manual ?? first;
    throw new CannotBegin(`The workflow has several triggers: name one of ${names.join(', ')} as 'trigger'.`);
  }
  const named = triggers.find(({ nodeId }) => nodeId === test.trigger);
  if (named !== undefined) return named;
  throw new CannotBegin(`The workflow has no trigger '${test.trigger}'.${suggestion(test.trigger, names)}`);
}

function request(stage: Stage, { slug, test: { payload } }: Start, trigger: Node): Promise<Reply> {
  if (trigger.componentType === 'trigger_webhook') {
    return stage.call({ method: 'POST', path: `/api/v1/webhooks/${slug}`, body: payload ?? {} });
  }
  const body = { payload: payload ?? {}, trigger_node_id: trigger.nodeId };
  return stage.call({ method: 'POST', path: `/api/v1/workflows/${slug}/execute/`, body });
}

/** The run that a test is about: of its workflow the one that no other started. */
async function firstRun(stage: Stage, { slug }: Start): Promise<Execution | null> {
  const { items } = await stage.store.executions.list({ visibleTo: stage.user.id, limit: mostRuns, offset: 0 });
  return items.findLast((run) => run.workflowSlug === slug && run.parentExecutionId === null) ?? null;
}

/** Before anybody has let time pass there is one, and those that it has started at once. */
const mostRuns = 1000;

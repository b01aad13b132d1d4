import {
  botTriggerType,
  type Catalogue,
  type Execution,
  isObject,
  isTrigger,
  type Json,
  type Node,
  scheduleType,
  suggestion,
  type Workflow,
  withQuery,
} from '@millrace/core';
import type { WorkflowTest } from './test-schema.ts';
import { PendingReply, type Reply, type TestService } from './test-service.ts';

/** How a run started. */
export interface Beginning {
  /** Null if the service rejected the start; the reply gives the reason. */
  readonly executionId: string | null;
  readonly trigger: Node;
  /** The answer to the caller that started it, once it is available. */
  readonly reply: PendingReply;
}

/** The run cannot start as the test says; the message gives the reason. */
export class CannotBegin extends Error {}

/** The inputs of a test. */
export interface Start {
  readonly slug: string;
  readonly test: WorkflowTest;
  readonly catalogue: Catalogue;
}

/** Starts the workflow with a test's payload, as its trigger requires. @throws CannotBegin */
export async function begin(service: TestService, start: Start): Promise<Beginning> {
  const workflow = await service.store.workflows.bySlug(start.slug);
  if (workflow === null) throw new CannotBegin(`There is no workflow '${start.slug}'.`);
  const trigger = await triggerOf(service, start, workflow);
  checkInput(start.test, trigger);
  const isScheduled = trigger.componentType === scheduleType;
  const fired = isScheduled ? Promise.resolve(await fire(service, trigger, workflow.id)) : null;
  const reply = new PendingReply(fired ?? request(service, start, trigger));
  // The request is in progress: time stands still until it has started a run or was rejected.
  for (;;) {
    await service.settle();
    const [run] = await runsOf(service, start);
    if (run !== undefined) {
      if (run.triggerNodeId === trigger.nodeId) return { executionId: run.id, trigger, reply };
      const what =
        trigger.componentType === botTriggerType ? 'This message starts' : "Requests to this workflow's webhook start";
      throw new CannotBegin(`${what} '${run.triggerNodeId}', not '${trigger.nodeId}'.`);
    }
    if (reply.value !== null) return { executionId: null, trigger, reply };
  }
}

async function triggerOf(service: TestService, { test, catalogue }: Start, { id }: Workflow): Promise<Node> {
  const graph = await service.store.graphs.load(id);
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

/** The input for each kind of trigger. */
const inputs: ReadonlyMap<string, readonly string[]> = new Map([
  ['trigger_webhook', ['payload', 'headers', 'query']],
  ['trigger_chat', ['text']],
  [botTriggerType, ['text', 'payload']],
  [scheduleType, []],
]);
const manualInputs = ['payload', 'text'];

/** @throws CannotBegin for input that no trigger would receive */
function checkInput(test: WorkflowTest, { nodeId, componentType }: Node): void {
  const taken = inputs.get(componentType) ?? manualInputs;
  const stray = (['payload', 'text', 'headers', 'query'] as const).find(
    (key) => test[key] !== undefined && !taken.includes(key),
  );
  const words = taken.length === 0 ? 'nothing' : taken.join(', ');
  if (componentType === scheduleType && test.expect.response !== undefined)
    throw new CannotBegin(`'${nodeId}' is a ${componentType}: it sends no response, so expect none.`);
  if (stray !== undefined)
    throw new CannotBegin(`'${nodeId}' is a ${componentType}: it accepts ${words}, not ${stray}.`);
}

/** Sends the request that starts a run. If it is repeated later, it has an Idempotency-Key. */
export function request(service: TestService, { slug, test }: Start, trigger: Node): Promise<Reply> {
  const { payload, text, query = {} } = test;
  const isRepeated = test.then.some(({ repeat }) => repeat === true);
  const headers = { ...(isRepeated && { 'idempotency-key': 'of-the-test' }), ...lowerCase(test.headers) };
  switch (trigger.componentType) {
    case 'trigger_webhook': {
      const path = withQuery(`/api/v1/webhooks/${slug}`, query, 'query');
      return service.call({ method: 'POST', path, body: payload ?? {}, headers });
    }
    case botTriggerType:
      return write(service, trigger, { text: text ?? '', payload: payload ?? {} });
    case 'trigger_chat':
      return service.call({ method: 'POST', path: `/api/v1/workflows/${slug}/chat/`, body: { text } });
    default: {
      const body = { payload: payload ?? {}, trigger_node_id: trigger.nodeId, ...(text !== undefined && { text }) };
      return service.call({ method: 'POST', path: `/api/v1/workflows/${slug}/execute/`, body, headers });
    }
  }
}

/** Sends a message to the bot of a trigger. */
export function write(
  service: TestService,
  { config }: Node,
  { text, payload }: { readonly text: string; readonly payload: Json },
): Promise<Reply> {
  const credentialId = typeof config.credential_id === 'number' ? config.credential_id : null;
  if (isObject(payload)) return service.write({ credentialId, text, payload });
  throw new CannotBegin("'payload' must be an object: what the message has besides its text.");
}

/** The runs under test, oldest first: those of the tested workflow that no other run started. */
export async function runsOf(service: TestService, { slug }: Start): Promise<readonly Execution[]> {
  const { items } = await service.store.executions.list({ visibleTo: service.user.id, limit: mostRuns, offset: 0 });
  return items.toReversed().filter((run) => run.workflowSlug === slug && run.parentExecutionId === null);
}

/** More runs than a test starts. */
const mostRuns = 1000;

/** Other schedules that fire before the expected one: more than any test has. */
const maxOtherSchedules = 1000;

/** Advances time until a schedule fires next, without firing another one. The reply says why nothing was started. */
async function fire(service: TestService, { id, nodeId }: Node, workflowId: number): Promise<Reply> {
  const { time, store } = service;
  const own = async () => (await store.schedules.ofWorkflow(workflowId)).find((schedule) => schedule.id === id);
  const fireAt = (await own())?.nextFireAt ?? null;
  if (fireAt === null) return { status: 422, headers: {}, body: `'${nodeId}' never fires.` };
  const others = await store.schedules.due({ now: fireAt, limit: maxOtherSchedules });
  for (const { id: other } of others) {
    if (other !== id) await store.schedules.setState({ id: other, state: 'paused', at: time.clock.now() });
  }
  service.startSchedules();
  await service.settle();
  time.skip(fireAt - time.clock.now());
  await service.settle();
  await service.stopSchedules();
  const error = (await own())?.error ?? null;
  return error === null ? { status: 200, headers: {}, body: null } : { status: 422, headers: {}, body: error };
}

/** Names of headers have no case: a key that the test gives replaces the default one. */
function lowerCase(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

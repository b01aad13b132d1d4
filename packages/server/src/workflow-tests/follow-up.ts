import { botTriggerType, scheduleType } from '@millrace/core';
import { type Beginning, CannotBegin, request, runsOf, type Start, write } from './begin.ts';
import type { FollowUp } from './test-schema.ts';
import { type Call, PendingReply, type Reply, type TestService } from './test-service.ts';

/** The start of a test, and its last run. */
export interface Followed {
  readonly start: Start;
  readonly last: Beginning;
}

/** Continues a test after its last run has ended or can only wait. @throws CannotBegin */
export async function follow(service: TestService, { start, last }: Followed, step: FollowUp): Promise<Beginning> {
  const { trigger, executionId: before } = last;
  if (before === null) throw new CannotBegin("'then' continues an execution, but none was started.");
  const known = new Set((await runsOf(service, start)).map(({ id }) => id));
  const call = await callOf(service, { start, last }, step, before);
  const reply = new PendingReply(call());
  // Nothing more happens until time advances: by now the request has started a run, or never will.
  await service.settle();
  const started = (await runsOf(service, start)).find(({ id }) => !known.has(id));
  if (step.repeat === true && started !== undefined)
    throw new CannotBegin('The repeated request started another execution.');
  const isRejected = reply.value !== null && reply.value.status >= 400;
  return { executionId: isRejected ? null : (started?.id ?? before), trigger, reply };
}

/** The request of a step. */
async function callOf(
  service: TestService,
  { start, last }: Followed,
  step: FollowUp,
  id: string,
): Promise<() => Promise<Reply>> {
  const { slug, test } = start;
  const { trigger } = last;
  const { componentType, nodeId } = trigger;
  const send = (call: Call) => () => service.call(call);
  const { text, repeat, replay_from: fromNode } = step;
  if (text !== undefined) {
    if (componentType === botTriggerType) return () => write(service, trigger, { text, payload: test.payload ?? {} });
    if (componentType !== 'trigger_chat')
      throw new CannotBegin(
        `'${nodeId}' is a ${componentType}: only a trigger_chat or a ${botTriggerType} accepts another message.`,
      );
    const detail = await service.store.executions.detail(id);
    const body = { text, session_id: detail?.trigger.sessionId };
    return send({ method: 'POST', path: `/api/v1/workflows/${slug}/chat/`, body });
  }
  if (repeat === true) {
    if (keyless.has(componentType))
      throw new CannotBegin(
        `'${nodeId}' is a ${componentType}: it accepts no Idempotency-Key, so 'repeat' is not possible.`,
      );
    return () => request(service, start, trigger);
  }
  const [verb, body] = fromNode === undefined ? ['retry', {}] : ['replay', { from_node: fromNode }];
  return send({ method: 'POST', path: `/api/v1/executions/${id}/${verb}/`, body });
}

/** Triggers whose start cannot be repeated. */
const keyless: ReadonlySet<string> = new Set(['trigger_chat', botTriggerType, scheduleType]);

import { type Json, Problem, type Trigger, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { SignedRequest, WebhookSignatures } from '../../secrets/webhook-signatures.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Acceptance, RunStart } from '../acceptance/acceptance.ts';
import type { ResultWaiters, RunResult } from '../acceptance/result-waiters.ts';
import type { Triggers, WebhookTrigger } from '../acceptance/triggers.ts';
import { type AccessStore, loadWorkflow, workflowNotFound } from '../access/access.ts';
import type { InputSchemas } from '../validation/input-schema.ts';
import type { Graphs } from '../workflows/graphs.ts';
import type { Rates } from './rates.ts';

/** What a webhook's address leads to. */
export interface WebhookTarget {
  readonly workflow: Workflow;
  readonly graph: VersionedGraph;
  readonly trigger: WebhookTrigger;
}

/** A run that is on disk, and what its request waits for: null when the answer goes out at once. */
export interface WebhookRun {
  readonly executionId: string;
  readonly answer: Promise<RunResult> | null;
  /** Ends the wait: the sender is gone. The run goes on. */
  abandon(): void;
}

/** A request without a key, whose sender signed it. */
export interface SignedDelivery extends Pick<SignedRequest, 'scheme' | 'body'> {
  readonly signature: string;
  /** As the request has it, of any length. */
  readonly idempotencyKey: (trigger: Pick<WebhookTrigger, 'dedupeHeader'> | null) => string | null;
}

interface Delivery {
  readonly payload: Json;
  readonly headers: NonNullable<Trigger['headers']>;
  readonly query: NonNullable<Trigger['query']>;
  /** What tells this delivery from others; the same one twice starts one run. */
  readonly idempotencyKey: string | null;
}

/** Starts workflows by webhook. */
export interface Webhooks {
  /**
   * Counts against the workflow's rate limit.
   * @throws Problem `not_found`, the same for every reason why this user cannot start the workflow; `rate_limited`
   */
  find(user: User, slug: string): Promise<WebhookTarget>;
  /**
   * The same for who shows a signature instead of a key: null, for whatever reason, when it opens nothing. Only what it
   * opens counts against the rate limit.
   * @throws Problem `rate_limited`
   */
  findSigned(slug: string, delivery: SignedDelivery): Promise<WebhookTarget | null>;
  /**
   * The user is null for who signed.
   * @throws Problem `invalid` when the payload breaks the input schema or the workflow cannot run; `overloaded`
   */
  start(user: User | null, target: WebhookTarget, delivery: Delivery): Promise<WebhookRun>;
}

interface WebhooksPorts {
  readonly store: AccessStore;
  readonly graphs: Graphs;
  readonly triggers: Triggers;
  readonly inputSchemas: InputSchemas;
  readonly acceptance: Acceptance;
  readonly resultWaiters: ResultWaiters;
  readonly rates: Rates;
  readonly signatures: WebhookSignatures;
  readonly clock: Clock;
}

export function createWebhooks(ports: WebhooksPorts): Webhooks {
  const { store, triggers, inputSchemas, acceptance, rates, signatures, clock } = ports;
  return {
    find: (user, slug) =>
      inWebhookWords(slug, async () => {
        const target = await targetOf(ports, await loadWorkflow(store, user, slug));
        if (target === null) throw workflowNotFound();
        holdRate(rates, target);
        return target;
      }),

    async findSigned(slug, { scheme, signature, body, idempotencyKey }) {
      const workflow = await store.workflows.bySlug(slug);
      const target = workflow === null ? null : await targetOf(ports, workflow);
      const expected = target?.trigger.signature ?? null;
      // Tried by any means: that there is no such workflow takes as long to say as that the signature is wrong.
      const isGenuine = await signatures.isGenuine(expected?.scheme === scheme ? expected.credentialId : null, {
        scheme,
        signature,
        body,
        idempotencyKey: idempotencyKey(target?.trigger ?? null),
        at: clock.now(),
      });
      if (!isGenuine || target === null) return null;
      holdRate(rates, target);
      return target;
    },

    async start(user, { workflow, graph, trigger }, delivery) {
      const { payload, headers, query } = delivery;
      // Two callers of a public workflow may choose the same key without meaning the same delivery.
      const sender = user?.id ?? 'signed';
      const idempotencyKey = delivery.idempotencyKey === null ? null : `${sender}:${delivery.idempotencyKey}`;
      // Before any check: what was accepted once is not refused because the workflow or the load has changed since.
      const earlier = idempotencyKey === null ? null : await acceptance.earlier(workflow, idempotencyKey);
      if (earlier !== null) return answerAgain(ports, earlier, trigger);
      inputSchemas.check(workflow, payload, ['body']);
      triggers.checkRun(graph, trigger.nodeId);
      const start: RunStart = {
        id: acceptance.newId(),
        workflow,
        graph,
        triggerNodeId: trigger.nodeId,
        trigger: { payload, text: '', headers, query },
        idempotencyKey,
      };
      // The workflow may be deleted at this very moment.
      return inWebhookWords(workflow.slug, async () => {
        if (trigger.responseMode !== 'immediately') return startAndWait(ports, start, trigger);
        const { id } = await acceptance.accept(start);
        return { executionId: id, answer: null, abandon: nothing };
      });
    },
  };
}

/** What a workflow's webhook starts; null when nothing. */
async function targetOf({ graphs, triggers }: WebhooksPorts, workflow: Workflow): Promise<WebhookTarget | null> {
  if (!workflow.isActive) return null;
  const graph = await graphs.effective(workflow);
  const trigger = triggers.webhook(graph);
  return trigger && { workflow, graph, trigger };
}

function holdRate(rates: Rates, { workflow: { id }, trigger: { ratePerMinute: perMinute } }: WebhookTarget): void {
  if (perMinute === null) return;
  const retryAfter = rates.take(id, perMinute);
  if (retryAfter === null) return;
  const detail = `This webhook takes ${perMinute} requests a minute. Try again in ${retryAfter} s.`;
  throw new Problem('rate_limited', detail, { retryAfter });
}

function nothing(): void {
  // A request that waits for nothing has nothing to abandon.
}

/** Says that there is nothing here, whatever the reason, as webhooks say it. */
async function inWebhookWords<T>(slug: string, deed: () => Promise<T>): Promise<T> {
  try {
    return await deed();
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'not_found') throw error;
    throw new Problem('not_found', `Workflow '${slug}' not found`);
  }
}

/** What a delivery that comes again is answered: as the first one, from the same run. */
async function answerAgain(
  { resultWaiters }: WebhooksPorts,
  executionId: string,
  trigger: WebhookTrigger,
): Promise<WebhookRun> {
  if (trigger.responseMode === 'immediately') return { executionId, answer: null, abandon: nothing };
  return { executionId, ...(await resultWaiters.expectExisting(executionId, waitOf(trigger))) };
}

function waitOf({ responseMode, timeoutMs }: WebhookTrigger) {
  return { moment: responseMode === 'respond_node' ? 'respond' : 'end', timeoutMs } as const;
}

async function startAndWait(ports: WebhooksPorts, start: RunStart, trigger: WebhookTrigger): Promise<WebhookRun> {
  const { acceptance, resultWaiters } = ports;
  const wait = waitOf(trigger);
  const expected = resultWaiters.expect(start.id, wait);
  try {
    const { id, created } = await acceptance.accept(start);
    if (created) return { executionId: id, ...expected };
    expected.abandon();
    return answerAgain(ports, id, trigger);
  } catch (error) {
    expected.abandon();
    throw error;
  }
}

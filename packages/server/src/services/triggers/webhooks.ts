import { type Instant, type Json, Problem, type Trigger, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { newExecutionId } from '../../ground/ids.ts';
import type { WebhookProof, WebhookProofs } from '../../secrets/webhook-proofs.ts';
import type { Idempotency, NewExecution } from '../../store/executions.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Acceptance } from '../acceptance/acceptance.ts';
import { concurrencyKeyOf } from '../acceptance/concurrency-key.ts';
import type { RejectedStarts, StartAttempt } from '../acceptance/rejected-starts.ts';
import type { ResultWaiters, RunResult } from '../acceptance/result-waiters.ts';
import type { Triggers, WebhookTrigger } from '../acceptance/triggers.ts';
import { type AccessStore, loadWorkflow, workflowNotFound } from '../access/access.ts';
import type { InputSchemas } from '../validation/input-schema.ts';
import type { Graphs } from '../workflows/graphs.ts';
import type { Rates } from './rates.ts';

/** The workflow, graph and trigger of a webhook's address. */
export interface WebhookTarget {
  readonly workflow: Workflow;
  readonly graph: VersionedGraph;
  readonly trigger: WebhookTrigger;
}

/** A committed run. `answer` resolves to its result; it is null if the request is answered at once. */
export interface WebhookRun {
  readonly executionId: string;
  /** True if an earlier delivery with the same key started it. */
  readonly isReplayed: boolean;
  readonly answer: Promise<RunResult> | null;
  /** Ends the wait, because the sender has disconnected. The run continues. */
  abandon(): void;
}

/**
 * Reads the signature, password or token of a request without a key, as the trigger expects it; null if there is none.
 */
export type ShownProof = (
  trigger: Pick<WebhookTrigger, 'dedupeHeader' | 'signature'> | null,
  at: Instant,
) => WebhookProof | null;

/** What a sender delivers. */
export interface WebhookDelivery {
  readonly payload: Json;
  /** The event of a git host; other deliveries have none. */
  readonly text?: string;
  readonly headers: NonNullable<Trigger['headers']>;
  readonly query: NonNullable<Trigger['query']>;
  /** The idempotency key of the delivery: repeated deliveries with the same key start one run. */
  readonly idempotency: Idempotency | null;
}

/** Starts workflows by webhook. */
export interface Webhooks {
  /**
   * Finds the webhook that this user may start. The request counts against the workflow's rate limit.
   * @throws Problem `not_found`, the same for every reason why this user cannot start the workflow; `rate_limited`
   */
  find(user: User, slug: string): Promise<WebhookTarget>;
  /**
   * Finds the webhook for a sender without a key: null for every reason why it may not start the workflow. Only
   * requests that may start it count against the rate limit.
   * @throws Problem `rate_limited`
   */
  findKeyless(slug: string, shown: ShownProof): Promise<WebhookTarget | null>;
  /** Handles a request to a target, and logs the problem that rejects it. */
  deliver<T>(target: WebhookTarget, act: () => Promise<T>): Promise<T>;
  /** True if a sender needs neither a key nor a proof. */
  isOpen(slug: string): Promise<boolean>;
  /**
   * The user is null for a sender without a key. A workflow with validation errors is accepted, and its execution
   * fails.
   * @throws Problem `invalid` if the payload does not match the input schema or gives no valid concurrency key;
   * `overloaded`; `idempotency_conflict`
   */
  start(user: User | null, target: WebhookTarget, delivery: WebhookDelivery): Promise<WebhookRun>;
}

interface WebhooksPorts {
  readonly store: AccessStore;
  readonly graphs: Graphs;
  readonly triggers: Triggers;
  readonly inputSchemas: InputSchemas;
  readonly acceptance: Acceptance;
  readonly rejectedStarts: RejectedStarts;
  readonly resultWaiters: ResultWaiters;
  readonly rates: Rates;
  readonly proofs: WebhookProofs;
  readonly clock: Clock;
}

export function createWebhooks(ports: WebhooksPorts): Webhooks {
  const { store, inputSchemas, acceptance, rates, rejectedStarts, clock } = ports;
  return {
    find: (user, slug) =>
      withWebhookErrors(slug, async () => {
        const workflow = await loadWorkflow(store, user, slug);
        const target = await targetOf(ports, workflow);
        return rejectedStarts.watch(startOf(workflow, target), async () => {
          if (target === null) throw workflowNotFound();
          enforceRateLimit(rates, target);
          return target;
        });
      }),

    async findKeyless(slug, shown) {
      const workflow = await store.workflows.bySlug(slug);
      const target = workflow === null ? null : await targetOf(ports, workflow);
      const isAuthenticated = await mayStart(ports, target?.trigger ?? null, shown);
      if (target === null || !isAuthenticated) {
        // The response does not reveal whether the workflow exists; the log shows why the request was rejected.
        const code = target === null ? 'not_found' : 'not_authenticated';
        if (workflow !== null) rejectedStarts.report(startOf(workflow, target), code);
        return null;
      }
      return rejectedStarts.watch(startOf(target.workflow, target), async () => {
        enforceRateLimit(rates, target);
        return target;
      });
    },

    deliver: (target, act) => rejectedStarts.watch(startOf(target.workflow, target), act),

    async isOpen(slug) {
      const workflow = await store.workflows.bySlug(slug);
      const target = workflow === null ? null : await targetOf(ports, workflow);
      return target !== null && needsNothing(target.trigger);
    },

    async start(user, { workflow, graph, trigger }, delivery) {
      const { payload, text = '', headers, query } = delivery;
      // Two callers of a public workflow may choose the same key for different deliveries.
      const sender = user?.id ?? 'keyless';
      const at = clock.now();
      const idempotency = acceptance.useOf(`${sender}`, delivery.idempotency);
      // Before the schema and the load are checked: a repeated delivery must not be rejected because these have
      // changed.
      const earlier = await acceptance.earlier(workflow, idempotency);
      if (earlier !== null) return answerAgain(ports, earlier, trigger);
      inputSchemas.check(workflow, payload, ['body']);
      const started = { payload, text, headers, query };
      const run: NewExecution = {
        id: newExecutionId(at),
        workflowId: workflow.id,
        graph,
        triggerNodeId: trigger.nodeId,
        trigger: started,
        concurrencyKey: concurrencyKeyOf(workflow, started),
        idempotency,
        at,
      };
      // The workflow may be deleted at this moment.
      return withWebhookErrors(workflow.slug, async () => {
        if (trigger.responseMode !== 'immediately') return startAndWait(ports, run, trigger);
        const { id, created } = await acceptance.accept(run);
        return { executionId: id, isReplayed: !created, answer: null, abandon: noWait };
      });
    },
  };
}

/** The target of a workflow's webhook; null if the workflow is inactive or has no webhook. */
async function targetOf({ graphs, triggers }: WebhooksPorts, workflow: Workflow): Promise<WebhookTarget | null> {
  if (!workflow.isActive) return null;
  const graph = await graphs.effective(workflow);
  const trigger = triggers.webhook(graph);
  return trigger && { workflow, graph, trigger };
}

function startOf({ slug }: Workflow, target: WebhookTarget | null): StartAttempt {
  return { workflow: slug, trigger: 'webhook', ...(target !== null && { nodeId: target.trigger.nodeId }) };
}

/** True if a sender without a key may start the trigger: its proof is valid, or none is required. */
async function mayStart(
  { proofs, clock }: WebhooksPorts,
  trigger: WebhookTrigger | null,
  shown: ShownProof,
): Promise<boolean> {
  const proof = shown(trigger, clock.now());
  if (proof === null) return trigger !== null && needsNothing(trigger);
  // Checked in any case, so that the response time does not reveal whether the workflow exists.
  const isGenuine = await proofs.isGenuine(
    trigger !== null && takes(trigger, proof) ? trigger.credentialId : null,
    proof,
  );
  if (isGenuine || trigger === null || (proof.kind === 'token' && trigger.challenge === 'meta')) return isGenuine;
  // Some senders sign or send a password even if the trigger does not check it; such a request is accepted if the
  // trigger needs no authentication.
  return needsNothing(trigger);
}

/** True if the trigger checks this kind of proof. */
function takes({ auth, signature, challenge }: WebhookTrigger, proof: WebhookProof): boolean {
  switch (proof.kind) {
    case 'signature':
      return signature === proof.request.scheme;
    case 'basic':
      return auth === 'basic';
    case 'token':
      return challenge === 'meta';
  }
}

/** Without a key, a trigger with a signature accepts signed requests only. */
function needsNothing({ auth, signature }: WebhookTrigger): boolean {
  return auth === 'none' && signature === null;
}

function enforceRateLimit(
  rates: Rates,
  { workflow: { id }, trigger: { ratePerMinute: perMinute } }: WebhookTarget,
): void {
  if (perMinute === null) return;
  const retryAfter = rates.take(id, perMinute);
  if (retryAfter === null) return;
  const detail = `This webhook accepts at most ${perMinute} requests per minute. Try again in ${retryAfter} s.`;
  throw new Problem('rate_limited', detail, { retryAfter });
}

function noWait(): void {
  // There is no wait to abandon.
}

/** Replaces every `not_found` by the message of webhooks, whatever the reason. */
export async function withWebhookErrors<T>(slug: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'not_found') throw error;
    throw new Problem('not_found', `Workflow '${slug}' not found`);
  }
}

/** The response to a repeated delivery: as to the first one, from the same run. */
async function answerAgain(
  { resultWaiters }: WebhooksPorts,
  executionId: string,
  trigger: WebhookTrigger,
): Promise<WebhookRun> {
  const known = { executionId, isReplayed: true };
  if (trigger.responseMode === 'immediately') return { ...known, answer: null, abandon: noWait };
  return { ...known, ...(await resultWaiters.expectExisting(executionId, waitOf(trigger))) };
}

function waitOf({ responseMode, timeoutMs }: WebhookTrigger) {
  return { moment: responseMode === 'respond_node' ? 'respond' : 'end', timeoutMs } as const;
}

async function startAndWait(ports: WebhooksPorts, run: NewExecution, trigger: WebhookTrigger): Promise<WebhookRun> {
  const { acceptance, resultWaiters } = ports;
  const wait = waitOf(trigger);
  const expected = resultWaiters.expect(run.id, wait);
  try {
    const { id, created } = await acceptance.accept(run);
    if (created) return { executionId: id, isReplayed: false, ...expected };
    expected.abandon();
    return answerAgain(ports, id, trigger);
  } catch (error) {
    expected.abandon();
    throw error;
  }
}

import { type Json, Problem, type Trigger, type User, type Workflow } from '@millrace/core';
import type { VersionedGraph } from '../store/graphs.ts';
import type { Acceptance, RunStart } from './acceptance.ts';
import { type AccessStore, loadWorkflow, workflowNotFound } from './access.ts';
import type { Answer, Answers } from './answers.ts';
import type { Graphs } from './graphs.ts';
import type { InputSchemas } from './input-schema.ts';
import type { Rates } from './rates.ts';
import type { Triggers, WebhookTrigger } from './triggers.ts';

/** What a webhook's address leads to. */
export interface WebhookTarget {
  readonly workflow: Workflow;
  readonly graph: VersionedGraph;
  readonly trigger: WebhookTrigger;
}

/** A run that is on disk, and what its request waits for: null when the answer goes out at once. */
export interface WebhookRun {
  readonly executionId: string;
  readonly answer: Promise<Answer> | null;
  /** Ends the wait: the sender is gone. The run goes on. */
  abandon(): void;
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
  /** @throws Problem `invalid` when the payload breaks the input schema or the workflow cannot run; `overloaded` */
  start(user: User, target: WebhookTarget, delivery: Delivery): Promise<WebhookRun>;
}

interface WebhooksPorts {
  readonly store: AccessStore;
  readonly graphs: Graphs;
  readonly triggers: Triggers;
  readonly inputSchemas: InputSchemas;
  readonly acceptance: Acceptance;
  readonly answers: Answers;
  readonly rates: Rates;
}

export function createWebhooks(ports: WebhooksPorts): Webhooks {
  const { store, graphs, triggers, inputSchemas, acceptance, rates } = ports;
  return {
    find: (user, slug) =>
      inWebhookWords(slug, async () => {
        const workflow = await loadWorkflow(store, user, slug);
        if (!workflow.isActive) throw workflowNotFound();
        const graph = await graphs.current(workflow);
        const trigger = triggers.webhook(graph);
        if (trigger === null) throw workflowNotFound();
        if (trigger.ratePerMinute !== null) holdRate(rates, workflow, trigger.ratePerMinute);
        return { workflow, graph, trigger };
      }),

    async start(user, { workflow, graph, trigger }, delivery) {
      const { payload, headers, query } = delivery;
      // Two callers of a public workflow may choose the same key without meaning the same delivery.
      const idempotencyKey = delivery.idempotencyKey === null ? null : `${user.id}:${delivery.idempotencyKey}`;
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

function holdRate(rates: Rates, { id }: Workflow, perMinute: number): void {
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
  { answers }: WebhooksPorts,
  executionId: string,
  trigger: WebhookTrigger,
): Promise<WebhookRun> {
  if (trigger.responseMode === 'immediately') return { executionId, answer: null, abandon: nothing };
  return { executionId, ...(await answers.expectExisting(executionId, waitOf(trigger))) };
}

function waitOf({ responseMode, timeoutMs }: WebhookTrigger) {
  return { moment: responseMode === 'respond_node' ? 'respond' : 'end', timeoutMs } as const;
}

async function startAndWait(ports: WebhooksPorts, start: RunStart, trigger: WebhookTrigger): Promise<WebhookRun> {
  const { acceptance, answers } = ports;
  const wait = waitOf(trigger);
  const expected = answers.expect(start.id, wait);
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

import { type GitHost, isWantedGitEvent, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { WebhookProofs } from '../../secrets/webhook-proofs.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { RejectedStarts } from '../acceptance/rejected-starts.ts';
import type { GitTrigger, Triggers } from '../acceptance/triggers.ts';
import { type AccessStore, loadWorkflow } from '../access/access.ts';
import type { Graphs } from '../workflows/graphs.ts';
import {
  type ShownProof,
  type WebhookDelivery,
  type WebhookRun,
  type Webhooks,
  withWebhookErrors,
} from './webhooks.ts';

/** A workflow with git triggers, those of them that the sender's signature fits. */
export interface GitTarget {
  readonly workflow: Workflow;
  readonly graph: VersionedGraph;
  /** Not empty; the preferred one first. */
  readonly triggers: readonly [GitTrigger, ...GitTrigger[]];
}

interface ShownDelivery {
  readonly host: GitHost;
  readonly proof: ShownProof;
}

/** Starts workflows by deliveries of git hosts. */
export interface GitWebhooks {
  /**
   * Finds the git triggers that this delivery may start; null if the workflow has none, so it is an ordinary request;
   * `unsigned` without a valid signature, which an API key does not replace.
   * @throws Problem `not_found` if the user may not start the workflow
   */
  find(user: User | null, slug: string, delivery: ShownDelivery): Promise<GitTarget | 'unsigned' | null>;
  /**
   * Starts the first trigger that wants the event; null if none does.
   * @throws Problem as `Webhooks.start`
   */
  start(target: GitTarget, event: string, delivery: WebhookDelivery): Promise<WebhookRun | null>;
}

interface GitWebhooksPorts {
  readonly store: AccessStore;
  readonly graphs: Graphs;
  readonly triggers: Triggers;
  readonly rejectedStarts: RejectedStarts;
  readonly proofs: WebhookProofs;
  readonly webhooks: Webhooks;
  readonly clock: Clock;
}

/** More git triggers than a workflow needs. Each costs an unknown sender's request one check of its signature. */
const maxGitTriggers = 10;

export function createGitWebhooks(ports: GitWebhooksPorts): GitWebhooks {
  const { store, graphs, triggers, rejectedStarts, webhooks } = ports;
  return {
    async find(user, slug, { host, proof }) {
      const workflow =
        user === null
          ? await store.workflows.bySlug(slug)
          : await withWebhookErrors(slug, () => loadWorkflow(store, user, slug));
      if (workflow === null || !workflow.isActive) return null;
      const graph = await graphs.effective(workflow);
      const [first, ...others] = triggers.git(graph, host).slice(0, maxGitTriggers);
      if (first === undefined) return null;
      const [preferred, ...further] = await signedBy(ports, [first, ...others], proof);
      if (preferred !== undefined) return { workflow, graph, triggers: [preferred, ...further] };
      rejectedStarts.report({ workflow: slug, trigger: 'webhook', nodeId: first.nodeId }, 'not_authenticated');
      return 'unsigned';
    },

    async start({ workflow, graph, triggers }, event, delivery) {
      const trigger = triggers.find(({ filter }) => isWantedGitEvent(filter, event, delivery.payload));
      // The signature decides, not the API key, so a repeated delivery is the same with another API key.
      return trigger === undefined
        ? null
        : webhooks.start(null, { workflow, graph, trigger }, { ...delivery, text: event });
    },
  };
}

/** Those triggers whose credential has the secret of the sender. */
async function signedBy(
  { proofs, clock }: GitWebhooksPorts,
  candidates: readonly GitTrigger[],
  proof: ShownProof,
): Promise<readonly GitTrigger[]> {
  const at = clock.now();
  const isGenuine = new Map<number | null, boolean>();
  for (const { credentialId, signature, dedupeHeader } of candidates) {
    const shown = proof({ signature, dedupeHeader }, at);
    if (shown === null || isGenuine.has(credentialId)) continue;
    // Checked in any case, so that the response time does not reveal what the workflow expects.
    const fits = shown.kind === 'signature' && shown.request.scheme === signature;
    isGenuine.set(credentialId, await proofs.isGenuine(fits ? credentialId : null, shown));
  }
  return candidates.filter(({ credentialId }) => isGenuine.get(credentialId) === true);
}

import {
  type Catalogue,
  defaultGitEvents,
  type GitEventFilter,
  type GitHost,
  type Graph,
  isObject,
  isTrigger,
  type Json,
  type Node,
  own,
  Problem,
  type SignatureScheme,
  schedulePolicies,
  scheduleType,
  signatureSchemes,
  type WebhookAuth,
  type WebhookChallenge,
  type WebhookMethod,
  webhookAuths,
  webhookChallenges,
  webhookMethods,
} from '@millrace/core';
import { z } from 'zod';
import type { VersionedGraph } from '../../store/graphs.ts';

/** How a webhook responds: at once, with the run's output, or with the response of a respond node. */
export type ResponseMode = 'immediately' | 'last_node' | 'respond_node';

/** The node that a webhook starts, with the settings of its config for requests and responses. */
export interface WebhookTrigger {
  readonly nodeId: string;
  readonly responseMode: ResponseMode;
  /** How long a synchronous mode waits for the run. */
  readonly timeoutMs: number;
  /** Lower-case name of the header that identifies a delivery, in addition to Idempotency-Key. */
  readonly dedupeHeader: string | null;
  readonly methods: readonly WebhookMethod[];
  /** The kinds of bodies, media types and ranges that are accepted; null for any. */
  readonly accepts: readonly string[] | null;
  /** How a sender without an API key authenticates. */
  readonly auth: WebhookAuth;
  /** How a sender may sign its requests instead of sending a key; null if it cannot. */
  readonly signature: SignatureScheme | null;
  readonly challenge: WebhookChallenge;
  /** The credential with the secret for `auth`, `signature` and `challenge`. */
  readonly credentialId: number | null;
  /** Requests that are accepted per minute; null for any number. */
  readonly ratePerMinute: number | null;
}

/** A node that deliveries of a git host start. They need a signature, whatever else they have. */
export interface GitTrigger extends WebhookTrigger {
  readonly filter: GitEventFilter;
}

/** Finds the node of a graph that starts a run. Webhook triggers are computed once per graph. */
export interface Triggers {
  /** The node that a webhook starts; null if the graph has none. */
  webhook(graph: VersionedGraph): WebhookTrigger | null;
  /** The active git triggers, as deliveries of this host start them; in the order of preference. */
  git(graph: VersionedGraph, host: GitHost): readonly GitTrigger[];
  /**
   * The node at which a manual run starts: the named one, else the manual trigger, else the only trigger.
   * @throws Problem `invalid` if that leaves no node or several
   */
  byHand(graph: VersionedGraph, nodeId: string | null): string;
  /** The payload of a manual run if its caller gives none: a schedule's own payload, otherwise an empty object. */
  manualPayload(graph: VersionedGraph, nodeId: string): Json;
  /**
   * The active trigger of a type: of several, the one with the highest priority, then the lowest id; null if there is
   * none.
   */
  ofType(graph: VersionedGraph, componentType: string): string | null;
}

const defaultTimeoutSeconds = 30;

export function createTriggers(catalogue: Catalogue): Triggers {
  // Weak: a result lives as long as the graph is cached.
  const webhooks = new WeakMap<Graph, WebhookTrigger | null>();

  return {
    webhook(graph) {
      const known = webhooks.get(graph);
      if (known !== undefined) return known;
      const node = webhookNode(triggersOf(graph, catalogue));
      const trigger = node === undefined ? null : webhookTrigger(node);
      webhooks.set(graph, trigger);
      return trigger;
    },
    git(graph, host) {
      const nodes = triggersOf(graph, catalogue).filter((node) => node.componentType === gitType && isActive(node));
      return nodes.map((node) => gitTrigger(node, host));
    },
    byHand(graph, nodeId) {
      const triggers = triggersOf(graph, catalogue);
      if (nodeId === null) return onlyTrigger(triggers);
      if (triggers.some((node) => node.nodeId === nodeId)) return nodeId;
      throw new Problem('invalid', [
        {
          type: 'trigger',
          loc: ['body', 'trigger_node_id'],
          msg: `Node '${nodeId}' is not a trigger of this workflow.`,
        },
      ]);
    },
    manualPayload(graph, nodeId) {
      const node = graph.nodes.find((each) => each.nodeId === nodeId);
      const config = node?.componentType === scheduleType ? own(node.config, 'extra_config') : undefined;
      return isObject(config) ? schedulePolicies(config).payload : {};
    },
    ofType(graph, componentType) {
      const ofThisType = triggersOf(graph, catalogue).filter((node) => node.componentType === componentType);
      return ofThisType.find(isActive)?.nodeId ?? null;
    },
  };
}

/** In the order of preference: highest priority first, then lowest id. */
function triggersOf(graph: Graph, catalogue: Catalogue): Node[] {
  return graph.nodes
    .filter((node) => {
      const component = catalogue.get(node.componentType);
      return component !== undefined && isTrigger(component);
    })
    .sort((a, b) => priorityOf(b) - priorityOf(a) || a.id - b.id);
}

function priorityOf(node: Node): number {
  const priority = own(node.config, 'priority');
  return typeof priority === 'number' ? priority : 0;
}

function isActive(node: Node): boolean {
  return own(node.config, 'is_active') !== false;
}

function webhookNode(triggers: readonly Node[]): Node | undefined {
  const webhooks = triggers.filter((node) => node.componentType === 'trigger_webhook');
  if (webhooks.length > 0) return webhooks.find(isActive);
  // A git trigger starts only for signed deliveries.
  return triggers.length === 1 ? triggers.find((node) => isActive(node) && node.componentType !== gitType) : undefined;
}

function onlyTrigger(triggers: readonly Node[]): string {
  const active = triggers.filter(isActive);
  const [first, second] = active;
  const manual = active.find((node) => node.componentType === 'trigger_manual');
  if (manual !== undefined) return manual.nodeId;
  if (first === undefined) throw new Problem('invalid', 'The workflow has no active trigger.');
  if (second === undefined) return first.nodeId;
  const names = active.map((node) => `'${node.nodeId}'`).join(', ');
  throw new Problem('invalid', `The workflow has several triggers: name one of ${names} in trigger_node_id.`);
}

// The component's own schema rejected other values when the node was stored.
const webhookConfig = z.object({
  timeout: z.number().positive().nullish(),
  credential_id: z.int().nullish(),
  extra_config: z.object({
    response_mode: z.enum(['immediately', 'last_node', 'respond_node']).catch('immediately'),
    timeout: z.number().positive().nullish(),
    dedupe_header: z.string().nullish(),
    signature: z.enum(signatureSchemes).nullish().catch(null),
    methods: z.array(z.enum(webhookMethods)).min(1).catch(['POST']),
    accepts: z.array(z.string()).nullish().catch(null),
    auth: z.enum(webhookAuths).catch('key'),
    challenge: z.enum(webhookChallenges).catch('none'),
    rate_limit_per_minute: z.number().positive().nullish(),
  }),
});

const gitType = 'trigger_git';

const gitConfig = z.object({
  credential_id: z.int().nullish(),
  extra_config: z.object({
    events: z.array(z.string()).catch([...defaultGitEvents]),
    branches: z.array(z.string()).catch([]),
  }),
});

/**
 * The header in which each git host sends the id of a delivery. The second one signs its own, which is the same as its
 * `Idempotency-Key`; without a signature it sends only that one.
 */
const deliveryHeaders: Partial<Record<SignatureScheme, string>> = {
  git_host_a: 'x-github-delivery',
  git_host_b: 'webhook-id',
};

function webhookTrigger(node: Node): WebhookTrigger {
  // The only trigger of a workflow may replace a webhook trigger: it responds at once, as it has no config for this.
  const isWebhook = node.componentType === 'trigger_webhook';
  const config = webhookConfig.parse(isWebhook ? node.config : { extra_config: {} });
  const { response_mode: responseMode, timeout, methods, accepts, auth, challenge } = config.extra_config;
  const signature = config.extra_config.signature ?? null;
  const dedupeHeader = config.extra_config.dedupe_header || ((signature && deliveryHeaders[signature]) ?? null);
  return {
    nodeId: node.nodeId,
    responseMode,
    timeoutMs: (timeout ?? config.timeout ?? defaultTimeoutSeconds) * 1000,
    dedupeHeader: dedupeHeader === null ? null : dedupeHeader.toLowerCase(),
    methods,
    accepts: accepts ?? null,
    auth,
    signature,
    challenge,
    credentialId: config.credential_id ?? null,
    ratePerMinute: config.extra_config.rate_limit_per_minute ?? null,
  };
}

/** Deliveries are answered at once: a git host does not wait for a workflow. */
function gitTrigger(node: Node, host: GitHost): GitTrigger {
  const { credential_id: credentialId, extra_config: filter } = gitConfig.parse(node.config);
  return {
    nodeId: node.nodeId,
    responseMode: 'immediately',
    timeoutMs: defaultTimeoutSeconds * 1000,
    dedupeHeader: deliveryHeaders[host] ?? null,
    methods: ['POST'],
    accepts: null,
    auth: 'key',
    signature: host,
    challenge: 'none',
    credentialId: credentialId ?? null,
    ratePerMinute: null,
    filter,
  };
}

import {
  admits,
  type BotTriggerSettings,
  botTriggerSettings,
  errorTable,
  type IncomingMessage,
  isBotMatch,
  type JsonObject,
  type Node,
  own,
  Problem,
  type Workflow,
} from '@millrace/core';
import { newExecutionId } from '../../ground/ids.ts';
import { matches } from '../../ground/regex.ts';
import type { BotRun } from '../../store/bots.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { concurrencyKeyOf } from '../acceptance/concurrency-key.ts';
import type { StartPorts } from '../acceptance/start-ports.ts';

/** The dependencies of the runs that messages start. */
export interface BotRunPorts extends Omit<StartPorts, 'triggers' | 'resultWaiters'> {
  readonly store: Pick<Store, 'bots' | 'workflows' | 'credentials'>;
}

/** A trigger that may start for a message. */
export interface Candidate {
  readonly workflow: Workflow;
  readonly graph: VersionedGraph;
  readonly node: Node;
  readonly credentialId: number;
  readonly settings: BotTriggerSettings;
  /** `allowed_user_ids` of its bot. */
  readonly allowed: string;
}

/** The triggers of a bot in the order in which they are asked whether they match. */
export async function candidatesOf(
  ports: BotRunPorts,
  credentialIds: readonly number[],
): Promise<readonly Candidate[]> {
  const triggers = await ports.store.bots.triggers();
  const found: Candidate[] = [];
  for (const { id, workflowId, credentialId } of triggers) {
    if (credentialId === null || !credentialIds.includes(credentialId)) continue;
    const bot = await ports.store.credentials.byId(credentialId);
    const workflow = await ports.store.workflows.byId(workflowId);
    if (bot === null || workflow === null || !workflow.isActive) continue;
    const graph = await ports.graphs.effective(workflow);
    const node = graph.nodes.find((each) => each.id === id);
    // The node was removed, or another version was published meanwhile.
    if (node === undefined) continue;
    const settings = botTriggerSettings((own(node.config, 'extra_config') ?? {}) as JsonObject);
    const allowed = String(bot.detail.allowed_user_ids ?? '');
    found.push({ workflow, graph, node, credentialId, settings, allowed });
  }
  return found.sort((a, b) => priorityOf(b) - priorityOf(a) || rank(a) - rank(b) || a.node.id - b.node.id);
}

function priorityOf({ node }: Candidate): number {
  const priority = own(node.config, 'priority');
  return typeof priority === 'number' ? priority : 0;
}

/** Of triggers with the same priority, those for certain messages come first. */
function rank({ settings: { command, pattern } }: Candidate): number {
  return command === null && pattern === null ? 1 : 0;
}

/** The first trigger that starts for a message; null if none does. */
export function triggerFor(candidates: readonly Candidate[], message: IncomingMessage): Candidate | null {
  const found = candidates.find(
    ({ settings, allowed }) => admits(allowed, message.userId) && isBotMatch(settings, message, matches),
  );
  return found ?? null;
}

/** The run that a message starts; null if no trigger matches it, or the workflow rejects it. */
export async function runFor(
  ports: BotRunPorts,
  candidates: readonly Candidate[],
  { updateId, message }: { readonly updateId: number; readonly message: IncomingMessage },
): Promise<BotRun | null> {
  const found = triggerFor(candidates, message);
  if (found === null) return null;
  try {
    return { updateId, run: await runOf(ports, found, message), reply: replyOf(found, message) };
  } catch (error) {
    // What may work later is attempted again; anything else would be rejected again.
    if (!(error instanceof Problem) || errorTable[error.code].kind === 'unavailable') throw error;
    const { workflow, node } = found;
    ports.rejectedStarts.report({ workflow: workflow.slug, trigger: 'chat_bot', nodeId: node.nodeId }, error.code);
    return null;
  }
}

/** @throws Problem if the workflow rejects the message */
export async function runOf(ports: BotRunPorts, found: Candidate, message: IncomingMessage): Promise<BotRun['run']> {
  const { workflow, graph, node } = found;
  const { payload, text, chatId: sessionId } = message;
  const trigger = { payload, text, sessionId };
  ports.inputSchemas.check(workflow, payload, ['body']);
  await ports.validity.check(workflow, graph);
  const at = ports.clock.now();
  return {
    id: newExecutionId(at),
    workflowId: workflow.id,
    graph,
    triggerNodeId: node.nodeId,
    trigger,
    concurrencyKey: concurrencyKeyOf(workflow, trigger),
    at,
    chat: { userId: workflow.ownerId, sessionId, text },
  };
}

function replyOf({ settings, credentialId }: Candidate, { chatId, messageId }: IncomingMessage): BotRun['reply'] {
  return settings.replies ? { credentialId, chatId, messageId } : null;
}

import { type ChatTurn, chatTriggerType, Problem, type User, type Workflow } from '@millrace/core';
import { z } from 'zod';
import { FairTurns } from '../../ground/fair-turns.ts';
import { newExecutionId } from '../../ground/ids.ts';
import type { ChatFilter } from '../../store/chats.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';
import { concurrencyKeyOf } from '../acceptance/concurrency-key.ts';
import type { Expectation } from '../acceptance/result-waiters.ts';
import type { StartPorts } from '../acceptance/start-ports.ts';
import { ownerOnly } from '../access/access.ts';

/** A message of a user. */
export interface ChatMessage {
  readonly text: string;
  /** Null starts a new conversation. */
  readonly sessionId: string | null;
  /** Called before the run is accepted, by a caller who streams its events: no event is earlier. */
  readonly follow?: (executionId: string, sessionId: string) => void;
}

/** The run that answers a message; it is committed to disk. */
export interface ChatRun extends Expectation {
  readonly executionId: string;
  readonly sessionId: string;
}

/** Which turns to select. */
interface Asked {
  readonly username: string | undefined;
  readonly sessionId: string | undefined;
}

/** A page of a history, and who reads it. */
interface AskedPage extends Asked {
  readonly limit: number;
  readonly offset: number;
  /** Aborted when the reader does not wait any more. */
  readonly gone: AbortSignal;
}

/** Conversations with workflows. */
export interface Chats {
  /** @throws Problem `invalid` if the workflow has no chat trigger or cannot run; `overloaded` */
  say(user: User, workflow: Workflow, message: ChatMessage): Promise<ChatRun>;
  /** The user's default workflow. @throws Problem `not_found` */
  defaultOf(user: User): Promise<Workflow>;
  /**
   * Presents a page of turns, newest first: the turns of all users for the owner, their own for others. The texts of a
   * page are limited: what does not fit is shortened, the oldest turns first. Long pages are read one after the other, so
   * that their texts are not in memory at the same time; users take turns.
   * @throws Problem `owner_only` for another's, `overloaded` if too many are waiting or the reader is gone
   */
  history<Shown>(
    user: User,
    workflow: Workflow,
    asked: AskedPage,
    present: (page: Page<ChatTurn>) => Promise<Shown>,
  ): Promise<Shown>;
  /** Deletes the user's own turns; the owner may name another user. @throws Problem `owner_only` */
  forget(user: User, workflow: Workflow, asked: Asked): Promise<void>;
}

interface ChatsPorts extends StartPorts {
  readonly store: Pick<Store, 'chats' | 'users' | 'workflows'>;
}

/** Seconds that a message waits for its answer, as for a webhook that waits. */
const defaultTimeoutSeconds = 30;

/** The same for a message whose answer is streamed: its client sees that the run continues. */
const defaultStreamSeconds = 600;

/** Characters of the messages and answers in one page of a history: beyond them the older ones are shortened. */
const maxHistoryLength = 4_194_304;

/** Long pages that wait to be read. Each takes up to half a second. */
const maxPagesWaiting = 100;

/** No user has this id. */
const nobody = 0;

export function createChats(ports: ChatsPorts): Chats {
  const { store } = ports;
  const reads = new FairTurns({
    atOnce: 1,
    waiting: maxPagesWaiting,
    message: 'Too many long chat histories are being read. Try again in a moment.',
  });

  /** The user whose turns are selected; undefined for all users. */
  async function userIdOf(user: User, workflow: Workflow, username: string | undefined): Promise<number | undefined> {
    if (username === undefined) return undefined;
    // The store compares usernames without case.
    const named = (await store.users.byUsername(username))?.id ?? nobody;
    if (named !== user.id && workflow.ownerId !== user.id) throw ownerOnly();
    return named;
  }

  return {
    say: (user, workflow, message) => say(ports, user, { workflow, message }),
    async defaultOf(user) {
      const workflow = await store.workflows.defaultOf(user.id);
      if (workflow !== null) return workflow;
      throw new Problem('not_found', 'You have no default workflow: set is_default of one of yours.');
    },
    async history(user, workflow, { username, sessionId, limit, offset, gone }, present) {
      const named = await userIdOf(user, workflow, username);
      const userId = named ?? (workflow.ownerId === user.id ? undefined : user.id);
      const filter = { ...filterOf(workflow, sessionId), ...(userId !== undefined && { userId }) };
      const page = { ...filter, limit, offset, characters: maxHistoryLength };
      const read = async () => present(await store.chats.list(page));
      return (await store.chats.isLong(page)) ? reads.take({ id: String(user.id), isKnown: true }, read, gone) : read();
    },
    async forget(user, workflow, { username, sessionId }) {
      const userId = (await userIdOf(user, workflow, username)) ?? user.id;
      await store.chats.remove({ ...filterOf(workflow, sessionId), userId });
    },
  };
}

function filterOf({ id: workflowId }: Workflow, sessionId: string | undefined): ChatFilter {
  return sessionId === undefined ? { workflowId } : { workflowId, sessionId };
}

interface WorkflowMessage {
  readonly workflow: Workflow;
  readonly message: ChatMessage;
}

interface ChatStart extends WorkflowMessage {
  readonly graph: VersionedGraph;
  readonly triggerNodeId: string;
}

async function say(ports: ChatsPorts, user: User, message: WorkflowMessage): Promise<ChatRun> {
  const { rejectedStarts } = ports;
  const attempt = { workflow: message.workflow.slug, trigger: 'chat' } as const;
  const found = await rejectedStarts.watch(attempt, () => triggerOf(ports, message.workflow));
  const start = { ...message, ...found };
  return rejectedStarts.watch({ ...attempt, nodeId: found.triggerNodeId }, () => startChat(ports, user, start));
}

/** The trigger node for a message. @throws Problem `invalid` if there is none */
async function triggerOf(
  { graphs, triggers }: ChatsPorts,
  workflow: Workflow,
): Promise<Pick<ChatStart, 'graph' | 'triggerNodeId'>> {
  if (!workflow.isActive) throw new Problem('invalid', `Workflow '${workflow.slug}' is not active: set is_active.`);
  const graph = await graphs.effective(workflow);
  const triggerNodeId = triggers.ofType(graph, chatTriggerType);
  if (triggerNodeId === null)
    throw new Problem('invalid', `Workflow '${workflow.slug}' has no active ${chatTriggerType}.`);
  return { graph, triggerNodeId };
}

async function startChat(
  { inputSchemas, validity, acceptance, resultWaiters, clock }: ChatsPorts,
  user: User,
  start: ChatStart,
): Promise<ChatRun> {
  const { workflow, graph, triggerNodeId, message } = start;
  const at = clock.now();
  const id = newExecutionId(at);
  const { text } = message;
  // The id of the first execution names a conversation without a name of its own.
  const sessionId = message.sessionId ?? id;
  const payload = { text, session_id: sessionId };
  const trigger = { payload, text, sessionId };
  inputSchemas.check(workflow, payload, ['body']);
  await validity.check(workflow, graph);
  const concurrencyKey = concurrencyKeyOf(workflow, trigger);
  const expected = resultWaiters.expect(id, { moment: 'respond', timeoutMs: timeoutOf(graph, start) });
  message.follow?.(id, sessionId);
  try {
    await acceptance.accept({
      id,
      workflowId: workflow.id,
      graph,
      triggerNodeId,
      trigger,
      concurrencyKey,
      idempotency: null,
      at,
      chat: { userId: user.id, sessionId, text },
    });
    return { executionId: id, sessionId, ...expected };
  } catch (error) {
    expected.abandon();
    throw error;
  }
}

const chatConfig = z.object({ extra_config: z.object({ timeout: z.number().positive().nullish() }) });

function timeoutOf({ nodes }: VersionedGraph, { triggerNodeId, message }: ChatStart): number {
  // The component's own schema rejected other values when the node was stored.
  const config = chatConfig.safeParse(nodes.find((node) => node.nodeId === triggerNodeId)?.config);
  const byDefault = message.follow === undefined ? defaultTimeoutSeconds : defaultStreamSeconds;
  return (config.data?.extra_config.timeout ?? byDefault) * 1000;
}

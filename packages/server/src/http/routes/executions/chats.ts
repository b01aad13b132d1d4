import {
  chatAnswer,
  chatForgetQuery,
  chatHistory,
  chatHistoryQuery,
  chatRequest,
  presentChatTurn,
} from '@millrace/contract';
import type { ExecutionStatus, Json, Workflow } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { RunResult } from '../../../services/acceptance/result-waiters.ts';
import type { ChatMessage, ChatRun, Chats } from '../../../services/triggers/chats.ts';
import { asksForEvents, type EventStream } from '../../handling/event-stream.ts';
import { jsonInPieces } from '../../plumbing/json-in-pieces.ts';
import { addRoute, type Caller, EventAnswer, JsonText, OtherAnswer } from '../../plumbing/route.ts';
import type { RouteAccess } from '../../plumbing/route-access.ts';
import { answerWhileOpen, whileOpen } from '../../plumbing/waiting-request.ts';
import type { WorkflowAccess } from '../../plumbing/workflow-access.ts';
import { ChatStream, type ChatStreamPorts } from './chat-stream.ts';

interface ChatRoutes extends ChatStreamPorts {
  readonly chats: Chats;
  readonly access: WorkflowAccess;
}

type AnswerBody = z.infer<typeof chatAnswer>;

const tag = 'Chat';
const path = '/api/v1/workflows/:slug/chat/';
const history = `${path}history/`;

/** The endpoints of chat conversations. */
export function addChats(app: FastifyInstance, { chats, access, ...streams }: ChatRoutes): void {
  addMessages(app, {
    path,
    operationId: 'sendChatMessage',
    summary: 'Sends a message to a workflow; `Accept: text/event-stream` streams the answer',
    access: 'editor',
    chats,
    streams,
    load: access.forWriting,
  });
  addMessages(app, {
    // Not below the workflows, where a slug could have this name.
    path: '/api/v1/chat/',
    operationId: 'sendDefaultChatMessage',
    summary: "Sends a message to the caller's default workflow; `Accept: text/event-stream` streams the answer",
    access: 'user',
    chats,
    streams,
    load: ({ user }) => chats.defaultOf(user),
  });
  addRoute(app, {
    method: 'GET',
    path: history,
    operationId: 'listChatHistory',
    summary: 'Lists the chat messages to a workflow and its answers, newest first',
    tag,
    access: 'member',
    query: chatHistoryQuery,
    success: { status: 200, schema: chatHistory },
    load: access.forMembers,
    errors: [503],
    handle: ({ caller, loaded, request, query: { session_id: sessionId, username, limit, offset } }) =>
      whileOpen(request, (gone) =>
        chats.history(caller.user, loaded, { username, sessionId, limit, offset, gone }, async ({ items, total }) => {
          return new JsonText(await jsonInPieces({ items: items.map(presentChatTurn), total }));
        }),
      ),
  });
  addRoute(app, {
    method: 'DELETE',
    path: history,
    operationId: 'deleteChatHistory',
    summary: 'Deletes chat messages to a workflow, but not their executions',
    tag,
    access: 'member',
    query: chatForgetQuery,
    success: { status: 204, schema: null },
    load: access.forMembers,
    handle: ({ caller, loaded, query: { session_id: sessionId, username } }) =>
      chats.forget(caller.user, loaded, { sessionId, username }),
  });
}

interface Messages {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly access: RouteAccess;
  readonly chats: Chats;
  readonly streams: ChatStreamPorts;
  readonly load: (caller: Caller, params: Readonly<Record<string, string>>) => Promise<Workflow>;
}

function addMessages(app: FastifyInstance, { chats, streams, load, ...route }: Messages): void {
  addRoute(app, {
    method: 'POST',
    ...route,
    tag,
    body: chatRequest,
    examples: [{ text: 'Hello' }],
    success: { status: 200, schema: chatAnswer },
    others: { 202: chatAnswer.describe('The execution continues; its answer will be in the history.') },
    errors: [404],
    load,
    handle: async ({ caller, loaded, request, body: { text, session_id: sessionId = null } }) => {
      const say = (follow?: ChatMessage['follow']): Promise<ChatRun> =>
        chats.say(caller.user, loaded, { text, sessionId, ...(follow && { follow }) });
      if (asksForEvents(request.headers.accept)) return streamed({ request, streams, workflow: loaded, say });
      const run = await say();
      const answer = await answerWhileOpen(request, run);
      const json = await jsonInPieces(await answerBody(loaded, run, answer));
      return answer.kind === 'late' ? new OtherAnswer(202, json) : new JsonText(json);
    },
  });
}

interface StreamedMessage {
  readonly request: FastifyRequest;
  readonly streams: ChatStreamPorts;
  readonly workflow: Workflow;
  readonly say: (follow: NonNullable<ChatMessage['follow']>) => Promise<ChatRun>;
}

/** Answers with events. What is wrong with the message is answered with a status, like without them. */
async function streamed({ request, streams, workflow, say }: StreamedMessage): Promise<EventAnswer> {
  const stream = await ChatStream.open(streams, request);
  try {
    const run = await say((executionId, sessionId) => {
      stream.follow({ workflowId: workflow.id, executionId, sessionId });
    });
    // The promise is not awaited: the events are sent meanwhile.
    void endStream(stream.events, answerWhileOpen(request, run), (answer) => answerBody(workflow, run, answer));
  } catch (error) {
    stream.events.discard();
    throw error;
  }
  return new EventAnswer(stream.events.body);
}

async function endStream(
  events: EventStream,
  answered: Promise<RunResult>,
  bodyOf: (answer: RunResult) => Promise<AnswerBody>,
): Promise<void> {
  const answer = await answered;
  const isAnswer = answer.kind !== 'failed' && answer.kind !== 'cancelled';
  events.end(isAnswer ? 'answer' : 'error', await bodyOf(answer));
}

async function answerBody(workflow: Workflow, run: ChatRun, answer: RunResult): Promise<AnswerBody> {
  const { executionId: execution_id, sessionId: session_id } = run;
  return { execution_id, workflow_slug: workflow.slug, session_id, ...(await resultFields(answer)) };
}

async function resultFields(answer: RunResult): Promise<Pick<AnswerBody, 'status' | 'text' | 'error_message'>> {
  const as = (status: ExecutionStatus, text: string | null, error: string | null = null) => {
    return { status, text, error_message: error };
  };
  switch (answer.kind) {
    case 'responded':
      return as('running', await textOf(answer.answer.body));
    case 'completed':
      return as('completed', await textOf(answer.output));
    case 'late':
      return as('running', null);
    case 'failed':
      return as('failed', null, answer.failure.message);
    case 'cancelled':
      return as('cancelled', null, 'The execution was cancelled.');
  }
}

/** The answer of a run in a chat: text unchanged, anything else as JSON, null as nothing. */
async function textOf(output: Json): Promise<string> {
  if (typeof output === 'string') return output;
  return output === null ? '' : jsonInPieces(output);
}

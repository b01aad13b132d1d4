import { type ChatTurn, executionStatuses, formatInstant } from '@millrace/core';
import { z } from 'zod';
import { pageOf, pageQuery } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';

/** Some thirty pages: what is longer belongs into a payload. */
const maxText = 100_000;

/** Chosen by clients: ids of any kind that they use themselves. */
const sessionId = z
  .string()
  .regex(/^[\w.:@-]{1,128}$/, 'must be 1 to 128 letters, digits or any of _ . : @ -')
  .describe('Which conversation it belongs to.');

/** A message to a workflow. */
export const chatRequest = z.object({
  text: z.string().min(1).max(maxText),
  session_id: sessionId.nullish().describe('Which conversation it belongs to; a new one when left out.'),
});

const status = z.enum(executionStatuses).describe('Of the execution that answers.');
const executionId = z.uuidv7();

/** What a workflow says to a message. */
export const chatAnswer = z
  .object({
    execution_id: executionId,
    workflow_slug: z.string(),
    session_id: z.string(),
    status,
    text: z.string().nullable().describe('The answer; null while there is none, and when the execution failed.'),
    error_message: z.string().nullable().describe('Why it failed or was cancelled.'),
  })
  .register(z.globalRegistry, { id: 'ChatAnswer', description: 'What a workflow says to a message.' });

/** A message and its answer. */
const chatTurn = z
  .object({
    execution_id: executionId,
    session_id: z.string(),
    username: z.string().describe('Who said it.'),
    text: z.string(),
    status,
    answer: z
      .string()
      .nullable()
      .describe(
        'Null until a respond node has answered, or the execution has completed. A very long one is cut here; the execution has all of it.',
      ),
    asked_at: timestamp,
    answered_at: timestamp.nullable().describe('When the execution ended. A respond node has answered before that.'),
  })
  .register(z.globalRegistry, { id: 'ChatTurn', description: 'A message and its answer.' });

export const chatHistory = pageOf(chatTurn);

const whose = z.string().max(200).optional();

/** Which part of a history to show. */
export const chatHistoryQuery = pageQuery.extend({
  session_id: sessionId.optional().describe('Only this conversation.'),
  username: whose.describe("Only this user's. Left out, the owner of the workflow sees everybody's, others their own."),
});

/** Which part of a history to forget. */
export const chatForgetQuery = z.object({
  session_id: sessionId.optional().describe('Only this conversation.'),
  username: whose.describe("This user's instead of the caller's own; only the owner of the workflow may say so."),
});

export function presentChatTurn(turn: ChatTurn): z.infer<typeof chatTurn> {
  return {
    execution_id: turn.executionId,
    session_id: turn.sessionId,
    username: turn.username,
    text: turn.text,
    status: turn.status,
    answer: turn.answer,
    asked_at: formatInstant(turn.askedAt),
    answered_at: turn.answeredAt === null ? null : formatInstant(turn.answeredAt),
  };
}

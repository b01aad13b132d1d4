import { type ChatTurn, executionStatuses, formatInstant } from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';
import { pageOf, pageQuery } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';

/** About thirty pages: longer text belongs in a payload. */
const maxText = 100_000;

/** Clients choose it, and may use their own kind of ids. */
const sessionId = z
  .string()
  .regex(/^[\w.:@-]{1,128}$/, 'must be 1 to 128 letters, digits or any of _ . : @ -')
  .describe('The ID of the conversation.');

/** A message to a workflow. */
export const chatRequest = named(
  'ChatRequest',
  z.object({
    text: z.string().min(1).max(maxText),
    session_id: sessionId.nullish().describe('The ID of the conversation; by default, a new one starts.'),
  }),
  { description: 'A message to a workflow.' },
);

const status = z.enum(executionStatuses).describe('The status of the execution that answers.');
const executionId = z.uuidv7();

/** The answer of a workflow to a message. */
export const chatAnswer = named(
  'ChatAnswer',
  z.object({
    execution_id: executionId,
    workflow_slug: z.string(),
    session_id: z.string(),
    status,
    text: z.string().nullable().describe('The answer; null if there is none yet, and if the execution failed.'),
    error_message: z.string().nullable().describe('Why the execution failed or was cancelled.'),
  }),
  {
    description: 'The answer of a workflow to a message.',
    example: {
      execution_id: '01980000-0000-7000-8000-000000000000',
      workflow_slug: 'orders',
      session_id: 'visitor-17',
      status: 'completed',
      text: 'Hello! What may I look up for you?',
      error_message: null,
    },
  },
);

/** A message and its answer. */
const chatTurn = named(
  'ChatTurn',
  z.object({
    execution_id: executionId,
    session_id: z.string(),
    username: z.string().describe('The user who sent the message.'),
    text: z.string(),
    status,
    answer: z
      .string()
      .nullable()
      .describe(
        'Null until a Respond node answers or the execution completes. A very long answer is truncated here; the execution contains all of it.',
      ),
    asked_at: timestamp,
    answered_at: timestamp.nullable().describe('When the execution ended, which is after a Respond node answered.'),
  }),
  {
    description: 'A message and its answer.',
    example: {
      execution_id: '01980000-0000-7000-8000-000000000000',
      session_id: 'visitor-17',
      username: 'operator',
      text: 'Hello',
      status: 'completed',
      answer: 'Hello! What may I look up for you?',
      asked_at: '2026-01-31T12:00:00.000000',
      answered_at: '2026-01-31T12:00:01.250000',
    },
  },
);

export const chatHistory = pageOf('ChatHistory', chatTurn);

const whose = z.string().max(200).optional();

/** The part of a history to return. */
export const chatHistoryQuery = pageQuery.extend({
  session_id: sessionId.optional().describe('Only this conversation.'),
  username: whose.describe(
    'Only the turns of this user. By default, the owner of the workflow sees all turns, other users see their own.',
  ),
});

/** The part of a history to delete. */
export const chatForgetQuery = z.object({
  session_id: sessionId.optional().describe('Only this conversation.'),
  username: whose.describe("Deletes this user's turns instead of the caller's; only for the owner of the workflow."),
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

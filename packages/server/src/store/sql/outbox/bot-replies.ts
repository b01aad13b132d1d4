import { formatInstant, type Instant, parseInstant } from '@millrace/core';
import type { BotReply, BotRun } from '../../bots.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';

/** Writes to `bot_replies` in a transaction in progress. */
export interface BotReplies {
  /** The answer of a run is to be sent. */
  expect(executionId: string, reply: NonNullable<BotRun['reply']>): void;
  /** For a run whose answer is expected; does nothing for any other. The first answer is final. */
  answer(executionId: string, answer: { readonly text: string; readonly at: Instant }, effects: Effects): void;
  due(now: Instant, limit: number): readonly BotReply[];
  nextAt(): Instant | null;
  set(reply: { readonly id: number; readonly sent: number; readonly failures: number; readonly dueAt: Instant }): void;
  remove(id: number): void;
}

interface ReplyRow {
  readonly id: number;
  readonly execution_id: string;
  readonly credential_id: number;
  readonly chat_id: string;
  readonly message_id: number;
  readonly answer: string;
  readonly sent: number;
  readonly failures: number;
}

export function prepareBotReplies(connection: Connection): BotReplies {
  const insert = connection.prepare<[string, number, string, number]>(
    'INSERT INTO bot_replies (execution_id, credential_id, chat_id, message_id) VALUES (?, ?, ?, ?)',
  );
  const answer = connection.prepare<[string, string, string]>(
    'UPDATE bot_replies SET answer = ?, due_at = ? WHERE execution_id = ? AND answer IS NULL',
  );
  const due = connection.prepare<[string, number], ReplyRow>(
    `SELECT * FROM bot_replies INDEXED BY bot_replies_due WHERE due_at IS NOT NULL AND due_at <= ?
     ORDER BY due_at, id LIMIT ?`,
  );
  const next = connection
    .prepare<[], string | null>(
      'SELECT min(due_at) FROM bot_replies INDEXED BY bot_replies_due WHERE due_at IS NOT NULL',
    )
    .pluck();
  const set = connection.prepare<[number, number, string, number]>(
    'UPDATE bot_replies SET sent = ?, failures = ?, due_at = ? WHERE id = ?',
  );
  const remove = connection.prepare<[number]>('DELETE FROM bot_replies WHERE id = ?');
  return {
    expect: (executionId, { credentialId, chatId, messageId }) =>
      void insert.run(executionId, credentialId, chatId, messageId),
    answer(executionId, { text, at }, effects) {
      if (answer.run(text, formatInstant(at), executionId).changes > 0) effects.botReplies = true;
    },
    due: (now, limit) => due.all(formatInstant(now), limit).map(toReply),
    nextAt() {
      const at = next.get() ?? null;
      return at === null ? null : parseInstant(at);
    },
    set: ({ id, sent, failures, dueAt }) => void set.run(sent, failures, formatInstant(dueAt), id),
    remove: (id) => void remove.run(id),
  };
}

function toReply(row: ReplyRow): BotReply {
  return {
    id: row.id,
    executionId: row.execution_id,
    credentialId: row.credential_id,
    chatId: row.chat_id,
    messageId: row.message_id,
    answer: row.answer,
    sent: row.sent,
    failures: row.failures,
  };
}

import { formatInstant, type Instant, Problem } from '@millrace/core';
import type { BotPosition, BotRun, BotStore, BotTrigger, ReceivedUpdates } from '../../bots.ts';
import { parseInstantOrNull } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';
import type { Accept } from '../executions/accept.ts';
import type { BotReplies } from '../outbox/bot-replies.ts';

interface BotParts {
  readonly connection: Connection;
  readonly writer: Writer;
  readonly accept: Accept;
  readonly replies: BotReplies;
}

/** The SQLite store of bots. */
export function botStore({ connection, writer, accept, replies }: BotParts): BotStore {
  // Without rows of other triggers, the table is as short as the list.
  const triggers = connection.prepare<[], Omit<BotTrigger, 'hasWebhook'> & { readonly hasWebhook: number }>(
    `SELECT t.node_id AS id, t.workflow_id AS workflowId, t.credential_id AS credentialId, t.has_webhook AS hasWebhook
     FROM bot_triggers t JOIN workflows w ON w.id = t.workflow_id
     WHERE w.is_active = 1 AND w.deleted_at IS NULL ORDER BY t.node_id`,
  );
  const errors = connection.prepare<[string], { readonly credential_id: number; readonly error: string }>(
    'SELECT credential_id, error FROM bot_errors WHERE credential_id IN (SELECT value FROM json_each(?))',
  );
  const setError = connection.prepare<[string, number]>(
    `INSERT INTO bot_errors (credential_id, error) SELECT id, ? FROM credentials WHERE id = ?
     ON CONFLICT (credential_id) DO UPDATE SET error = excluded.error`,
  );
  const removeError = connection.prepare<[number]>('DELETE FROM bot_errors WHERE credential_id = ?');
  const receive = prepareReceive({ connection, accept, replies });
  const position = preparePosition(connection);
  return {
    triggers: () => connection.read(() => triggers.all().map((row) => ({ ...row, hasWebhook: row.hasWebhook === 1 }))),
    position: (botId) => connection.read(() => position(botId)),
    receive: (received) => writer.submit((effects) => receive(received, effects)),
    errors: (ids) =>
      connection.read(
        () => new Map(errors.all(JSON.stringify(ids)).map(({ credential_id: id, error }) => [id, error])),
      ),
    setError: ({ credentialIds, error }) =>
      writer.submit(() => {
        for (const id of credentialIds) {
          if (error === null) removeError.run(id);
          else setError.run(error, id);
        }
      }),
    dueReplies: ({ now, limit }) => connection.read(() => replies.due(now, limit)),
    nextReplyAt: () => connection.read(() => replies.nextAt()),
    setReply: (reply) => writer.submit(() => replies.set(reply)),
    removeReply: (id) => writer.submit(() => replies.remove(id)),
  };
}

function preparePosition(connection: Connection): (botId: string) => BotPosition {
  const find = connection.prepare<[string], { readonly next_update: number; readonly received_at: string | null }>(
    'SELECT next_update, received_at FROM bot_offsets WHERE bot_id = ?',
  );
  return (botId) => {
    const row = find.get(botId);
    return { next: row?.next_update ?? 0, receivedAt: parseInstantOrNull(row?.received_at ?? null) };
  };
}

function prepareReceive({ connection, accept, replies }: Omit<BotParts, 'writer'>) {
  const position = preparePosition(connection);
  const move = connection.prepare<[string, number, string]>(
    `INSERT INTO bot_offsets (bot_id, next_update, received_at) VALUES (?, ?, ?)
     ON CONFLICT (bot_id) DO UPDATE SET next_update = excluded.next_update, received_at = excluded.received_at`,
  );
  function start({ updateId, run, reply }: BotRun, botId: string, effects: Effects): void {
    const idempotency = { key: `bot:${botId}:${updateId}`, bodyHash: null, since: always };
    try {
      const { id, created } = accept({ ...run, idempotency }, effects);
      if (created && reply !== null) replies.expect(id, reply);
    } catch (error) {
      // The workflow was deleted meanwhile: its message starts nothing, as if it had come a moment later.
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    }
  }
  return ({ botId, from, next, runs, at }: ReceivedUpdates, effects: Effects): 'received' | 'lost' => {
    // The compare of a compare-and-set.
    if (position(botId).next !== from) return 'lost';
    for (const run of runs) start(run, botId, effects);
    move.run(botId, next, formatInstant(at));
    return 'received';
  };
}

/** An update belongs to its run as long as the run is stored. */
const always: Instant = 0;

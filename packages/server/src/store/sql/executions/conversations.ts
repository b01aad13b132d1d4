import type { Conversation, ConversationTurn, SlicedWork } from '@millrace/core';
import type { ChatStore } from '../../chats.ts';
import type { Connection } from '../database/connection.ts';
import { turnText } from './execution-row.ts';

interface OwnTurn {
  readonly id: number;
  readonly workflow_id: number;
  readonly user_id: number;
  readonly session_id: string;
}

interface StoredTurn extends Omit<ConversationTurn, 'size'> {
  readonly id: number;
  readonly payload: string;
}

/** Bytes of turns that are read in one slice: a millisecond or two. */
const sliceBytes = 131_072;

type Talk = [workflowId: number, userId: number, sessionId: string];

/** Reads and writes conversations. */
export function prepareConversations(connection: Connection) {
  // A replay has no turn: follows the replays back to the run that has one.
  const ownTurn = connection.prepare<[string], OwnTurn>(
    `WITH RECURSIVE origins (id) AS (
       SELECT ? UNION
       SELECT e.replay_of FROM executions e JOIN origins o ON e.id = o.id WHERE e.replay_of IS NOT NULL)
     SELECT t.id, t.workflow_id, t.user_id, t.session_id FROM chat_turns t JOIN origins o ON t.execution_id = o.id`,
  );
  const readBefore = prepareBefore(connection);
  const insertSummary = connection.prepare<[string, string, number, string]>(
    `INSERT INTO chat_summaries (turn_id, node_id, text, made_for)
     SELECT id, ?, ?, ? FROM chat_turns WHERE execution_id = ? ON CONFLICT DO NOTHING`,
  );
  return {
    *before({ executionId, ...asked }: Parameters<ChatStore['before']>[0]): SlicedWork<Conversation> {
      const own = ownTurn.get(executionId);
      return own === undefined ? { summary: null, turns: [] } : yield* readBefore(own, asked);
    },
    /** Does nothing if one of the turns was deleted meanwhile. */
    keepSummary({ executionId, memory, until, text }: Parameters<ChatStore['keepSummary']>[0]): void {
      const own = ownTurn.get(executionId);
      if (own !== undefined) insertSummary.run(memory, text, own.id, until);
    },
  };
}

function prepareBefore(connection: Connection) {
  const newestSummary = connection.prepare<[...Talk, number, number, string], { turn_id: number; text: string }>(
    `SELECT s.turn_id, s.text FROM chat_turns t JOIN chat_summaries s ON s.turn_id = t.id
     WHERE t.workflow_id = ? AND t.user_id = ? AND t.session_id = ? AND s.made_for <= ? AND t.id < ? AND s.node_id = ?
     ORDER BY t.id DESC LIMIT 1`,
  );
  // In the order of acceptance, which does not depend on the clock.
  const answered = connection.prepare<[...Talk, number, number], StoredTurn>(
    `SELECT t.id, t.execution_id AS executionId, t.text, r.payload, t.answer
     FROM chat_turns t JOIN triggers r ON r.execution_id = t.execution_id
     WHERE t.workflow_id = ? AND t.user_id = ? AND t.session_id = ? AND t.id < ? AND t.id > ? AND t.answer IS NOT NULL
     ORDER BY t.id DESC LIMIT 1`,
  );
  return function* (
    own: OwnTurn,
    { memory, turns, bytes }: Omit<Parameters<ChatStore['before']>[0], 'executionId'>,
  ): SlicedWork<Conversation> {
    const talk: Talk = [own.workflow_id, own.user_id, own.session_id];
    const summary = memory === null ? undefined : newestSummary.get(...talk, own.id, own.id, memory);
    const found: ConversationTurn[] = [];
    let [left, sinceSlice] = [bytes, 0];
    let row = answered.get(...talk, own.id, summary?.turn_id ?? 0);
    // One by one, so that only the end of a long conversation is read.
    while (row !== undefined) {
      const { id, executionId, answer } = row;
      const turn = { executionId, text: turnText(row), answer };
      const size = Buffer.byteLength(turn.text) + Buffer.byteLength(turn.answer);
      if (size <= bytes && turn.text.trim() !== '' && turn.answer.trim() !== '') {
        left -= size;
        if (left < 0 || found.length === turns) break;
        found.push({ ...turn, size });
      }
      sinceSlice += size;
      if (sinceSlice >= sliceBytes) {
        sinceSlice = 0;
        yield;
      }
      row = answered.get(...talk, id, summary?.turn_id ?? 0);
    }
    return { summary: summary?.text ?? null, turns: found.reverse() };
  };
}

import { type ChatTurn, type ExecutionStatus, parseInstant, type SlicedWork, shortChatText } from '@millrace/core';
import type { ChatFilter, ChatStore } from '../../chats.ts';
import type { NewExecution } from '../../executions.ts';
import type { Page } from '../../page.ts';
import { parseInstantOrNull } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';
import { type BotReplies, prepareBotReplies } from '../outbox/bot-replies.ts';
import { prepareConversations } from './conversations.ts';
import { chatTextIn, turnText } from './execution-row.ts';

/** Stored turns per user and workflow: weeks of conversation. */
const storedTurns = 1_000;

/**
 * What a shortened turn counts towards a slice, in characters: SQLite reads its message for its beginning, in up to half
 * a millisecond.
 */
const shortTurnCost = 16_384;

/** Turns deleted in one transaction: each has up to 130,000 characters. */
const removedAtOnce = 100;

interface TurnRow {
  readonly execution_id: string;
  readonly session_id: string;
  readonly username: string;
  readonly text: string;
  readonly payload: string;
  readonly status: ExecutionStatus;
  readonly answer: string | null;
  readonly accepted_at: string;
  readonly completed_at: string | null;
}

/** The beginnings of texts, as UTF-8; the last character may be incomplete. */
interface ShortRow extends Omit<TurnRow, 'text' | 'payload' | 'answer'> {
  readonly text: Buffer;
  readonly answer: Buffer | null;
}

type FilterParams = [workflowId: number, userId: number | null, sessionId: string | null];

// `ifnull` with the column itself: a filter that is omitted matches every row.
const filtered =
  'WHERE t.workflow_id = ? AND t.user_id = ifnull(?, t.user_id) AND t.session_id = ifnull(?, t.session_id)';

/** The SQLite store of chats. */
export function chatStore(connection: Connection, writer: Writer): ChatStore {
  const remove = connection.prepare<[...FilterParams, number]>(
    `DELETE FROM chat_turns WHERE id IN (SELECT t.id FROM chat_turns t ${filtered} LIMIT ?)`,
  );
  const list = prepareList(connection);
  const conversations = prepareConversations(connection);
  return {
    list: (params) => connection.readInSlices(list.read(params)),
    isLong: (params) => connection.read(() => list.isLong(params)),
    before: (params) => connection.readInSlices(conversations.before(params)),
    keepSummary: (summary) => writer.submit(() => conversations.keepSummary(summary)),
    async remove(filter) {
      const removeSome = () => writer.submit(() => remove.run(...paramsOf(filter), removedAtOnce).changes);
      while ((await removeSome()) === removedAtOnce);
    },
  };
}

/** Characters of texts that are read in one slice: a millisecond or two. */
const sliceLength = 131_072;

/** Bytes of a long page: about as many as are read in one slice. */
const longPage = 262_144;

/** Bytes of the beginning of a text, which are more than the characters that are shown, whatever these are. */
const beginningBytes = 1024;

function prepareList(connection: Connection) {
  const ids = connection
    .prepare<[...FilterParams, number, number], number>(
      `SELECT t.id FROM chat_turns t ${filtered} ORDER BY t.id DESC LIMIT ? OFFSET ?`,
    )
    .pluck();
  const count = connection.prepare<FilterParams, { n: number }>(`SELECT count(*) AS n FROM chat_turns t ${filtered}`);
  const find = connection.prepare<[number], TurnRow>(turnQuery('t.text, r.payload, t.answer'));
  const findShort = prepareShort(connection);
  const sizes = connection
    .prepare<[...FilterParams, number, number], number>(
      `SELECT octet_length(r.payload) + octet_length(t.text) + ifnull(octet_length(t.answer), 0)
       FROM chat_turns t JOIN triggers r ON r.execution_id = t.execution_id ${filtered}
       ORDER BY t.id DESC LIMIT ? OFFSET ?`,
    )
    .pluck();
  return {
    *read(params: ListParams): SlicedWork<Page<ChatTurn>> {
      const { limit, offset, characters = Number.POSITIVE_INFINITY, ...filter } = params;
      const total = count.get(...paramsOf(filter))?.n ?? 0;
      const items: ChatTurn[] = [];
      let [left, sinceSlice] = [characters, 0];
      for (const id of ids.all(...paramsOf(filter), limit, offset)) {
        const row = left >= 0 ? find.get(id) : undefined;
        const whole = row && toTurn(row);
        const size = whole === undefined ? shortTurnCost : whole.text.length + (whole.answer?.length ?? 0);
        left -= size;
        const turn = left >= 0 ? whole : findShort(id);
        // Undefined if it was deleted meanwhile.
        if (turn !== undefined) items.push(turn);
        sinceSlice += size;
        if (sinceSlice < sliceLength) continue;
        sinceSlice = 0;
        yield;
      }
      return { items, total };
    },
    isLong({ limit, offset, ...filter }: ListParams): boolean {
      let bytes = 0;
      for (const size of sizes.iterate(...paramsOf(filter), limit, offset)) {
        bytes += size;
        if (bytes > longPage) return true;
      }
      return false;
    },
  };
}

type ListParams = Parameters<ChatStore['list']>[0];

function turnQuery(texts: string): string {
  return `SELECT t.execution_id, t.session_id, u.username, ${texts}, e.status, e.accepted_at, e.completed_at
     FROM chat_turns t JOIN executions e ON e.id = t.execution_id JOIN users u ON u.id = t.user_id
     JOIN triggers r ON r.execution_id = t.execution_id WHERE t.id = ?`;
}

/** Reads turns whose texts are shortened. Only the beginnings come out of SQLite. */
function prepareShort(connection: Connection): (id: number) => ChatTurn | undefined {
  const beginning = (text: string) => `substr(CAST(${text} AS BLOB), 1, ${beginningBytes})`;
  const inPayload = `iif(json_valid(r.payload), ifnull(json_extract(r.payload, '$.text'), ''), '')`;
  const text = `iif(t.text <> '', t.text, ${inPayload})`;
  const find = connection.prepare<[number], ShortRow>(
    turnQuery(`${beginning(text)} AS text, ${beginning('t.answer')} AS answer`),
  );
  return (id) => {
    const row = find.get(id);
    if (row === undefined) return undefined;
    const answer = row.answer === null ? null : shortChatText(row.answer.toString());
    return { ...turnFields(row), text: shortChatText(row.text.toString()), answer };
  };
}

function paramsOf({ workflowId, userId, sessionId }: ChatFilter): FilterParams {
  return [workflowId, userId ?? null, sessionId ?? null];
}

function toTurn(row: TurnRow): ChatTurn {
  return { ...turnFields(row), text: turnText(row), answer: row.answer };
}

function turnFields(row: Omit<ShortRow, 'text' | 'answer'>): Omit<ChatTurn, 'text' | 'answer'> {
  return {
    executionId: row.execution_id,
    sessionId: row.session_id,
    username: row.username,
    status: row.status,
    askedAt: parseInstant(row.accepted_at),
    answeredAt: parseInstantOrNull(row.completed_at),
  };
}

/** The chat writes that are part of other writes: accepting a run, and appending to it. */
export interface ChatTurns {
  /** For a run that a chat message starts; does nothing for any other. */
  ask(run: NewExecution): void;
  /** The first answer is final. */
  answer(executionId: string, text: string): void;
  /** Answers that are sent to the chats of bots. */
  readonly replies: BotReplies;
}

export function prepareChatTurns(connection: Connection): ChatTurns {
  const insert = connection.prepare<[string, number, number, string, string]>(
    'INSERT INTO chat_turns (execution_id, workflow_id, user_id, session_id, text) VALUES (?, ?, ?, ?, ?)',
  );
  const forget = connection.prepare<[number, number, number]>(
    `DELETE FROM chat_turns WHERE id IN (
       SELECT id FROM chat_turns WHERE workflow_id = ? AND user_id = ? ORDER BY id DESC LIMIT -1 OFFSET ?)`,
  );
  const answer = connection.prepare<[string, string]>(
    'UPDATE chat_turns SET answer = ? WHERE execution_id = ? AND answer IS NULL',
  );
  return {
    ask({ id, workflowId, trigger, chat }) {
      if (chat === undefined) return;
      // Stored once: the payload of the run exists as long as the turn.
      const text = chatTextIn(trigger.payload) === chat.text ? '' : chat.text;
      insert.run(id, workflowId, chat.userId, chat.sessionId, text);
      forget.run(workflowId, chat.userId, storedTurns);
    },
    answer: (executionId, text) => void answer.run(text, executionId),
    replies: prepareBotReplies(connection),
  };
}

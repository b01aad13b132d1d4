import {
  type ExecutionStatus,
  formatInstant,
  isEnded,
  isObject,
  type Json,
  type JsonObject,
  type Pause,
  type PauseAnswer,
  type PauseKey,
  parseInstant,
  runThrough,
} from '@millrace/core';
import type { FoundWait, GivenAnswer, WaitStore } from '../../waits.ts';
import { isMoment, parseInstantOrNull, readJson } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';
import { prepareClockSet } from '../queue/clock-sets.ts';
import type { Journal } from './journal.ts';
import type { WaitRows } from './wait-rows.ts';

interface KeyRow {
  readonly execution_id: string;
  readonly frame: string;
  readonly node_id: string;
  readonly stage: PauseKey['stage'];
}

interface FoundRow extends KeyRow {
  readonly state: string;
  readonly pause: string | null;
  readonly paused_at: string | null;
}

interface WaitParts {
  readonly connection: Connection;
  readonly writer: Writer;
  readonly rows: WaitRows;
  readonly journal: Pick<Journal, 'readingIntact'>;
}

/** The SQLite store of waits. */
export function waitStore({ connection, writer, rows, journal }: WaitParts): WaitStore {
  const open = connection.prepare<[string], KeyRow & { pause: string; paused_at: string | null }>(
    `SELECT execution_id, frame, node_id, stage, pause, paused_at FROM waits WHERE execution_id = ? AND state = 'open' AND pause IS NOT NULL
     ORDER BY frame, node_id, stage`,
  );
  const answers = connection.prepare<[string], KeyRow & { answer: string }>(
    `SELECT execution_id, frame, node_id, stage, answer FROM waits INDEXED BY waits_answered
     WHERE execution_id = ? AND state = 'answered' AND pause IS NOT NULL ORDER BY frame, node_id, stage`,
  );
  const find = connection.prepare<[string, string, string, string], FoundRow>(
    'SELECT execution_id, frame, node_id, stage, state, pause, paused_at FROM waits WHERE execution_id = ? AND frame = ? AND node_id = ? AND stage = ?',
  );
  const tokenHash = connection.prepare<[string, string, string, string], { token_hash: string | null }>(
    `SELECT token_hash FROM waits
     WHERE execution_id = ? AND frame = ? AND node_id = ? AND stage = ? AND state = 'open'`,
  );
  const nextDue = connection.prepare<[], { wake_at: string | null }>(
    `SELECT min(wake_at) AS wake_at FROM waits INDEXED BY waits_due WHERE state = 'open' AND wake_at IS NOT NULL`,
  );
  const answer = prepareAnswer(connection, rows);
  const wakeDue = prepareWakeDue(connection, rows);
  const shift = prepareShift(connection);
  const recordClockSet = prepareClockSet(connection);
  return {
    open: (executionId) =>
      connection.read(() =>
        open.all(executionId).flatMap((row) => {
          const pause = readPause(row.pause, row, journal);
          return pause === null
            ? []
            : [
                {
                  ...toKey(row),
                  pause,
                  pausedAt: row.paused_at !== null && isMoment(row.paused_at) ? parseInstant(row.paused_at) : null,
                },
              ];
        }),
      ),
    answers: (executionId) =>
      connection.read(() =>
        answers.all(executionId).map((row) => ({ ...toKey(row), answer: JSON.parse(row.answer) as PauseAnswer })),
      ),
    answer: (params) => writer.submit((effects) => answer(params, effects)),
    find: ({ executionId, frame, nodeId, stage }) =>
      connection.read(() => {
        const row = find.get(executionId, frame, nodeId, stage);
        return row === undefined ? null : toFound(row, journal);
      }),
    tokenHash: ({ executionId, frame, nodeId, stage }) =>
      connection.read(() => tokenHash.get(executionId, frame, nodeId, stage)?.token_hash ?? null),
    nextDue: () =>
      connection.read(() => {
        const at = nextDue.get()?.wake_at ?? null;
        return at === null ? null : parseInstant(at);
      }),
    wakeDue: (params) => writer.submit((effects) => wakeDue(params, effects)),
    followClock: ({ byMs }) =>
      writer.submit(() => {
        shift(byMs);
        recordClockSet(byMs);
      }),
  };
}

function toFound(row: FoundRow, journal: WaitParts['journal']): FoundWait {
  const pause = row.pause === null ? null : readPause(row.pause, row, journal);
  const { state, paused_at: pausedAt } = row;
  return { isOpen: state === 'open', isAnswered: state === 'answered', pause, pausedAt: parseInstantOrNull(pausedAt) };
}

/** A pause is also in its fact, from which it is read if the row is damaged. Null if neither can be read. */
function readPause(text: string, row: KeyRow, journal: WaitParts['journal']): Pause | null {
  const pause = readJson<Pause & JsonObject>(text, isPause, null);
  if (pause !== null) return pause;
  const { entries } = runThrough(journal.readingIntact(row.execution_id, Number.MAX_SAFE_INTEGER));
  const fact = entries.findLast(
    (entry) =>
      entry.fact.kind === 'step_paused' &&
      entry.fact.nodeId === row.node_id &&
      entry.fact.frame === row.frame &&
      entry.fact.stage === row.stage,
  )?.fact;
  return fact?.kind === 'step_paused' ? fact.pause : null;
}

function isPause(value: Json): value is Pause & JsonObject {
  return isObject(value) && typeof value.kind === 'string';
}

function toKey({ frame, node_id: nodeId, stage }: KeyRow): PauseKey {
  return { frame, nodeId, stage };
}

function prepareAnswer(connection: Connection, rows: WaitRows) {
  const statusOf = connection.prepare<[string], { status: ExecutionStatus }>(
    'SELECT status FROM executions WHERE id = ?',
  );
  return (params: Parameters<WaitStore['answer']>[0], effects: Effects): 'answered' | 'closed' => {
    const outcome = rows.answer(params, effects);
    if (outcome === 'answered' || params.early !== true) return outcome;
    const status = statusOf.get(params.executionId)?.status;
    return status === undefined || isEnded(status) ? 'closed' : rows.answerEarly(params);
  };
}

/**
 * Shifts the ends of waits for a duration, of timeouts, and of the waits of runs for an attempt or for the end of a
 * loop's time limit. A wait until a time follows the clock.
 */
function prepareShift(connection: Connection): (byMs: number) => void {
  const durations = connection.prepare<[], KeyRow & { wake_at: string }>(
    `SELECT execution_id, frame, node_id, stage, wake_at FROM waits INDEXED BY waits_due
     WHERE state = 'open' AND wake_at IS NOT NULL AND CASE WHEN pause IS NULL THEN 1 WHEN json_valid(pause)
       THEN pause ->> 'kind' <> 'timer' OR pause ->> 'isDuration' = 1 OR pause ->> 'isCutShort' = 1 END`,
  );
  const shift = connection.prepare<[string, number, string, string, string, string]>(
    `UPDATE waits SET wake_at = ?, pause = json_set(pause, '$.until', ?)
     WHERE execution_id = ? AND frame = ? AND node_id = ? AND stage = ?`,
  );
  return (byMs) => {
    for (const row of durations.all()) {
      if (!isMoment(row.wake_at)) continue;
      const until = parseInstant(row.wake_at) + byMs;
      shift.run(formatInstant(until), until, row.execution_id, row.frame, row.node_id, row.stage);
    }
  };
}

function prepareWakeDue(connection: Connection, rows: WaitRows) {
  const due = connection.prepare<[string, number], KeyRow>(
    `SELECT execution_id, frame, node_id, stage FROM waits INDEXED BY waits_due
     WHERE state = 'open' AND wake_at IS NOT NULL AND wake_at <= ? ORDER BY wake_at LIMIT ?`,
  );
  const first = connection.prepare<[string], KeyRow & { wake_at: string }>(
    `SELECT execution_id, frame, node_id, stage, wake_at FROM waits INDEXED BY waits_due
     WHERE state = 'open' AND wake_at IS NOT NULL AND wake_at > ? ORDER BY wake_at LIMIT 1`,
  );
  const time: GivenAnswer['answer'] = { kind: 'time' };
  return ({ now, limit }: Parameters<WaitStore['wakeDue']>[0], effects: Effects): number => {
    const at = formatInstant(now);
    const found = due.all(at, limit);
    const next = found.length < limit ? first.get(at) : undefined;
    // A time that cannot be read never comes. It would stay the next one and be processed endlessly.
    if (next !== undefined && !isMoment(next.wake_at)) found.push(next);
    for (const row of found) {
      rows.answer({ ...toKey(row), executionId: row.execution_id, answer: time }, effects);
    }
    return found.length;
  };
}

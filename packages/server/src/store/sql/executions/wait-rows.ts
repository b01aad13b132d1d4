import {
  type ExecutionStatus,
  formatInstant,
  type Instant,
  type Pause,
  type PauseAnswer,
  type PauseKey,
  type RunFinished,
  type StepPaused,
  type StepResumed,
} from '@millrace/core';
import type { GivenAnswer } from '../../waits.ts';
import { formatInstantOrNull } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { positionOfBegun } from '../queue/queue-positions.ts';

/** The writes to the table of waits that are part of other transactions. */
export interface WaitRows {
  /** Opens a wait for a paused step, unless it was answered before the step paused. */
  pause(executionId: string, fact: StepPaused, effects: Effects): void;
  /**
   * Records that the run has journaled the answer. Returns a run that is no longer waited for, although it continues.
   */
  take(executionId: string, fact: StepResumed): string | null;
  /** Whether there is an answer that the run has not yet journaled. */
  hasAnswer(executionId: string): boolean;
  answer(params: GivenAnswer & { executionId: string }, effects: Effects): 'answered' | 'closed';
  /** Answers a wait that does not exist yet. */
  answerEarly(params: GivenAnswer & { executionId: string }): 'answered' | 'closed';
  /** Answers the parent that waits for this run, if there is one. */
  answerParent(childId: string, answer: EndAnswer, effects: Effects): void;
  /** Ends a wait whose answer is no longer needed. Returns the run that it waited for. */
  abandon(executionId: string, key: PauseKey): string | null;
  /** Wakes a parked run at that time, whatever it waits for. */
  wakeAt(executionId: string, until: Instant | null, effects: Effects): void;
  /** Ends all waits of a run that has ended, and returns the runs that it waited for. */
  close(executionId: string): readonly string[];
}

type EndAnswer = Extract<PauseAnswer, { kind: 'end' }>;
type Key = [executionId: string, frame: string, nodeId: string, stage: string];

interface StateRow {
  readonly state: string;
  readonly answer: string | null;
}

interface RunRow {
  readonly workflow_id: number;
  readonly status: ExecutionStatus;
}

const ofKey = 'execution_id = ? AND frame = ? AND node_id = ? AND stage = ?';

/** Prepares the statements on waits that several parts of the store share. */
export function prepareWaitRows(connection: Connection): WaitRows {
  // A step that pauses again after a failed attempt reopens its row; an early answer is retained and found.
  const open = connection.prepare<[...Key, string, string, string | null, string | null, string | null], StateRow>(
    `INSERT INTO waits (execution_id, frame, node_id, stage, state, pause, paused_at, token_hash, child_id, wake_at)
     VALUES (?, ?, ?, ?, 'open', ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       state = CASE state WHEN 'answered' THEN 'answered' ELSE 'open' END,
       answer = CASE state WHEN 'answered' THEN answer END,
       pause = excluded.pause, paused_at = excluded.paused_at, token_hash = excluded.token_hash, child_id = excluded.child_id, wake_at = excluded.wake_at
     RETURNING state, answer`,
  );
  const reopen = connection.prepare<Key>(`UPDATE waits SET state = 'open', answer = NULL WHERE ${ofKey}`);
  const take = connection.prepare<Key, { child_id: string | null }>(
    `UPDATE waits SET state = 'taken', answer = NULL WHERE ${ofKey} RETURNING child_id`,
  );
  const answered = connection.prepare<[string]>(
    `SELECT 1 FROM waits INDEXED BY waits_answered WHERE execution_id = ? AND state = 'answered' AND pause IS NOT NULL LIMIT 1`,
  );
  // A pause that is not valid JSON accepts any answer: its run's journal has the pause, and no other wait is blocked.
  const answer = connection.prepare<[string, ...Key, string | null]>(
    `UPDATE waits SET state = 'answered', answer = ?
     WHERE ${ofKey} AND state = 'open' AND CASE WHEN json_valid(pause) THEN coalesce(? = pause ->> 'kind', 1) ELSE 1 END`,
  );
  const insertEarly = connection.prepare<[...Key, string]>(
    `INSERT INTO waits (execution_id, frame, node_id, stage, state, answer) VALUES (?, ?, ?, ?, 'answered', ?)
     ON CONFLICT DO NOTHING`,
  );
  const ofChild = connection.prepare<[string], { execution_id: string; frame: string; node_id: string; stage: string }>(
    `SELECT execution_id, frame, node_id, stage FROM waits WHERE child_id = ? AND state = 'open'`,
  );
  const ofRun = connection.prepare<[string], { child_id: string | null; state: string }>(
    'SELECT child_id, state FROM waits WHERE execution_id = ?',
  );
  const remove = connection.prepare<[string]>('DELETE FROM waits WHERE execution_id = ?');
  // The row remains, so that a later answer is rejected because the wait is over.
  const abandon = connection.prepare<Key, { child_id: string | null }>(
    `UPDATE waits SET state = 'taken', answer = NULL WHERE ${ofKey} AND state <> 'taken' RETURNING child_id`,
  );
  // No node has an empty id: this row belongs to the run itself.
  const setWake = connection.prepare<[string, string]>(
    `INSERT OR REPLACE INTO waits (execution_id, frame, node_id, stage, state, wake_at) VALUES (?, '', '', '', 'open', ?)`,
  );
  const wake = prepareWake(connection);

  const rows: WaitRows = {
    pause(executionId, { frame, nodeId, stage, at, pause }, effects) {
      const key: Key = [executionId, frame, nodeId, stage];
      const child = pause.kind === 'child' ? pause.executionId : null;
      const hash = pause.kind === 'callback' ? pause.tokenHash : null;
      const until = formatInstantOrNull(pause.until);
      const row = open.get(...key, JSON.stringify(pause), formatInstant(at), hash, child, until);
      if (row?.state === 'answered') {
        // An answer that came before its question may belong to another question.
        if (answeredKind(JSON.parse(row.answer ?? '{}') as PauseAnswer) === pause.kind)
          effects.answered.push(executionId);
        else reopen.run(...key);
      }
      if (pause.until !== null) effects.wakeAt = Math.min(effects.wakeAt, pause.until);
    },
    take(executionId, { answer: given, ...key }) {
      const row = take.get(...keyOf(executionId, key));
      return given.kind === 'time' ? (row?.child_id ?? null) : null;
    },
    hasAnswer: (executionId) => answered.get(executionId) !== undefined,
    answer({ executionId, answer: given, ...key }, effects) {
      const { changes } = answer.run(JSON.stringify(given), ...keyOf(executionId, key), answeredKind(given));
      if (changes === 0) return 'closed';
      wake(executionId, effects);
      return 'answered';
    },
    answerEarly({ executionId, answer: given, ...key }) {
      const { changes } = insertEarly.run(...keyOf(executionId, key), JSON.stringify(given));
      return changes === 0 ? 'closed' : 'answered';
    },
    answerParent(childId, answer, effects) {
      const wait = ofChild.get(childId);
      if (wait === undefined) return;
      const key = { frame: wait.frame, nodeId: wait.node_id, stage: wait.stage as PauseKey['stage'] };
      rows.answer({ ...key, executionId: wait.execution_id, answer }, effects);
    },
    abandon: (executionId, key) => abandon.get(...keyOf(executionId, key))?.child_id ?? null,
    wakeAt(executionId, until, effects) {
      if (until === null) return;
      setWake.run(executionId, formatInstant(until));
      effects.wakeAt = Math.min(effects.wakeAt, until);
    },
    close(executionId) {
      const waits = ofRun.all(executionId);
      // Most runs never wait: their end costs only this lookup.
      if (waits.length === 0) return [];
      remove.run(executionId);
      return waits.flatMap(({ child_id: child, state }) => (child === null || state === 'taken' ? [] : [child]));
    },
  };
  return rows;
}

/** The kind of pause that an answer ends; null for a timeout, which ends every kind. */
function answeredKind({ kind }: PauseAnswer): Pause['kind'] | null {
  switch (kind) {
    case 'call':
      return 'callback';
    case 'decision':
      return 'approval';
    case 'end':
      return 'child';
    default:
      return null;
  }
}

function keyOf(executionId: string, { frame, nodeId, stage }: PauseKey): Key {
  return [executionId, frame, nodeId, stage];
}

/** Makes a parked run pending. The owner of a running one is notified. */
function prepareWake(connection: Connection) {
  const find = connection.prepare<[string], RunRow>('SELECT workflow_id, status FROM executions WHERE id = ?');
  const makePending = connection.prepare<[string]>(
    `UPDATE executions SET status = 'pending', turn = ${positionOfBegun} WHERE id = ?`,
  );
  return (executionId: string, effects: Effects): void => {
    const run = find.get(executionId);
    if (run?.status === 'running') effects.answered.push(executionId);
    if (run?.status !== 'waiting' && run?.status !== 'interrupted') return;
    makePending.run(executionId);
    effects.move(run.workflow_id, run.status, 'pending');
    effects.pending = true;
  };
}

/**
 * Parks a run: it waits without an owner. If its journal does not show how long it waits, `from` is the start of the
 * wait. False if the run was asked to stop: it is not parked, and its owner must end it.
 */
export function preparePark(connection: Connection) {
  const park = connection.prepare<[string, string | null, string]>(
    `UPDATE executions SET status = ?, claimed_by = NULL, lease_until = ?
     WHERE id = ? AND cancel_requested = 0`,
  );
  return (id: string, status: 'waiting' | 'interrupted', from: Instant | null): boolean =>
    park.run(status, formatInstantOrNull(from), id).changes === 1;
}

/** The end of a run as the answer for its parent. */
export function endAnswer({ status, output, failure }: RunFinished): EndAnswer {
  return { kind: 'end', status, output, error: failure?.message ?? null };
}

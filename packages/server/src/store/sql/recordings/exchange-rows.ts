import { Problem } from '@millrace/core';
import {
  maxExchanges,
  maxRecordingBytes,
  type NewRecording,
  type RecordedExchange,
  type RecordedStep,
} from '../../recordings.ts';
import type { Bit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';

/** The columns of an attempt, in the order of the statements. */
type AttemptParams = [recordingId: string, executionId: string, frame: string, nodeId: string, attempt: number];

const ofAttempt = 'recording_id = ? AND execution_id = ? AND frame = ? AND node_id = ? AND attempt = ?';

/** The columns of an attempt as parameters. */
function attemptParams(id: string, { executionId, frame, nodeId, attempt }: RecordedStep): AttemptParams {
  return [id, executionId, frame, nodeId, attempt];
}

/** Adds an exchange to a recording, in a transaction in progress. */
export function prepareAddExchange(connection: Connection) {
  const find = connection.prepare<[string], { readonly is_cut: Bit; readonly bytes: number }>(
    'SELECT is_cut, bytes FROM recordings WHERE execution_id = ? AND is_given = 0',
  );
  const replaced = connection
    .prepare<[...AttemptParams, number], number>(
      `DELETE FROM exchanges WHERE ${ofAttempt} AND epoch <> ? RETURNING octet_length(entry)`,
    )
    .pluck();
  const next = connection
    .prepare<[string], number>('SELECT coalesce(max(position), -1) + 1 FROM exchanges WHERE recording_id = ?')
    .pluck();
  const insert = connection.prepare<[...AttemptParams, number, number, string, string, number]>(
    `INSERT INTO exchanges (recording_id, execution_id, frame, node_id, attempt, position, epoch, kind, entry, step_workflow_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const setBytes = connection.prepare<[number, string]>('UPDATE recordings SET bytes = ? WHERE execution_id = ?');
  const cut = connection.prepare<[string]>('UPDATE recordings SET is_cut = 1, bytes = 0 WHERE execution_id = ?');
  const empty = connection.prepare<[string]>('DELETE FROM exchanges WHERE recording_id = ?');
  return (id: string, step: RecordedStep, { kind, text }: { readonly kind: string; readonly text: string }): void => {
    const recording = find.get(id);
    if (recording === undefined || recording.is_cut === 1) return;
    const key = attemptParams(id, step);
    const freed = replaced.all(...key, step.epoch).reduce((sum, size) => sum + size, 0);
    const bytes = recording.bytes - freed + Buffer.byteLength(text);
    const position = next.get(id) ?? 0;
    if (bytes > maxRecordingBytes || position >= maxExchanges) {
      cut.run(id);
      empty.run(id);
      return;
    }
    insert.run(...key, position, step.epoch, kind, text, step.workflowId);
    setBytes.run(bytes, id);
  };
}

/** Uses an answer for a step, in a transaction in progress. */
export function prepareUseExchange(connection: Connection) {
  const release = connection.prepare<[...AttemptParams, number]>(
    `DELETE FROM exchange_uses WHERE ${ofAttempt} AND epoch <> ?`,
  );
  const firstLeft = connection
    .prepare<[string, string], number>(
      `SELECT position FROM exchanges e WHERE recording_id = ? AND position IN (SELECT value FROM json_each(?))
         AND (SELECT count(*) FROM exchange_uses u WHERE u.recording_id = e.recording_id AND u.position = e.position)
           < e.times
       ORDER BY position LIMIT 1`,
    )
    .pluck();
  const use = connection.prepare<[...AttemptParams, number, number]>(
    `INSERT INTO exchange_uses (recording_id, execution_id, frame, node_id, attempt, position, epoch)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return (id: string, step: RecordedStep, positions: readonly number[]): number | null => {
    const key = attemptParams(id, step);
    release.run(...key, step.epoch);
    const found = firstLeft.get(id, JSON.stringify(positions));
    if (found === undefined) return null;
    use.run(...key, found, step.epoch);
    return found;
  };
}

/** Stores how a new run takes part in a recording, in the transaction that accepts the run. */
export function prepareBeginRecording(connection: Connection) {
  const setRecorded = connection.prepare<[string, string]>('UPDATE executions SET recorded_in = ? WHERE id = ?');
  const setAnswered = connection.prepare<[string, string]>('UPDATE executions SET answered_by = ? WHERE id = ?');
  const insert = connection.prepare<[string, number, number]>(
    'INSERT INTO recordings (execution_id, is_given, bytes) VALUES (?, ?, ?)',
  );
  const give = connection.prepare<[string, number, string, string, number]>(
    'INSERT INTO exchanges (recording_id, position, kind, entry, times) VALUES (?, ?, ?, ?, ?)',
  );
  const source = connection
    .prepare<[string], number>('SELECT bytes FROM recordings WHERE execution_id = ? AND is_cut = 0')
    .pluck();
  const copy = connection.prepare<[string, string]>(
    // With the workflow of each step: only those who may read all of them may read the copy.
    `INSERT INTO exchanges (recording_id, position, kind, entry, times, step_workflow_id)
     SELECT ?, position, kind, entry, times, step_workflow_id FROM exchanges WHERE recording_id = ?`,
  );

  function giveAll(id: string, exchanges: readonly RecordedExchange[]): void {
    const rows = exchanges.map(({ kind, entry }) => ({
      kind,
      text: JSON.stringify(entry),
      times: typeof entry.times === 'number' ? entry.times : 1,
    }));
    const bytes = rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    insert.run(id, 1, bytes);
    for (const [position, { kind, text, times }] of rows.entries()) give.run(id, position, kind, text, times);
    setAnswered.run(id, id);
  }

  function copyAll(id: string, from: string): void {
    const bytes = source.get(from);
    if (bytes === undefined) throw new Problem('conflict', 'The recording of this execution no longer exists.');
    insert.run(id, 1, bytes);
    copy.run(id, from);
    setAnswered.run(id, id);
  }

  return (id: string, recording: NewRecording): void => {
    switch (recording.kind) {
      case 'record':
        insert.run(id, 0, 0);
        setRecorded.run(id, id);
        return;
      case 'given':
        giveAll(id, recording.exchanges);
        return;
      case 'copied':
        copyAll(id, recording.from);
        return;
      case 'shared':
        if (recording.recording.isReplayed) setAnswered.run(recording.recording.id, id);
        else setRecorded.run(recording.recording.id, id);
    }
  };
}

import { formatInstant, Problem } from '@millrace/core';
import type { IdempotentUse, NewExecution } from '../../executions.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { slotOf } from '../queue/concurrency-slots.ts';
import type { QueuePositions } from '../queue/queue-positions.ts';
import { prepareBeginRecording } from '../recordings/exchange-rows.ts';
import type { ChatTurns } from './chats.ts';
import { type TriggerParams, triggerParams } from './execution-row.ts';
import type { Journal } from './journal.ts';
import { preparePin } from './pinned-graphs.ts';

/** The pinned version known for each workflow: workflow id → version. */
export type PinnedVersions = ReadonlyMap<number, number>;

interface AcceptParts {
  readonly connection: Connection;
  readonly journal: Journal;
  readonly known: PinnedVersions;
  readonly positions: QueuePositions;
  readonly chats: Pick<ChatTurns, 'ask'>;
}

/** Stores a run, in a transaction in progress. `created` is false for a run that already exists. */
export type Accept = (run: NewExecution, effects: Effects) => { readonly id: string; readonly created: boolean };

/**
 * Stores a run to be claimed. This is the most frequent write: two inserts if its version is known to be pinned, so the
 * graph is serialised once per version and not once per run.
 */
export function prepareAccept({ connection, journal, known, positions, chats }: AcceptParts): Accept {
  const earlierWithKey = prepareEarlierWithKey(connection);
  const pin = preparePin(connection);
  // The owner is read from the workflow's row; a deleted workflow gives no row, so no run is accepted for it.
  const insert = connection.prepare<
    [string, number, string, string | null, string | null, string | null, number, string, number, string | null, number]
  >(
    `INSERT INTO executions
       (id, workflow_id, owner_id, version, trigger_node_id, idempotency_key, idempotency_body, parent_execution_id, depth,
        status, accepted_at, priority, turn, gate)
     SELECT ?, id, owner_id, ?, ?, ?, ?, ?, ?, 'pending', ?, priority, ?, ${slotOf}
     FROM workflows WHERE id = ? AND deleted_at IS NULL`,
  );
  const insertTrigger = connection.prepare<[string, ...TriggerParams]>(
    'INSERT INTO triggers (execution_id, payload, text, headers, query, session_id) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const noteFork = connection.prepare<[string, number, string]>(
    'UPDATE executions SET replay_of = ?, last_seq = ? WHERE id = ?',
  );
  const noteEnd = connection.prepare<[string, string]>('UPDATE executions SET to_node_id = ? WHERE id = ?');
  const noteManual = connection.prepare<[string]>('UPDATE executions SET is_manual = 1 WHERE id = ?');
  const beginRecording = prepareBeginRecording(connection);
  function fork(id: string, { executionId, facts }: NonNullable<NewExecution['fork']>): void {
    noteFork.run(executionId, facts.length, id);
    if (facts.length > 0) journal.insert(id, 1, facts);
  }
  return (run, effects) => {
    const { id, workflowId, graph, idempotency, parent } = run;
    if (idempotency !== null) {
      const earlier = earlierWithKey(workflowId, idempotency);
      if (earlier !== null) return { id: earlier, created: false };
    }
    if (known.get(workflowId) !== graph.version && effects.pinned.get(workflowId) !== graph.version) {
      pin({ workflowId, version: graph.version }, graph);
      effects.pinned.set(workflowId, graph.version);
    }
    const { changes } = insert.run(
      id,
      graph.version,
      run.triggerNodeId,
      idempotency?.key ?? null,
      idempotency?.bodyHash ?? null,
      parent?.executionId ?? null,
      parent?.depth ?? 0,
      formatInstant(run.at),
      positions.next(workflowId),
      run.concurrencyKey ?? null,
      workflowId,
    );
    if (changes === 0) throw new Problem('not_found', 'Workflow not found.');
    insertTrigger.run(id, ...triggerParams(run.trigger));
    // None is frequent: people start and replay runs manually.
    if (run.isManual === true) noteManual.run(id);
    if (typeof run.toNodeId === 'string') noteEnd.run(run.toNodeId, id);
    if (run.fork !== undefined) fork(id, run.fork);
    if (run.recording !== undefined) beginRecording(id, run.recording);
    if (run.chat !== undefined) chats.ask(run);
    effects.move(workflowId, null, 'pending');
    effects.pending = true;
    return { id, created: true };
  };
}

interface EarlierUse {
  readonly id: string;
  readonly accepted_at: string;
  readonly idempotency_body: string | null;
}

const earlierUse = `SELECT id, accepted_at, idempotency_body FROM executions
  WHERE workflow_id = ? AND idempotency_key = ?`;

/** The run of an idempotency key, read outside a write. */
export function prepareByIdempotencyKey(connection: Connection) {
  const find = connection.prepare<[number, string], EarlierUse>(earlierUse);
  return ({ workflowId, ...use }: { readonly workflowId: number } & IdempotentUse): string | null => {
    const earlier = find.get(workflowId, use.key);
    return earlier !== undefined && counts(earlier, use) ? sameRequest(earlier, use) : null;
  };
}

/**
 * The run of an idempotency key that is still valid. An older run loses the key, so that it does not block the new run.
 */
function prepareEarlierWithKey(connection: Connection) {
  const find = connection.prepare<[number, string], EarlierUse>(earlierUse);
  const freeKey = connection.prepare<[string]>('UPDATE executions SET idempotency_key = NULL WHERE id = ?');
  return (workflowId: number, use: IdempotentUse): string | null => {
    const earlier = find.get(workflowId, use.key);
    if (earlier === undefined) return null;
    if (counts(earlier, use)) return sameRequest(earlier, use);
    freeKey.run(earlier.id);
    return null;
  };
}

function counts({ accepted_at: acceptedAt }: EarlierUse, { since }: IdempotentUse): boolean {
  return acceptedAt >= formatInstant(since);
}

/** Returns the id of the earlier run. @throws Problem `idempotency_conflict` when another body started it */
function sameRequest({ id, idempotency_body: earlier }: EarlierUse, { bodyHash }: IdempotentUse): string {
  // Where one side has no hash the key alone decides: runs stored by an older version have none.
  if (earlier === null || bodyHash === null || earlier === bodyHash) return id;
  const detail =
    'This Idempotency-Key was used with another body in the last 24 hours: use another key, or send the same body.';
  throw new Problem('idempotency_conflict', detail);
}

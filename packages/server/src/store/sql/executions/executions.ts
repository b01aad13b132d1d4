import type { ExecutionStatus, Fact, JournalEntry, Json, SlicedWork, Trigger } from '@millrace/core';
import { slices } from '../../../ground/slices.ts';
import type { ExecutionDetail, ExecutionStore, OwnedExecution, ReadableExecution } from '../../executions.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { isStorageFailure } from '../database/failures.ts';
import type { Writer } from '../database/writer.ts';
import type { ConcurrencySlots } from '../queue/concurrency-slots.ts';
import type { Counts } from '../queue/counts.ts';
import type { CrashCounts } from '../queue/crash-counts.ts';
import type { Incidents } from '../queue/incidents.ts';
import { prepareLeases } from '../queue/leases.ts';
import { prepareOwnerShares } from '../queue/owner-shares.ts';
import type { QueuePositions } from '../queue/queue-positions.ts';
import type { StoppingRuns } from '../queue/stopping-runs.ts';
import { prepareStateTable } from '../variables/state-table.ts';
import { type Accept, prepareByIdempotencyKey } from './accept.ts';
import { prepareAppend } from './append.ts';
import type { Cancellation } from './cancel.ts';
import type { ChatTurns } from './chats.ts';
import { prepareClaim } from './claim.ts';
import { prepareDeletionBudget } from './deletion-budget.ts';
import { prepareList } from './execution-list.ts';
import { type ExecutionRow, executionColumns, type TriggerRow, toExecution, toTrigger } from './execution-row.ts';
import type { Journal } from './journal.ts';
import { prepareJournalSize } from './journal-size.ts';
import { prepareRetry } from './retry.ts';
import { prepareStateStep } from './state-step.ts';
import type { WaitRows } from './wait-rows.ts';

/** The parts that the store of executions shares with the rest of the store. */
export interface ExecutionParts {
  readonly connection: Connection;
  readonly writer: Writer;
  readonly journal: Journal;
  readonly counts: Counts;
  readonly cancellation: Cancellation;
  readonly waits: WaitRows;
  readonly chats: Pick<ChatTurns, 'answer' | 'replies'>;
  readonly accept: Accept;
  readonly slots: ConcurrencySlots;
  readonly positions: QueuePositions;
  readonly crashCounts: CrashCounts;
  readonly countModels: (workflowId: number, facts: readonly Fact[]) => void;
  readonly incidents: Incidents;
  readonly stopping: StoppingRuns;
  readonly largeJournal: number | undefined;
}

/** Bytes of a journal that is read in one slice: some 3 ms. */
const usualLargeJournal = 262_144;

/** The SQLite store of executions. */
export function executionStore(parts: ExecutionParts): ExecutionStore {
  const { connection, writer, journal, counts, cancellation, waits, chats, accept } = parts;
  const byIdempotencyKey = prepareByIdempotencyKey(connection);
  const journalSize = prepareJournalSize(connection, parts.largeJournal ?? usualLargeJournal);
  const claim = prepareClaim({ ...parts, journalSize, ownerShares: prepareOwnerShares(connection) });
  const lastSeqOf = connection.prepare<[string], number>('SELECT last_seq FROM executions WHERE id = ?').pluck();
  const append = prepareAppend({
    connection,
    journal,
    cancellation,
    waits,
    accept,
    chats,
    crashCounts: parts.crashCounts,
    completeState: prepareStateStep(prepareStateTable(connection)),
    countModels: parts.countModels,
  });
  const leases = prepareLeases(connection, parts);
  const retry = prepareRetry(parts);
  const byId = prepareById(connection);
  const details = prepareDetails(connection, journal);
  const ancestors = prepareAncestors(connection);
  const remove = prepareRemove(connection, writer);
  /** Large values of facts are written as JSON before the transaction that stores them. */
  const prepared = <Result>(facts: Parameters<Journal['prepare']>[0], submit: () => Promise<Result>) => {
    const preparation = journal.prepare(facts);
    return preparation === null ? submit() : slices.finish(preparation).then(submit);
  };
  return {
    accept: (run) => prepared(run.fork?.facts ?? [], () => writer.submit((effects) => accept(run, effects))),
    byIdempotencyKey: (params) => connection.read(() => byIdempotencyKey(params)),
    openCount: () => Promise.resolve(counts.open()),
    claim: (params) => writer.submitAhead((effects) => claim(params, effects)),
    append: (params) => prepared(params.facts, () => writer.submit((effects) => append(params, effects))),
    renew: (params) => writer.submitAhead(() => leases.renew(params)),
    release: (params) => writer.submit((effects) => leases.release(params, effects)),
    recover: (end = null) => writer.submit((effects) => leases.recover(end, effects)),
    cancel: (params) => writer.submit((effects) => cancellation.cancel(params, effects)),
    finishCancellations: parts.stopping.finish,
    retry: (params) => writer.submit((effects) => retry(params, effects)),
    byId: (id) => connection.read(() => byId(id)),
    detail: (id) => connection.readInSlices(details.whole(id)),
    readable: (id) => connection.readInSlices(details.readable(id)),
    isLarge: (id) => connection.read(() => journalSize(id, lastSeqOf.get(id) ?? 0).isLarge),
    journal: ({ id, lastSeq }) => connection.readInSlices(journal.reading(id, lastSeq)),
    ancestors: (id) => connection.read(() => ancestors(id)),
    list: prepareList(connection, counts, byId),
    remove,
  };
}

function prepareById(connection: Connection): (id: string) => OwnedExecution | null {
  const find = connection.prepare<[string], ExecutionRow>(
    `SELECT ${executionColumns.join(', ')} FROM executions e JOIN workflows w ON w.id = e.workflow_id WHERE e.id = ?`,
  );
  return (id) => {
    const row = find.get(id);
    return row === undefined ? null : toExecution(row);
  };
}

/** Each level costs one lookup by primary key, and the number of levels is limited. */
function prepareAncestors(connection: Connection) {
  const find = connection.prepare<[string], { workflowId: number; slug: string }>(
    `WITH RECURSIVE above (id, distance) AS (
       SELECT parent_execution_id, 1 FROM executions WHERE id = ?
       UNION ALL
       SELECT e.parent_execution_id, distance + 1 FROM above JOIN executions e ON e.id = above.id
     )
     SELECT e.workflow_id AS workflowId, w.slug FROM above
     JOIN executions e ON e.id = above.id JOIN workflows w ON w.id = e.workflow_id ORDER BY distance DESC`,
  );
  return (id: string) => find.all(id);
}

/**
 * Two statements: the run with its trigger, and its journal as it was at that moment, whose last fact has the output.
 * Null if the run is deleted meanwhile.
 */
function prepareDetails(connection: Connection, journal: Journal) {
  const find = connection.prepare<[string], ExecutionRow & TriggerRow & { readonly last_seq: number }>(
    `SELECT ${executionColumns.join(', ')}, e.last_seq, t.payload, t.text, t.headers, t.query, t.session_id
     FROM executions e JOIN workflows w ON w.id = e.workflow_id JOIN triggers t ON t.execution_id = e.id
     WHERE e.id = ?`,
  );
  const exists = connection.prepare<[string]>('SELECT 1 FROM executions WHERE id = ?');
  return {
    *whole(id: string): SlicedWork<ExecutionDetail | null> {
      const row = find.get(id);
      if (row === undefined) return null;
      const entries = yield* journal.reading(id, row.last_seq);
      if (exists.get(id) === undefined) return null;
      yield;
      return { ...toExecution(row), trigger: toTrigger(row), finalOutput: outputOf(entries), journal: entries };
    },
    *readable(id: string): SlicedWork<ReadableExecution | null> {
      const row = find.get(id);
      if (row === undefined) return null;
      const { entries, isWhole } = yield* journal.readingIntact(id, row.last_seq);
      if (exists.get(id) === undefined) return null;
      yield;
      const trigger = readableTrigger(row);
      const unreadable = [...(trigger === null ? ['trigger' as const] : []), ...(isWhole ? [] : ['journal' as const])];
      const parts = { trigger: trigger ?? noTrigger, finalOutput: outputOf(entries), journal: entries, unreadable };
      return { ...toExecution(row), ...parts };
    },
  };
}

function outputOf(journal: readonly JournalEntry[]): Json {
  const end = journal.at(-1)?.fact;
  return end?.kind === 'run_finished' ? end.output : null;
}

/** Shown instead of a trigger that cannot be read. */
const noTrigger: Trigger = { payload: null, text: '' };

function readableTrigger(row: TriggerRow): Trigger | null {
  try {
    return toTrigger(row);
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    return null;
  }
}

/** Deletes runs. The journal and the trigger are deleted with their run: they are declared ON DELETE CASCADE. */
function prepareRemove(connection: Connection, writer: Writer): ExecutionStore['remove'] {
  const remove = connection.prepare<[string, number, number], { workflow_id: number; status: ExecutionStatus }>(
    `DELETE FROM executions WHERE id = ? AND status IN ('completed', 'failed', 'cancelled')
       AND (owner_id = ? OR EXISTS (
         SELECT 1 FROM collaborators c JOIN workflows w ON w.id = c.workflow_id
         WHERE c.workflow_id = executions.workflow_id AND c.user_id = ? AND c.role = 'editor' AND w.deleted_at IS NULL))
     RETURNING workflow_id, status`,
  );
  const newBudget = prepareDeletionBudget(connection);

  /** Deletes the first runs, as many as the budget allows; returns the deleted ones and how many were examined. */
  function removeFirst(ids: readonly string[], userId: number, effects: Effects) {
    const budget = newBudget();
    const removed: string[] = [];
    let examined = 0;
    for (const id of ids) {
      if (!budget.take(id)) break;
      examined += 1;
      const row = remove.get(id, userId, userId);
      if (row === undefined) continue;
      effects.move(row.workflow_id, row.status, null);
      removed.push(id);
    }
    return { removed, examined };
  }

  return async ({ ids, removableBy }) => {
    const removed: string[] = [];
    for (let from = 0; from < ids.length; ) {
      const some = ids.slice(from, from + removedAtOnce);
      const part = await writer.submit((effects) => removeFirst(some, removableBy, effects));
      removed.push(...part.removed);
      from += part.examined;
    }
    return removed;
  };
}

/** Runs deleted in one transaction: it takes some 10 ms, during which no request is answered. */
const removedAtOnce = 200;

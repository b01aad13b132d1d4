import type { Instant } from '@millrace/core';
import { slices } from '../../../ground/slices.ts';
import type { Connection } from '../database/connection.ts';
import type { Writer } from '../database/writer.ts';
import type { Cancellation } from '../executions/cancel.ts';

/** Ends the open runs of workflows in the trash, in many short transactions. Workflows that are not there are ignored. */
export type EndRunsInTrash = (params: { workflowIds: readonly number[]; at: Instant }) => Promise<void>;

interface EndRunsParts {
  readonly connection: Connection;
  readonly writer: Writer;
  readonly cancellation: Pick<Cancellation, 'cancel'>;
}

/** Runs ended in one transaction: it takes some 10 ms, during which no request is answered. */
const endedAtOnce = 100;
/** Runs whose workflow is looked up in one turn of the event loop: some 2 ms. */
const lookedUpAtOnce = 1000;

/** Prepares the statements that end the runs of deleted workflows. */
export function prepareEndRuns(parts: EndRunsParts): EndRunsInTrash {
  const { connection, writer, cancellation } = parts;
  const hasOpen = connection
    .prepare<[number], number>(
      `SELECT 1 FROM workflows w JOIN execution_counts c ON c.owner_id = w.owner_id AND c.workflow_id = w.id
       WHERE w.id = ? AND w.deleted_at IS NOT NULL AND c.n > 0
         AND c.status IN ('pending', 'running', 'waiting', 'interrupted') LIMIT 1`,
    )
    .pluck();
  const candidates = prepareCandidates(connection);
  const trashedOf = connection
    .prepare<[string], number>(
      `SELECT e.workflow_id FROM executions e JOIN workflows w ON w.id = e.workflow_id
       WHERE e.id = ? AND w.deleted_at IS NOT NULL`,
    )
    .pluck();

  /** The workflow may have been restored since the runs were found, so each is looked up again. */
  const endAll = (ids: readonly string[], at: Instant): Promise<void> =>
    writer.submit((effects) => {
      // The end of one run wakes or ends runs that wait for it or that it waited for: each row is read when it is
      // processed.
      for (const id of ids) if (trashedOf.get(id) !== undefined) cancellation.cancel({ id, at }, effects);
    });

  return async ({ workflowIds, at }) => {
    const meant = new Set(workflowIds.filter((id) => hasOpen.get(id) !== undefined));
    if (meant.size === 0) return;
    for (const ids of candidates([...meant])) {
      const found = ids.filter((id) => meant.has(trashedOf.get(id) ?? 0));
      for (let from = 0; from < found.length; from += endedAtOnce) {
        await endAll(found.slice(from, from + endedAtOnce), at);
      }
      await slices.turn();
    }
  };
}

interface ParkedRow {
  readonly accepted_at: string;
  readonly id: string;
}

/**
 * The ids of open runs among which are those of the given workflows. An index of open runs by workflow would cost every
 * run two writes, and deletions are rare.
 */
function prepareCandidates(connection: Connection): (workflowIds: readonly number[]) => Iterable<readonly string[]> {
  // Both read only the index. The number of pending and running runs has a limit.
  const pending = connection
    .prepare<[], string>(`SELECT id FROM executions INDEXED BY executions_pending WHERE status = 'pending'`)
    .pluck();
  const running = connection
    .prepare<[], string>(`SELECT id FROM executions INDEXED BY executions_leases WHERE status = 'running'`)
    .pluck();
  const parked = connection.prepare<[number, string, string, string, number], ParkedRow>(
    `SELECT accepted_at, id FROM executions INDEXED BY executions_parked
     WHERE owner_id = ? AND status = ? AND (status = 'waiting' OR status = 'interrupted')
       AND (accepted_at, id) > (?, ?) ORDER BY accepted_at, id LIMIT ?`,
  );
  const ownerOf = connection.prepare<[number], number>('SELECT owner_id FROM workflows WHERE id = ?').pluck();

  function* parkedOf(ownerId: number, status: string): Iterable<readonly string[]> {
    let after: ParkedRow = { accepted_at: '', id: '' };
    for (;;) {
      const rows = parked.all(ownerId, status, after.accepted_at, after.id, lookedUpAtOnce);
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(({ id }) => id);
      after = last;
    }
  }

  return function* ofWorkflows(workflowIds) {
    // A run that waits may become pending meanwhile. A pending one can only be claimed, and then it ends.
    yield* parts(running.all());
    for (const ownerId of new Set(workflowIds.map((id) => ownerOf.get(id) ?? 0))) {
      for (const status of ['waiting', 'interrupted']) yield* parkedOf(ownerId, status);
    }
    yield* parts(pending.all());
  };
}

function* parts(ids: readonly string[]): Iterable<readonly string[]> {
  for (let from = 0; from < ids.length; from += lookedUpAtOnce) yield ids.slice(from, from + lookedUpAtOnce);
}

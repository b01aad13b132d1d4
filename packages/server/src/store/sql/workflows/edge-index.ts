import type { Connection } from '../database/connection.ts';
import { type EdgeRow, edgeFieldColumns } from './graph-rows.ts';

/** Edges that wait for the index: scanning them takes a fraction of a millisecond. */
const maxWaiting = 2_000;

/**
 * The index of edges by workflow, to which new edges are added in batches: if they were added one at a time, each edge
 * of a busy service would rewrite a page of 4 KiB.
 */
export interface EdgeIndex {
  /** Records that an edge was inserted with `is_indexed = 0`; indexes all waiting edges if there are many. */
  added(): void;
  /** Indexes all waiting edges, so that `is_indexed = 1` holds for every edge. */
  complete(): void;
}

/** Prepares the statements that maintain the index. */
export function prepareEdgeIndex(connection: Connection): EdgeIndex {
  const count = connection.prepare<[], { n: number }>('SELECT count(*) AS n FROM edges WHERE is_indexed = 0');
  const bringIn = connection.prepare<[]>('UPDATE edges SET is_indexed = 1 WHERE is_indexed = 0');
  // A rollback does not undo this count. It may then be wrong, but it only decides when to check.
  let waiting = count.get()?.n ?? 0;

  function complete(): void {
    bringIn.run();
    waiting = 0;
  }

  return {
    added() {
      waiting += 1;
      if (waiting >= maxWaiting) complete();
    },
    complete,
  };
}

/** Prepares reading a workflow's edges, by id. */
export function prepareEdgesOf(connection: Connection): (workflowId: number) => readonly EdgeRow[] {
  const columns = `id, ${edgeFieldColumns.join(', ')}`;
  const edges = connection.prepare<[number, number], EdgeRow>(
    `SELECT ${columns} FROM edges WHERE workflow_id = ? AND is_indexed = 1
     UNION ALL SELECT ${columns} FROM edges WHERE is_indexed = 0 AND workflow_id = ?
     ORDER BY id`,
  );
  return (workflowId) => edges.all(workflowId, workflowId);
}

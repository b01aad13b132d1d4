import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Execution } from '@millrace/core';
import type { ExecutionFilter, Page } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Counts } from './counts.ts';
import { contains, containsFunction, pageQuery, scanQuery } from './execution-query.ts';
import { type ExecutionRow, toExecution } from './execution-row.ts';

/**
 * Lists runs, newest first. By owner, workflow and status the total is read, and the page walks an index: the cost
 * follows offset + limit. With times or text there is no such total, and every run that passes the rest is looked at:
 * about half a second for a million runs by time; by text at least 2 µs for each run, growing with its payload and
 * journal, all of which are read. That happens in slices, with other work between them.
 */
export function prepareList(
  connection: Connection,
  counts: Counts,
  byId: (id: string) => Execution | null,
): (filter: ExecutionFilter) => Promise<Page<Execution>> {
  connection.define(containsFunction, contains);

  function page(filter: ExecutionFilter): Page<Execution> {
    const { visibleTo: ownerId, workflowId, status, offset } = filter;
    const total = counts.total({
      ownerId,
      ...(workflowId !== undefined && { workflowId }),
      ...(status !== undefined && { status }),
    });
    if (offset >= total) return { items: [], total };
    const { sql, parameters } = pageQuery(filter);
    return { items: connection.all<ExecutionRow>(sql, parameters).map(toExecution), total };
  }

  async function scan(filter: ExecutionFilter): Promise<Page<Execution>> {
    const ids: string[] = [];
    let total = 0;
    let slice = await connection.read(() => nextSlice(connection, filter, null));
    for (;;) {
      for (const row of slice) {
        if (row.hit === 0) continue;
        if (total >= filter.offset && ids.length < filter.limit) ids.push(row.id);
        total += 1;
      }
      const last = slice.at(-1);
      if (last === undefined || slice.length < sliceSize) break;
      await nextTurn();
      slice = await connection.read(() => nextSlice(connection, filter, last));
    }
    // A run deleted meanwhile is left out.
    const items = await connection.read(() => ids.map(byId).filter((run) => run !== null));
    return { items, total };
  }

  return (filter) => {
    const needsScan = filter.q !== undefined || filter.since !== undefined || filter.until !== undefined;
    return needsScan ? scan(filter) : connection.read(() => page(filter));
  };
}

// 1 ms of searching small runs, 10 ms of large ones: short enough that nobody notices somebody else's search.
const sliceSize = 500;

interface ScannedRow {
  readonly id: string;
  readonly accepted_at: string;
  readonly hit: number;
}

function nextSlice(connection: Connection, filter: ExecutionFilter, after: ScannedRow | null): ScannedRow[] {
  const place = after === null ? null : { acceptedAt: after.accepted_at, id: after.id };
  const { sql, parameters } = scanQuery(filter, place, sliceSize);
  return connection.all<ScannedRow>(sql, parameters);
}

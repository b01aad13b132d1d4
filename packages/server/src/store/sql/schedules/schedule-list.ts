import { isObject, parseInstant, type SlicedWork } from '@millrace/core';
import type { Page } from '../../page.ts';
import type { ListedSchedule } from '../../schedules.ts';
import { readJson } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import { type ScheduleRow, toSchedule } from '../workflows/schedule-table.ts';

/** Schedules of all users that are read at once: it takes about 2 ms. */
const readAtOnce = 500;

interface ListedRow extends ScheduleRow {
  readonly workflow_slug: string;
  readonly workflow_name: string;
  readonly node_name: string | null;
  readonly label: string | null;
}

/** Lists the schedules that a user may see. It reads those of all users, in slices: an instance has few. */
export function prepareScheduleList(connection: Connection) {
  const lastOf = connection
    .prepare<[number], number | null>(
      `SELECT max(node_id) FROM (SELECT node_id FROM schedules WHERE node_id > ? ORDER BY node_id LIMIT ${readAtOnce})`,
    )
    .pluck();
  const visible = connection.prepare<[number, number, number, number], ListedRow>(
    `SELECT s.*, w.slug AS workflow_slug, w.name AS workflow_name, n.node_id AS node_name, n.label
     FROM schedules s CROSS JOIN workflows w ON w.id = s.workflow_id LEFT JOIN nodes n ON n.id = s.node_id
     WHERE s.node_id > ? AND s.node_id <= ? AND w.deleted_at IS NULL
       AND (w.owner_id = ? OR EXISTS (SELECT 1 FROM collaborators c WHERE c.workflow_id = w.id AND c.user_id = ?))`,
  );
  return function* list({
    visibleTo,
    limit,
    offset,
  }: {
    readonly visibleTo: number;
    readonly limit: number;
    readonly offset: number;
  }): SlicedWork<Page<ListedSchedule>> {
    const rows: ListedRow[] = [];
    for (let after = 0; ; ) {
      const last = lastOf.get(after) ?? null;
      if (last === null) break;
      rows.push(...visible.all(after, last, visibleTo, visibleTo));
      after = last;
      yield;
    }
    const sorted = rows.sort(byNextTime);
    return { items: sorted.slice(offset, offset + limit).map(toListed), total: rows.length };
  };
}

/** Times are texts that sort as they follow one another. */
function byNextTime(one: ListedRow, other: ListedRow): number {
  const [first, second] = [one.next_fire_at ?? '~', other.next_fire_at ?? '~'];
  if (first === second) return one.node_id - other.node_id;
  return first < second ? -1 : 1;
}

function toListed(row: ListedRow): ListedSchedule {
  return {
    ...toSchedule(row),
    workflowSlug: row.workflow_slug,
    workflowName: row.workflow_name,
    nodeId: row.node_name,
    label: row.label,
    timing: readJson(row.timing, isObject, null),
    anchor: parseInstant(row.anchor_at),
  };
}

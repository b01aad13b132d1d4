import {
  formatInstant,
  type Instant,
  instantAfter,
  type OverlapPolicy,
  parseInstant,
  type Schedule,
} from '@millrace/core';
import type { DueSchedule, Firing, ScheduleStore } from '../../schedules.ts';
import { type Bit, expectRow, isMoment, parseInstantOrNull, storedInstant, toBit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';
import type { Accept } from '../executions/accept.ts';
import { type NodeRow, nodeFieldColumns, toNode } from '../workflows/graph-rows.ts';
import { type ScheduleRow, type ScheduleTable, toSchedule } from '../workflows/schedule-table.ts';
import { prepareScheduleList } from './schedule-list.ts';

interface ScheduleParts {
  readonly connection: Connection;
  readonly writer: Writer;
  readonly schedules: ScheduleTable;
  readonly accept: Accept;
}

/** The SQLite store of schedules. */
export function scheduleStore({ connection, writer, schedules, accept }: ScheduleParts): ScheduleStore {
  const ofWorkflow = connection.prepare<[number], ScheduleRow>('SELECT * FROM schedules WHERE workflow_id = ?');
  const earliest = connection.prepare<[], { at: string | null }>(
    'SELECT min(next_fire_at) AS at FROM schedules INDEXED BY schedules_due WHERE next_fire_at IS NOT NULL',
  );
  const due = connection.prepare<[string, number], DueRow>(
    `SELECT * FROM schedules INDEXED BY schedules_due WHERE next_fire_at <= ? ORDER BY next_fire_at, node_id LIMIT ?`,
  );
  const first = connection.prepare<[string], DueRow>(
    `SELECT * FROM schedules INDEXED BY schedules_due WHERE next_fire_at > ? ORDER BY next_fire_at, node_id LIMIT 1`,
  );
  const ahead = connection.prepare<[number, string, number], ScheduleRow>(
    'SELECT * FROM schedules WHERE node_id > ? AND next_fire_at > ? ORDER BY node_id LIMIT ?',
  );
  const list = prepareScheduleList(connection);
  const fire = prepareFire({ connection, schedules, accept });
  const steer = prepareSteer({ connection, schedules });
  return {
    ofWorkflow: (workflowId) => connection.read(() => ofWorkflow.all(workflowId).map(toSchedule)),
    list: (params) => connection.readInSlices(list(params)),
    earliest: () => connection.read(() => parseInstantOrNull(earliest.get()?.at ?? null)),
    due: ({ now, limit }) =>
      connection.read(() => {
        const at = formatInstant(now);
        const rows = due.all(at, limit);
        const next = rows.length < limit ? first.get(at) : undefined;
        // A time that cannot be read never comes: trying to fire it recomputes it.
        if (next !== undefined && !isMoment(next.next_fire_at)) rows.push(next);
        return rows.map(toDue);
      }),
    fire: (firing) => writer.submit((effects) => fire(firing, effects)),
    setState: (params) => writer.submit((effects) => steer(params, effects)),
    replan: ({ now, afterId, limit }) =>
      writer.submit((effects) => {
        const rows = ahead.all(afterId, formatInstant(now), limit);
        for (const row of rows) schedules.arm(row, now, effects);
        return rows.length < limit ? null : (rows.at(-1)?.node_id ?? null);
      }),
  };
}

type DueRow = ScheduleRow & { readonly next_fire_at: string };

function toDue(row: DueRow): DueSchedule {
  return {
    ...toSchedule(row),
    workflowId: row.workflow_id,
    dueAt: parseInstant(row.next_fire_at),
    anchor: parseInstant(row.anchor_at),
  };
}

function prepareFire({ connection, schedules, accept }: Omit<ScheduleParts, 'writer'>) {
  const find = connection.prepare<[number], DueRow>(
    'SELECT * FROM schedules WHERE node_id = ? AND next_fire_at IS NOT NULL',
  );
  const open = connection.prepare<[number], { n: number }>(
    `SELECT count(*) AS n FROM executions INDEXED BY executions_open_of_schedule
     WHERE schedule_id = ? AND completed_at IS NULL`,
  );
  const mark = connection.prepare<[number, Bit, string]>(
    'UPDATE executions SET schedule_id = ?, in_turn = ? WHERE id = ?',
  );
  const note = connection.prepare<[string, string | null, number, string | null, number]>(
    `UPDATE schedules SET last_fire_at = ?, last_execution_id = coalesce(?, last_execution_id), skipped = skipped + ?,
       error = ? WHERE node_id = ?`,
  );

  /** Starts the runs; returns the id of the last one, and how many times started none. */
  function start({ id, runs, overlap }: Firing, effects: Effects) {
    let last: string | null = null;
    let skipped = 0;
    for (const { fireAt, run } of runs) {
      if ((open.get(id)?.n ?? 0) >= maxOpen[overlap]) {
        skipped += 1;
        continue;
      }
      const accepted = accept(
        { ...run, idempotency: { key: keyOf(id, fireAt), bodyHash: null, since: always } },
        effects,
      );
      if (accepted.created) mark.run(id, toBit(overlap === 'queue'), accepted.id);
      last = accepted.id;
    }
    return { last, skipped };
  }

  return (firing: Firing, effects: Effects): 'fired' | 'lost' => {
    const row = find.get(firing.id);
    if (row === undefined) return 'lost';
    // The compare of a compare-and-set: an earlier firing has already advanced the schedule's time.
    if (row.next_fire_at !== formatInstant(firing.dueAt)) {
      if (!isMoment(row.next_fire_at)) schedules.arm(row, firing.now, effects);
      return 'lost';
    }
    const { last, skipped } = start(firing, effects);
    const lastFireAt = formatInstant(firing.lastDueAt);
    note.run(lastFireAt, last, skipped + firing.rejected, firing.error, firing.id);
    schedules.arm({ ...row, last_fire_at: lastFireAt, error: firing.error }, firing.now, effects);
    return 'fired';
  };
}

type Wish = Parameters<ScheduleStore['setState']>[0];

function prepareSteer({ connection, schedules }: Pick<ScheduleParts, 'connection' | 'schedules'>) {
  const find = connection.prepare<[number], ScheduleRow>('SELECT * FROM schedules WHERE node_id = ?');
  const node = connection.prepare<[number], NodeRow>(
    `SELECT id, ${nodeFieldColumns.join(', ')}, updated_at FROM nodes WHERE id = ?`,
  );
  const workflow = connection.prepare<[number], { updated_at: string }>(
    'SELECT updated_at FROM workflows WHERE id = ?',
  );
  const touch = connection.prepare<[string, number]>('UPDATE workflows SET updated_at = ? WHERE id = ?');
  const mark = connection.prepare<[string, number]>('UPDATE schedules SET steered_at = ? WHERE node_id = ?');
  return ({ id, state, at }: Wish, effects: Effects): Schedule | null => {
    const row = find.get(id);
    if (row === undefined) return null;
    if (row.state === state) return toSchedule(row);
    const workflowId = row.workflow_id;
    const { updated_at } = expectRow(workflow.get(workflowId));
    // No graph version is created, so the schedule has its own timestamp: graphs are cached by version.
    const steered_at = formatInstant(instantAfter(parseInstant(updated_at), storedInstant(at)));
    touch.run(steered_at, workflowId);
    effects.changeWorkflow(workflowId, null);
    mark.run(steered_at, id);
    const schedule = schedules.steer({ ...row, steered_at }, { state, at }, effects);
    // The draft may no longer have such a node.
    const stored = node.get(id);
    if (stored !== undefined) effects.publish(workflowId, { type: 'node_updated', node: toNode(stored), schedule });
    return schedule;
  };
}

/** How many runs of a schedule may be open when another starts, so that the queue cannot grow without limit. */
const maxOpen: Readonly<Record<OverlapPolicy, number>> = { skip: 1, queue: 100, parallel: Number.POSITIVE_INFINITY };

/** An idempotency key that no request can have: those begin with a user's id. */
function keyOf(id: number, fireAt: Instant): string {
  return `schedule:${id}:${formatInstant(fireAt)}`;
}

/** A time belongs to its run as long as the run is stored. */
const always: Instant = 0;

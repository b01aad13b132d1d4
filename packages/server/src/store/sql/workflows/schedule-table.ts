import {
  formatInstant,
  type Instant,
  isObject,
  type JsonObject,
  type Node,
  parseInstant,
  type ReadTimetable,
  type Schedule,
  type ScheduleState,
  schedulePolicies,
  scheduleType,
  timingOf,
} from '@millrace/core';
import { type Bit, formatInstantOrNull, jsonOrNull, parseInstantOrNull, readJson } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';

/** Writes to `schedules` in a transaction in progress. */
export interface ScheduleTable {
  /**
   * Updates the schedule from its node; null if the node is not a schedule. Other changes of the node do not change its
   * times.
   */
  follow(node: Node, place: { workflowId: number; at: Instant }, effects: Effects): Schedule | null;
  /** The current schedule of a node; null if the version that triggers run has no such schedule. */
  of(node: Node): Schedule | null;
  /** Deletes the schedule of a deleted node, if it had one. */
  remove(nodeId: number, effects: Effects): void;
  /** Replaces a workflow's schedules with those of the version that triggers now run. */
  followVersion(params: { workflowId: number; nodes: readonly Node[]; at: Instant }, effects: Effects): void;
  /** Updates the schedules after a workflow was activated, deactivated, deleted or restored. */
  followWorkflow(params: { workflowId: number; at: Instant }, effects: Effects): void;
  /** Applies a state that a caller requests. */
  steer(row: ScheduleRow, wish: { state: ScheduleState; at: Instant }, effects: Effects): Schedule;
  /** Recomputes the next time. */
  arm(row: ScheduleRow, at: Instant, effects: Effects): Schedule;
}

/** A row of `schedules`. */
export interface ScheduleRow {
  readonly node_id: number;
  readonly workflow_id: number;
  readonly state: ScheduleState;
  readonly timing: string | null;
  /** Null until its node is saved for the first time since this column exists. */
  readonly policies: string | null;
  readonly anchor_at: string;
  readonly next_fire_at: string | null;
  readonly last_fire_at: string | null;
  readonly last_execution_id: string | null;
  readonly skipped: number;
  readonly error: string | null;
  readonly steered_at: string | null;
}

/**
 * A clock that is set back by more than this was wrong before. Times that fired then do not count; otherwise the
 * schedule would not fire until the clock reached them again.
 */
const maxSetBackMs = 3 * 3_600_000;

/** Prepares the statements that update schedules with their nodes and workflows. */
export function prepareScheduleTable(connection: Connection, readTimetable: ReadTimetable): ScheduleTable {
  const sql = statements(connection);

  function arm(row: ScheduleRow, at: Instant, effects: Effects): Schedule {
    const lastFireAt = parseInstantOrNull(row.last_fire_at);
    const lastFire = lastFireAt !== null && lastFireAt - at < maxSetBackMs ? lastFireAt : null;
    // A time in the future was written before the clock was set back. The interval restarts now; otherwise it would not
    // fire before that time.
    const isAhead = parseInstant(row.anchor_at) > at || (lastFireAt !== null && lastFireAt > at);
    const anchor = isAhead ? Math.floor(at) : parseInstant(row.anchor_at);
    const fires = row.state === 'active' && sql.isLive.get(row.workflow_id)?.is_live === 1;
    const timing = readJson(row.timing, isObject, null);
    const next = fires && timing !== null ? (readTimetable(timing)?.next(at, { anchor, lastFire }) ?? null) : null;
    // One unreadable schedule does not prevent others from being armed.
    const error = timing === null && row.timing !== null ? damagedTiming : row.error;
    const armed = { ...row, anchor_at: formatInstant(anchor), next_fire_at: formatInstantOrNull(next), error };
    sql.write.run(armed.state, armed.timing, armed.anchor_at, armed.next_fire_at, error, armed.node_id);
    effects.schedules = true;
    return toSchedule(armed);
  }

  function follow(node: Node, { workflowId, at }: { workflowId: number; at: Instant }, effects: Effects) {
    if (node.componentType !== scheduleType) return null;
    const timing = jsonOrNull(timingOf(node));
    const policies = JSON.stringify(schedulePolicies((node.config.extra_config ?? {}) as JsonObject));
    const before = sql.find.get(node.id);
    if (before?.timing === timing && before.policies === policies) return toSchedule(before);
    // Whole milliseconds, like all times computed from it.
    const anchor = formatInstant(Math.floor(at));
    if (before === undefined) sql.insert.run(node.id, workflowId, anchor);
    sql.begin.run(policies, node.id);
    if (before?.timing === timing) return toSchedule({ ...before, ...unblemished });
    const row = before ?? { ...blank, node_id: node.id, workflow_id: workflowId };
    return arm({ ...row, ...unblemished, policies, timing, anchor_at: anchor }, at, effects);
  }

  return {
    arm,
    follow,
    of({ id, componentType }) {
      const row = componentType === scheduleType ? sql.find.get(id) : undefined;
      return row === undefined ? null : toSchedule(row);
    },
    remove: (nodeId) => void sql.remove.run(nodeId),
    followVersion({ workflowId, nodes, at }, effects) {
      const scheduled = new Set(nodes.filter((node) => node.componentType === scheduleType).map(({ id }) => id));
      for (const { node_id: id } of sql.ofWorkflow.all(workflowId)) if (!scheduled.has(id)) sql.remove.run(id);
      for (const node of nodes) follow(node, { workflowId, at }, effects);
    },
    followWorkflow({ workflowId, at }, effects) {
      for (const row of sql.ofWorkflow.all(workflowId)) arm(row, at, effects);
    },
    steer(row, { state, at }, effects) {
      if (row.state !== 'stopped') return arm({ ...row, state }, at, effects);
      sql.begin.run(row.policies, row.node_id);
      return arm({ ...row, ...unblemished, state, anchor_at: formatInstant(Math.floor(at)) }, at, effects);
    },
  };
}

function statements(connection: Connection) {
  return {
    find: connection.prepare<[number], ScheduleRow>('SELECT * FROM schedules WHERE node_id = ?'),
    ofWorkflow: connection.prepare<[number], ScheduleRow>('SELECT * FROM schedules WHERE workflow_id = ?'),
    isLive: connection.prepare<[number], { is_live: Bit }>(
      'SELECT is_active = 1 AND deleted_at IS NULL AS is_live FROM workflows WHERE id = ?',
    ),
    insert: connection.prepare<[number, number, string]>(
      `INSERT INTO schedules (node_id, workflow_id, state, anchor_at) VALUES (?, ?, 'active', ?)`,
    ),
    remove: connection.prepare<[number]>('DELETE FROM schedules WHERE node_id = ?'),
    begin: connection.prepare<[string | null, number]>(
      'UPDATE schedules SET policies = ?, skipped = 0, error = NULL WHERE node_id = ?',
    ),
    write: connection.prepare<[string, string | null, string, string | null, string | null, number]>(
      'UPDATE schedules SET state = ?, timing = ?, anchor_at = ?, next_fire_at = ?, error = ? WHERE node_id = ?',
    ),
  };
}

/** Why a schedule whose row is damaged has no next time. */
const damagedTiming = "Its stored timetable is damaged: change its times in the node's config so that it fires again.";

/** For a schedule that restarts: its errors are cleared. */
const unblemished = { skipped: 0, error: null } as const;

/** A new schedule. */
const blank = {
  state: 'active',
  policies: null,
  next_fire_at: null,
  last_fire_at: null,
  last_execution_id: null,
  steered_at: null,
  ...unblemished,
} as const;

/** Converts a row to a schedule. */
export function toSchedule(row: ScheduleRow): Schedule {
  return {
    id: row.node_id,
    state: row.state,
    nextFireAt: parseInstantOrNull(row.next_fire_at),
    lastFireAt: parseInstantOrNull(row.last_fire_at),
    lastExecutionId: row.last_execution_id,
    skipped: row.skipped,
    error: row.error,
    steeredAt: parseInstantOrNull(row.steered_at),
  };
}

import { type ExecutionStatus, type Instant, parseInstant, type SlicedWork } from '@millrace/core';
import type { LastExecution, WorkflowActivity } from '../../workflows.ts';
import { parseInstantOrNull } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { HourlyEnds } from './hourly-ends.ts';

/** Reads the activity of workflows. */
export type ReadActivity = (params: {
  readonly workflowIds: readonly number[];
  readonly since: Instant;
}) => SlicedWork<readonly WorkflowActivity[]>;

/** Workflows read at once: it takes about 2 ms. */
const readAtOnce = 50;

interface LastRow {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly accepted_at: string;
  readonly completed_at: string | null;
}

/** Prepares the statements. Each reads a few rows of an index, however many executions and nodes there are. */
export function prepareActivity(connection: Connection, ends: HourlyEnds): ReadActivity {
  const last = connection.prepare<[number], LastRow>(
    `SELECT id, status, accepted_at, completed_at FROM executions INDEXED BY executions_of_workflow
     WHERE workflow_id = ? ORDER BY accepted_at DESC, id DESC LIMIT 1`,
  );
  const lastFailed = connection
    .prepare<[number], string>(
      `SELECT id FROM executions INDEXED BY executions_of_workflow_ended_badly
       WHERE workflow_id = ? AND status = 'failed' ORDER BY accepted_at DESC, id DESC LIMIT 1`,
    )
    .pluck();
  const triggers = connection
    .prepare<[number], string>(
      `SELECT DISTINCT component_type FROM nodes INDEXED BY nodes_triggers
       WHERE workflow_id = ? AND component_type GLOB 'trigger_*' ORDER BY component_type`,
    )
    .pluck();
  const nextFire = connection
    .prepare<[number], string | null>('SELECT min(next_fire_at) FROM schedules WHERE workflow_id = ?')
    .pluck();

  function activityOf(workflowId: number, since: Instant): WorkflowActivity {
    const row = last.get(workflowId);
    return {
      workflowId,
      lastExecution: row === undefined ? null : lastExecution(row),
      lastFailedExecutionId: lastFailed.get(workflowId) ?? null,
      hours: ends.since(workflowId, since),
      triggerTypes: triggers.all(workflowId),
      nextFireAt: parseInstantOrNull(nextFire.get(workflowId) ?? null),
    };
  }

  return function* read({ workflowIds, since }) {
    const found: WorkflowActivity[] = [];
    for (const workflowId of workflowIds) {
      found.push(activityOf(workflowId, since));
      if (found.length % readAtOnce === 0) yield;
    }
    return found;
  };
}

function lastExecution({ id, status, accepted_at: acceptedAt, completed_at: completedAt }: LastRow): LastExecution {
  return { id, status, acceptedAt: parseInstant(acceptedAt), completedAt: parseInstantOrNull(completedAt) };
}

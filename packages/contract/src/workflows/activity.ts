import { type ExecutionStatus, executionStatuses, formatInstant, type Instant } from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';
import { pageOf } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';

const lastExecution = named(
  'LastExecution',
  z.object({
    execution_id: z.uuidv7(),
    status: z.enum(executionStatuses),
    accepted_at: timestamp,
    completed_at: timestamp.nullable(),
  }),
  { description: 'The newest execution of a workflow.' },
);

const hour = named(
  'ActivityHour',
  z.object({
    starts_at: timestamp.describe('The beginning of the hour.'),
    completed: z.int(),
    failed: z.int(),
    cancelled: z.int(),
  }),
  { description: 'How many executions ended in one hour. A retried execution counts each time it ends.' },
);

/** What a workflow did lately. */
const workflowActivity = named(
  'WorkflowActivity',
  z.object({
    workflow_id: z.int(),
    workflow_slug: z.string(),
    trigger_types: z.array(z.string()).describe('The node types of the triggers in the newest version.'),
    next_fire_at: timestamp.nullable().describe('When its next schedule fires; null if none is planned.'),
    last_execution: lastExecution.nullable(),
    last_failed_execution_id: z.uuidv7().nullable().describe('The newest failed execution.'),
    hours: z
      .array(hour)
      .describe('The current hour and the 23 before it, oldest first, without the hours in which no execution ended.'),
  }),
  {
    description: 'What a workflow did lately, and when it starts next.',
    example: {
      workflow_id: 5,
      workflow_slug: 'orders',
      trigger_types: ['trigger_schedule'],
      next_fire_at: '2026-01-31T13:00:00.000000',
      last_execution: {
        execution_id: '01980000-0000-7000-8000-000000000000',
        status: 'completed',
        accepted_at: '2026-01-31T12:00:00.000000',
        completed_at: '2026-01-31T12:00:00.125000',
      },
      last_failed_execution_id: null,
      hours: [{ starts_at: '2026-01-31T12:00:00.000000', completed: 3, failed: 0, cancelled: 0 }],
    },
  },
);

export const workflowActivityList = pageOf('WorkflowActivityList', workflowActivity);

interface Activity {
  readonly workflow: { readonly id: number; readonly slug: string };
  readonly triggerTypes: readonly string[];
  readonly nextFireAt: Instant | null;
  readonly lastExecution: {
    readonly id: string;
    readonly status: ExecutionStatus;
    readonly acceptedAt: Instant;
    readonly completedAt: Instant | null;
  } | null;
  readonly lastFailedExecutionId: string | null;
  readonly hours: readonly {
    readonly startsAt: Instant;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
  }[];
}

/** The activity of a workflow as the API shows it. */
export function presentWorkflowActivity(activity: Activity): z.infer<typeof workflowActivity> {
  const { workflow, lastExecution: last, nextFireAt } = activity;
  return {
    workflow_id: workflow.id,
    workflow_slug: workflow.slug,
    trigger_types: [...activity.triggerTypes],
    next_fire_at: nextFireAt === null ? null : formatInstant(nextFireAt),
    last_execution:
      last === null
        ? null
        : {
            execution_id: last.id,
            status: last.status,
            accepted_at: formatInstant(last.acceptedAt),
            completed_at: last.completedAt === null ? null : formatInstant(last.completedAt),
          },
    last_failed_execution_id: activity.lastFailedExecutionId,
    hours: activity.hours.map(({ startsAt, ...ends }) => ({ starts_at: formatInstant(startsAt), ...ends })),
  };
}

import { formatInstant, type Instant, type JsonObject, type Schedule, scheduleStates } from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';
import { pageOf } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';

/** The state of a node's schedule. */
export const scheduleJob = named(
  'ScheduleJob',
  z.object({
    status: z
      .enum([...scheduleStates, 'idle'])
      .describe('`idle`: started, but the workflow or the node is inactive, or its config has no future time.'),
    next_run_at: timestamp.nullable(),
    last_run_at: timestamp.nullable().describe('The last scheduled time, whether or not it started an execution.'),
    last_execution_id: z.uuidv7().nullable(),
    skipped_runs: z
      .int()
      .describe('The number of scheduled times that started no execution, because one was open or none could start.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last scheduled time could not start an execution; null if it could.'),
  }),
  {
    description:
      'The schedule of a `trigger_schedule` node. Only members of the workflow see which execution it started.',
  },
);

/** A schedule as the API shows it. */
export function presentSchedule(schedule: Schedule): z.infer<typeof scheduleJob> {
  const { state, nextFireAt, lastFireAt } = schedule;
  return {
    status: state === 'active' && nextFireAt === null ? 'idle' : state,
    next_run_at: nextFireAt === null ? null : formatInstant(nextFireAt),
    last_run_at: lastFireAt === null ? null : formatInstant(lastFireAt),
    last_execution_id: schedule.lastExecutionId,
    skipped_runs: schedule.skipped,
    last_error: schedule.error,
  };
}

/** The settings of a `trigger_schedule` node that decide when it fires. */
export const scheduleTimesRequest = named(
  'ScheduleTimesRequest',
  z.object({
    cron: z.string().max(500).optional(),
    interval_seconds: z.number().optional(),
    timezone: z.string().max(100).optional(),
  }),
  { description: 'The `cron` with its `timezone`, or the `interval_seconds`, of a schedule.' },
);

/** The next times of a schedule. */
export const scheduleTimes = named(
  'ScheduleTimes',
  z.object({ times: z.array(timestamp).describe('The next times, at most 5; empty if the schedule never fires.') }),
  { description: 'When a schedule would fire next.', example: { times: ['2026-03-20T09:00:00.000000'] } },
);

const listedSchedule = named(
  'ListedSchedule',
  z.object({
    workflow_slug: z.string(),
    workflow_name: z.string(),
    node_id: z.string().nullable().describe('The node; null if only the published version still has it.'),
    label: z.string().nullable().describe("The node's label."),
    cron: z.string().nullable(),
    interval_seconds: z.number().nullable(),
    timezone: z.string().nullable().describe('The time zone of `cron`; null for UTC.'),
    schedule_job: scheduleJob,
    next_times: z.array(timestamp).describe('The next times, at most 5; empty while it does not fire.'),
  }),
  {
    description: 'A schedule with its workflow and its next times.',
    example: {
      workflow_slug: 'orders',
      workflow_name: 'Orders',
      node_id: 'every_morning',
      label: null,
      cron: '0 9 * * *',
      interval_seconds: null,
      timezone: 'Europe/Berlin',
      schedule_job: {
        status: 'active',
        next_run_at: '2026-03-20T08:00:00.000000',
        last_run_at: null,
        last_execution_id: null,
        skipped_runs: 0,
        last_error: null,
      },
      next_times: ['2026-03-20T08:00:00.000000'],
    },
  },
);

export const scheduleList = pageOf('ScheduleList', listedSchedule);

/** A schedule with its place and its next times. */
interface UpcomingSchedule extends Schedule {
  readonly workflowSlug: string;
  readonly workflowName: string;
  readonly nodeId: string | null;
  readonly label: string | null;
  readonly timing: JsonObject | null;
  readonly times: readonly Instant[];
}

/** A listed schedule as the API shows it. */
export function presentListedSchedule(schedule: UpcomingSchedule): z.infer<typeof listedSchedule> {
  const { cron, interval_seconds: interval, timezone } = schedule.timing ?? {};
  return {
    workflow_slug: schedule.workflowSlug,
    workflow_name: schedule.workflowName,
    node_id: schedule.nodeId,
    label: schedule.label,
    cron: typeof cron === 'string' ? cron : null,
    interval_seconds: typeof interval === 'number' ? interval : null,
    timezone: typeof timezone === 'string' ? timezone : null,
    schedule_job: presentSchedule(schedule),
    next_times: schedule.times.map(formatInstant),
  };
}

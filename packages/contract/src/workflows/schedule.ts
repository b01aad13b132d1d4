import { formatInstant, type Schedule, scheduleStates } from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';
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

import { formatInstant, type Schedule, scheduleStates } from '@millrace/core';
import { z } from 'zod';
import { named } from '../base/named.ts';
import { timestamp } from '../base/timestamp.ts';

/** What the clock does with a node. */
export const scheduleJob = named(
  'ScheduleJob',
  z.object({
    status: z
      .enum([...scheduleStates, 'idle'])
      .describe(
        '`idle`: started, but the workflow or the node is inactive, or its config says no time that is to come.',
      ),
    next_run_at: timestamp.nullable(),
    last_run_at: timestamp.nullable().describe('The last time that came, whether or not it started an execution.'),
    last_execution_id: z.uuidv7().nullable(),
    skipped_runs: z.int().describe('Times that started nothing, because an execution was open or none could start.'),
    last_error: z.string().nullable().describe('Why the last time could start nothing; null when it could.'),
  }),
  {
    description: 'When a `trigger_schedule` node fires. What it started is shown to members of its workflow only.',
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

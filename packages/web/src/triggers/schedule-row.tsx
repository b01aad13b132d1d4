import { Link } from '@tanstack/react-router';
import type { ListedSchedule } from '../api/schedules.ts';
import { Notice } from '../ui/notice.tsx';
import { instantOf } from '../ui/time.ts';
import { ScheduleButtons, useScheduleActions } from './schedule-actions.tsx';
import { Moment, scheduleStates, timingText } from './schedule-text.tsx';

/** A schedule in the list of all: its workflow, its next times, and what can be done with it. */
export function ScheduleRow({ schedule }: { readonly schedule: ListedSchedule }) {
  const { workflow_slug: slug, workflow_name: workflow, node_id: nodeId, label, schedule_job: job } = schedule;
  const name = label ?? nodeId ?? 'Published version only';
  const actions = useScheduleActions({ slug, nodeId: nodeId ?? '', status: job.status });
  const [next, ...later] = schedule.next_times;
  return (
    <li className="flex flex-col gap-2 border-line px-4 py-3 not-last:border-b">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-52 flex-1">
          <Link to="/w/$slug/triggers" params={{ slug }} className="font-medium hover:underline">
            {workflow}
          </Link>
          <div className="text-[12px] text-muted">
            {name} · <span className="font-mono">{timingText(schedule)}</span>
          </div>
        </div>
        <div className="min-w-64 flex-[2] text-[13px]">
          {next === undefined ? scheduleStates[job.status] : <Moment at={next} />}
          {later.length > 0 && (
            <div className="text-[12px] text-muted">then {later.map((at) => shortTime(at)).join(' · ')}</div>
          )}
        </div>
        {nodeId !== null && (
          <div className="flex gap-2">
            <ScheduleButtons actions={actions} name={`${workflow}, ${name}`} />
          </div>
        )}
      </div>
      {actions.error !== null && <Notice kind="error">{actions.error.message}</Notice>}
      {job.last_error !== null && <Notice kind="warning">The last time: {job.last_error}</Notice>}
      {job.skipped_runs > 0 && (
        <p className="text-[12px] text-muted">
          Skipped {job.skipped_runs} times, because a run was still open or none could start
        </p>
      )}
    </li>
  );
}

/** A time in the zone of the person. */
function shortTime(at: string): string {
  const date = new Date(instantOf(at));
  return date.toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  });
}

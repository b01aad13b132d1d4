import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarClock } from 'lucide-react';
import { schedulesQuery } from '../api/schedules.ts';
import { ScheduleRow } from '../triggers/schedule-row.tsx';
import { buttonClasses } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';

/** The service returns at most this many schedules at once. */
const pageSize = 1000;

/** All schedules of the user's workflows, the next to fire first. */
export function SchedulesPage() {
  const { data, error, isPending } = useQuery(schedulesQuery({ limit: pageSize, offset: 0 }));
  return (
    <>
      <PageHeader title="Schedules" />
      <div className="flex flex-col gap-4 p-4 md:p-6">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isPending && <SkeletonRows rows={4} />}
        {data?.items.length === 0 && (
          <EmptyState
            icon={<CalendarClock size={32} aria-hidden="true" />}
            title="No schedules yet"
            action={
              <Link to="/workflows/new" className={buttonClasses('primary')}>
                New workflow
              </Link>
            }
          >
            A workflow with a Schedule trigger runs at fixed times, such as every morning at nine.
          </EmptyState>
        )}
        {data !== undefined && data.items.length > 0 && (
          <ul aria-label="Schedules" className="overflow-hidden rounded-card border border-line bg-surface">
            {data.items.map((schedule) => (
              <ScheduleRow key={`${schedule.workflow_slug} ${schedule.node_id}`} schedule={schedule} />
            ))}
          </ul>
        )}
        {data !== undefined && data.total > data.items.length && (
          <p className="text-[13px] text-muted">
            The next {data.items.length} of {data.total} schedules are shown.
          </p>
        )}
      </div>
    </>
  );
}

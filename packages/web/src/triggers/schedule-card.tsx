import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pause, Power, Zap } from 'lucide-react';
import { execute } from '../api/executions.ts';
import { type ScheduleAction, steerSchedule } from '../api/triggers.ts';
import { type WorkflowDetail, workflowQuery } from '../api/workflows.ts';
import type { GraphNode } from '../state/graph.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { instantOf } from '../ui/time.ts';
import { LastCalls } from './last-calls.tsx';
import { TriggerCard } from './trigger-card.tsx';

interface ScheduleCardProps {
  readonly workflow: WorkflowDetail;
  readonly node: GraphNode;
  readonly icon: string;
}

/** When a schedule fires next, and the buttons that start and pause it. */
export function ScheduleCard({ workflow, node, icon }: ScheduleCardProps) {
  const { schedule_job: job } = node;
  const cache = useQueryClient();
  const refresh = () => cache.invalidateQueries({ queryKey: workflowQuery(workflow.slug).queryKey });
  const steer = useMutation({
    mutationFn: (action: ScheduleAction) => steerSchedule(workflow.slug, node.node_id, action),
    onSettled: refresh,
  });
  const run = useMutation({
    mutationFn: () => execute(workflow.slug, { trigger: node.node_id }),
    onSettled: () => cache.invalidateQueries({ queryKey: ['executions'] }),
  });
  const isRunning = job?.status === 'active' || job?.status === 'idle';
  const error = steer.error ?? run.error;
  return (
    <TriggerCard
      node={node}
      icon={icon}
      kind={`Schedule: ${patternOf(node)}`}
      actions={
        <>
          <Button
            icon={<Zap size={15} aria-hidden="true" />}
            disabled={run.isPending}
            title="Runs it once, at once"
            onClick={() => run.mutate()}
          >
            Run now
          </Button>
          <Button
            icon={isRunning ? <Pause size={15} aria-hidden="true" /> : <Power size={15} aria-hidden="true" />}
            disabled={steer.isPending || job === null}
            onClick={() => steer.mutate(isRunning ? 'pause' : 'start')}
          >
            {isRunning ? 'Pause' : 'Start'}
          </Button>
        </>
      }
    >
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      {job !== null && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-[13px]">
          <dt className="text-muted">State</dt>
          <dd>{stateTexts[job.status]}</dd>
          <dt className="text-muted">Next</dt>
          <dd>{job.next_run_at === null ? 'Never' : <Moment at={job.next_run_at} />}</dd>
          <dt className="text-muted">Last</dt>
          <dd>{job.last_run_at === null ? 'Never' : <Moment at={job.last_run_at} />}</dd>
          {job.skipped_runs > 0 && (
            <>
              <dt className="text-muted">Skipped</dt>
              <dd>{job.skipped_runs} times, because a run was still open or none could start</dd>
            </>
          )}
        </dl>
      )}
      {typeof job?.last_error === 'string' && <Notice kind="warning">The last time: {job.last_error}</Notice>}
      <LastCalls slug={workflow.slug} triggerNodeId={node.node_id} noun="time" />
    </TriggerCard>
  );
}

const stateTexts = {
  active: 'Active',
  paused: 'Paused',
  stopped: 'Stopped',
  idle: 'Started, but the workflow or the trigger is inactive, or no time is left',
} as const;

/** A time in the zone of the person and in UTC, in which the service calculates. */
function Moment({ at }: { readonly at: string }) {
  const date = new Date(instantOf(at));
  return (
    <>
      <RelativeTime at={at} />{' '}
      <span className="text-muted">
        {date.toLocaleString()} here, {date.toISOString().slice(0, 16).replace('T', ' ')} UTC
      </span>
    </>
  );
}

function patternOf({ config }: GraphNode): string {
  const { cron, interval_seconds: interval, timezone } = config.extra_config as Readonly<Record<string, unknown>>;
  const zone = typeof timezone === 'string' && timezone !== '' ? ` in ${timezone}` : '';
  if (typeof cron === 'string' && cron !== '') return `${cron}${zone}`;
  return typeof interval === 'number' ? `every ${interval} s` : 'not set';
}

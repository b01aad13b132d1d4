import type { WorkflowDetail } from '../api/workflows.ts';
import type { GraphNode } from '../state/graph.ts';
import { Notice } from '../ui/notice.tsx';
import { LastCalls } from './last-calls.tsx';
import { ScheduleButtons, useScheduleActions } from './schedule-actions.tsx';
import { Moment, scheduleStates, timingText } from './schedule-text.tsx';
import { TriggerCard } from './trigger-card.tsx';

interface ScheduleCardProps {
  readonly workflow: WorkflowDetail;
  readonly node: GraphNode;
  readonly icon: string;
}

/** When a schedule fires next, and the buttons that start and pause it. */
export function ScheduleCard({ workflow, node, icon }: ScheduleCardProps) {
  const { schedule_job: job } = node;
  const actions = useScheduleActions({ slug: workflow.slug, nodeId: node.node_id, status: job?.status ?? null });
  return (
    <TriggerCard
      node={node}
      icon={icon}
      kind={`Schedule: ${timingText(node.config.extra_config)}`}
      actions={<ScheduleButtons actions={actions} />}
    >
      {actions.error !== null && <Notice kind="error">{actions.error.message}</Notice>}
      {job !== null && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-[13px]">
          <dt className="text-muted">State</dt>
          <dd>{scheduleStates[job.status]}</dd>
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

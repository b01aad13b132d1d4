import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Zap } from 'lucide-react';
import { useState } from 'react';
import { nodeTypesQuery } from '../../api/node-types.ts';
import { workflowQuery } from '../../api/workflows.ts';
import type { GraphNode } from '../../state/graph.ts';
import { newRunOverlay } from '../../state/run-overlay-context.ts';
import { useLiveWorkflow } from '../../state/use-live-workflow.ts';
import { ScheduleCard } from '../../triggers/schedule-card.tsx';
import { TriggerCard } from '../../triggers/trigger-card.tsx';
import { WebhookCard } from '../../triggers/webhook-card.tsx';
import { buttonClasses } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SkeletonRows } from '../../ui/skeleton-rows.tsx';
import { WorkflowHeader } from './workflow-header.tsx';

/** What starts a workflow: addresses to call, schedules with their next times, and whether they work now. */
export function TriggersPage() {
  const { slug } = useParams({ from: '/app/w/$slug/triggers' });
  const workflow = useQuery(workflowQuery(slug));
  const types = useQuery(nodeTypesQuery);
  const [overlay] = useState(newRunOverlay);
  useLiveWorkflow(slug, overlay);
  const triggers = workflow.data?.nodes.filter(({ component_type: type }) => type.startsWith('trigger_')) ?? [];
  return (
    <>
      <WorkflowHeader slug={slug} title={`Triggers of ${workflow.data?.name ?? slug}`} />
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        {workflow.error !== null && <Notice kind="error">{workflow.error.message}</Notice>}
        {workflow.data === undefined && workflow.error === null && <SkeletonRows rows={3} />}
        {workflow.data !== undefined && triggers.length === 0 && (
          <EmptyState
            icon={<Zap size={24} aria-hidden="true" />}
            title="Nothing starts this workflow"
            action={
              <Link to="/w/$slug" params={{ slug }} className={buttonClasses('primary')}>
                Open the editor
              </Link>
            }
          >
            Add a trigger on the canvas: a webhook, a schedule, a chat, or a button.
          </EmptyState>
        )}
        {workflow.data !== undefined &&
          triggers.map((node) => {
            const icon = types.data?.[node.component_type]?.icon ?? '';
            const props = { workflow: workflow.data, node, icon };
            if (node.component_type === 'trigger_webhook') return <WebhookCard key={node.id} {...props} />;
            if (node.component_type === 'trigger_schedule') return <ScheduleCard key={node.id} {...props} />;
            const kind = types.data?.[node.component_type]?.label ?? node.component_type;
            return (
              <TriggerCard key={node.id} node={node} icon={icon} kind={kind}>
                <OtherTrigger slug={slug} node={node} />
              </TriggerCard>
            );
          })}
      </div>
    </>
  );
}

/** How a trigger without an address or a time is started. */
function OtherTrigger({ slug, node: { component_type: type } }: { readonly slug: string; readonly node: GraphNode }) {
  const texts: Readonly<Record<string, string>> = {
    trigger_manual: 'The Run button of the editor starts it, and POST …/execute/.',
    trigger_workflow: 'Other workflows start it with a Subworkflow node.',
    trigger_error: 'It starts when a run of a workflow fails that names this one as its error handler.',
    trigger_chat: 'A message in the chat starts it.',
    trigger_chat_bot: 'A message to its bot starts it. If the bot receives none, the problems of the workflow say why.',
    trigger_git: 'Signed events that a git host delivers to this address start it:',
  };
  return (
    <p className="text-[13px] text-muted">
      {texts[type] ?? 'The editor starts it.'}{' '}
      {type === 'trigger_manual' && (
        <code className="text-[12px]">{`${location.origin}/api/v1/workflows/${slug}/execute/`}</code>
      )}
      {type === 'trigger_git' && <code className="text-[12px]">{`${location.origin}/api/v1/webhooks/${slug}`}</code>}
    </p>
  );
}

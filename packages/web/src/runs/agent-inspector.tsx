import type { ExecutionDetail } from '../api/executions.ts';
import type { AgentPlace, Conversation } from '../conversation/conversation.ts';
import { ConversationView } from '../conversation/conversation-view.tsx';
import { StepStatusText } from '../ui/status.tsx';

interface AgentInspectorProps {
  readonly execution: ExecutionDetail;
  readonly place: AgentPlace;
  readonly conversations: readonly Conversation[];
}

/** An agent in progress: it has no log entry before it ends, but its calls have. */
export function AgentInspector({ execution, place, conversations }: AgentInspectorProps) {
  const isWaiting = execution.status === 'interrupted' || execution.status === 'waiting';
  return (
    <section aria-label={`Step ${place.nodeId}`} className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-4 py-3">
        <h2 className="min-w-0 flex-1 truncate font-semibold text-[16px]">
          {place.nodeId}
          {place.frame !== '' && <span className="font-normal text-[13px] text-muted"> in {place.frame}</span>}
        </h2>
        <StepStatusText status={isWaiting ? 'waiting' : 'running'} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">
        <ConversationView execution={execution} place={place} conversations={conversations} />
      </div>
    </section>
  );
}

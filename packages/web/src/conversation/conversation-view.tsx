import type { ExecutionDetail } from '../api/executions.ts';
import { LongText } from '../values/long-text.tsx';
import { BudgetBars } from './budget-bars.tsx';
import type { AgentPlace, Conversation } from './conversation.ts';
import { ModelCall } from './model-call.tsx';
import { ToolCall } from './tool-call.tsx';
import { useStreamedCall } from './use-streamed-call.ts';

interface ConversationViewProps {
  readonly execution: ExecutionDetail;
  readonly place: AgentPlace;
  /** The attempts of the agent. */
  readonly conversations: readonly Conversation[];
}

/** What an agent was asked, and each call of its model and its tools, in order. */
export function ConversationView({ execution, place, conversations }: ConversationViewProps) {
  const isOpen = execution.completed_at === null;
  const streamed = useStreamedCall(execution.execution_id, place);
  return (
    <div className="flex flex-col gap-6">
      {conversations.map((conversation, at) => (
        <section
          key={conversation.attempt}
          aria-label={conversations.length === 1 ? 'Conversation' : `Conversation of attempt ${conversation.attempt}`}
          className="flex flex-col gap-3"
        >
          {conversations.length > 1 && <h3 className="font-medium text-[13px]">Attempt {conversation.attempt}</h3>}
          {isAgentWithTools(conversation) && (
            <BudgetBars execution={execution} nodeId={place.nodeId} conversation={conversation} />
          )}
          {conversation.system !== '' && <Message title="Instructions" text={conversation.system} />}
          {conversation.question !== null && <Message title="Question" text={conversation.question} />}
          <ol className="flex flex-col gap-3">
            {conversation.rounds.map(({ model, tools }) => (
              <li key={model.index} className="flex flex-col gap-2">
                <ModelCall
                  execution={execution}
                  step={model}
                  streamed={at === conversations.length - 1 && streamed?.call === model.index ? streamed.text : ''}
                />
                {tools.length > 0 && (
                  <ol aria-label="Calls of tools" className="ml-3 flex flex-col gap-2 border-line border-l-2 pl-3">
                    {tools.map((tool) => (
                      <li key={tool.id}>
                        <ToolCall execution={execution} call={tool} canStillBegin={isOpen} />
                      </li>
                    ))}
                  </ol>
                )}
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

/** Limits apply only to agents that make calls: those without tools ask their model once, in their own step. */
function isAgentWithTools({ rounds }: Conversation): boolean {
  return rounds.some(({ model }) => model.frame.endsWith(']') && model.log?.metadata.agent !== undefined);
}

function Message({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div className="flex flex-col gap-1">
      <h4 className="font-medium text-[12px] text-muted">{title}</h4>
      <LongText text={text} label={title} />
    </div>
  );
}

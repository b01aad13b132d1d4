import { Brain } from 'lucide-react';
import { type ExecutionDetail, executionLogQuery } from '../api/executions.ts';
import { CallApproval } from '../inbox/call-approval.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { CallError } from './call-error.tsx';
import { CallHeader } from './call-header.tsx';
import { questionOf } from './call-question.ts';
import type { ModelStep } from './conversation.ts';
import { SentPrompt } from './sent-prompt.tsx';

interface ModelCallProps {
  readonly execution: ExecutionDetail;
  readonly step: ModelStep;
  /** What the model has written so far. */
  readonly streamed: string;
}

/** A call of the model: its answer, and what it was sent. */
export function ModelCall({ execution, step, streamed }: ModelCallProps) {
  const { log, text, frame, nodeId } = step;
  const answer = log === null || log.status === 'waiting' ? streamed : text;
  // An agent without tools calls its model in its own step.
  const question = questionOf(execution, step);
  const isOwnStep = log !== null && log.metadata.agent === undefined;
  return (
    <article className="flex flex-col gap-1.5 rounded-control border border-line bg-raised px-3 py-2">
      <CallHeader
        executionId={execution.execution_id}
        step={step}
        icon={<Brain size={14} aria-hidden="true" />}
        title={isOwnStep ? 'Model' : `${nodeId}, call ${frameNumber(frame)}`}
      />
      {log?.error !== null && log?.error !== undefined && <CallError text={log.error} code={log.error_code} />}
      {question !== null && (
        <>
          <p className="text-[13px]">{question.prompt}</p>
          <CallApproval question={question} name={nodeId} />
        </>
      )}
      {answer !== '' && (
        <div className="text-[13px]">
          <Markdown text={answer} />
        </div>
      )}
      {log !== null && !isOwnStep && <SentPrompt query={executionLogQuery(execution.execution_id, log.id)} />}
    </article>
  );
}

/** As in the timeline, which counts the calls from 1. */
function frameNumber(frame: string): number {
  return Number(/\[(\d+)\]$/.exec(frame)?.[1] ?? 0) + 1;
}

import { Wrench } from 'lucide-react';
import type { ExecutionDetail } from '../api/executions.ts';
import { CallApproval } from '../inbox/call-approval.tsx';
import { LongText, valueText } from '../values/long-text.tsx';
import { CallHeader } from './call-header.tsx';
import { questionOf } from './call-question.ts';
import type { ToolStep } from './conversation.ts';

interface ToolCallProps {
  readonly execution: ExecutionDetail;
  readonly call: ToolStep;
  /** Whether a call without a step may still get one. */
  readonly canStillBegin: boolean;
}

/** A call of a tool: its arguments, the question to a person, and the result as the model read it. */
export function ToolCall({ execution, call, canStillBegin }: ToolCallProps) {
  const { name, step, arguments: args, seen } = call;
  const question = questionOf(execution, step);
  return (
    <article className="flex flex-col gap-1.5 rounded-control border border-line bg-surface px-3 py-2">
      <CallHeader
        executionId={execution.execution_id}
        step={step}
        icon={<Wrench size={14} aria-hidden="true" />}
        title={step === null || step.nodeId === name ? name : `${name} (${step.nodeId})`}
        state={seen === null && canStillBegin ? 'not begun yet' : 'not made'}
      />
      <Part title="Arguments" text={valueText(args)} />
      {question !== null && <CallApproval question={question} name={name} />}
      <Result call={call} />
    </article>
  );
}

function Result({ call: { step, seen } }: Pick<ToolCallProps, 'call'>) {
  const log = step?.log ?? null;
  if (seen !== null) {
    return (
      <Part
        title={seen.isError ? 'Error for the model' : 'Result for the model'}
        text={seen.content}
        isError={seen.isError}
      />
    );
  }
  // The model has not been called again: nothing was sent to it yet.
  if (log?.status === 'success') return <Part title="Result" text={valueText(log.output)} />;
  if (log?.status === 'failed' && log.error !== null) return <Part title="Error" text={log.error} isError />;
  return null;
}

interface PartProps {
  readonly title: string;
  readonly text: string;
  readonly isError?: boolean;
}

function Part({ title, text, isError = false }: PartProps) {
  return (
    <div className="flex flex-col gap-0.5">
      <h5 className={isError ? 'text-[12px] text-danger' : 'text-[12px] text-muted'}>{title}</h5>
      <LongText text={text} label={title} isCode />
    </div>
  );
}

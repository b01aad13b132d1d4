import { useId } from 'react';
import type { Question } from '../api/questions.ts';
import { LongText, valueText } from '../values/long-text.tsx';
import { askedCall } from './asked-call.ts';
import { CallApproval } from './call-approval.tsx';

/** A question with its answers, in the flow of another page. */
export function InlineQuestion({ question }: { readonly question: Question }) {
  const id = useId();
  const call = askedCall(question);
  return (
    <article aria-labelledby={id} className="flex flex-col gap-2 rounded-card border border-line bg-surface p-3">
      <h3 id={id} className="whitespace-pre-wrap break-words font-medium text-[14px]">
        {call === null ? question.prompt : `Run the tool ${call.tool}?`}
      </h3>
      {call !== null && <LongText text={valueText(call.arguments)} label="Arguments" isCode />}
      <CallApproval question={question} name={call?.tool ?? question.node_id} />
    </article>
  );
}

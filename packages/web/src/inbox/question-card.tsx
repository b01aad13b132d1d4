import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useId } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { LongText, valueText } from '../values/long-text.tsx';
import { AnswerForm } from './answer-form.tsx';
import { askedCall } from './asked-call.ts';
import { ClosedQuestion } from './closed-question.tsx';
import type { HeldQuestion } from './held-questions.ts';
import { useAnswer } from './use-answer.ts';

interface QuestionCardProps extends HeldQuestion {
  /** Removes a question that is closed from the page. */
  readonly onDismiss: () => void;
}

/** One question with a comment and the two answers. With the focus on the card, A approves and R declines. */
export function QuestionCard({ question, isOpen, onDismiss }: QuestionCardProps) {
  const id = useId();
  const answer = useAnswer(question);
  const isClosed = !isOpen || answer.isLate;
  const canAnswer = !(isClosed || answer.isPending || answer.isSuccess);
  const press = (event: KeyboardEvent): void => {
    const confirmed = { a: true, r: false }[event.key];
    if (event.target !== event.currentTarget || confirmed === undefined || !canAnswer) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    answer.give(confirmed);
  };
  return (
    <article
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={press}
      className="flex flex-col gap-3 rounded-card border border-line bg-surface p-4"
    >
      <QuestionFacts question={question} isOpen={!isClosed} />
      <QuestionText id={id} question={question} />
      {answer.isSuccess && (
        <Notice kind="info" action={<Button onClick={onDismiss}>Dismiss</Button>}>
          {answer.given} Your answer was stored.
        </Notice>
      )}
      {isClosed && !answer.isSuccess && (
        <ClosedQuestion question={question} wasAnswering={answer.error !== null} onDismiss={onDismiss} />
      )}
      {!isClosed && !answer.isSuccess && <AnswerForm answer={answer} />}
    </article>
  );
}

/** The question. That about a call has its arguments below it, where they are easier to read. */
function QuestionText({ id, question }: Pick<HeldQuestion, 'question'> & { readonly id: string }) {
  const call = askedCall(question);
  return (
    <>
      <h2 id={id} className="whitespace-pre-wrap break-words font-medium text-[16px] leading-6">
        {call === null ? question.prompt : `Run the tool ${call.tool}?`}
      </h2>
      {call !== null && <LongText text={valueText(call.arguments)} label="Arguments" isCode />}
    </>
  );
}

function QuestionFacts({ question, isOpen }: HeldQuestion) {
  const { workflow, node_id: node, frame, since, until, executionId } = question;
  const call = askedCall(question);
  return (
    <header className="flex flex-wrap gap-x-3 gap-y-0.5 text-[12px] text-muted">
      <Link to="/runs/$id" params={{ id: executionId }} className="font-medium text-accent hover:underline">
        {workflow}
      </Link>
      <span>
        {call !== null ? `asked for by the agent ${call.agent}` : frame === '' ? node : `${node} in ${frame}`}
      </span>
      {since !== null && (
        <span>
          asked <RelativeTime at={since} />
        </span>
      )}
      {isOpen && until !== null && (
        <span>
          default answer <RelativeTime at={until} />
        </span>
      )}
    </header>
  );
}

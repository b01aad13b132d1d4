import { ApiError } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, X } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { answerQuestion } from '../api/questions.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { ClosedQuestion } from './closed-question.tsx';
import type { HeldQuestion } from './held-questions.ts';

interface QuestionCardProps extends HeldQuestion {
  /** Removes a question that is closed from the page. */
  readonly onDismiss: () => void;
}

/** One question with a comment and the two answers. With the focus on the card, A approves and R declines. */
export function QuestionCard({ question, isOpen, onDismiss }: QuestionCardProps) {
  const id = useId();
  const cache = useQueryClient();
  const [comment, setComment] = useState('');
  const answer = useMutation({
    mutationFn: (confirmed: boolean) => answerQuestion(question, confirmed, comment.trim()),
    onSettled: () => cache.invalidateQueries({ queryKey: ['questions'] }),
  });
  const isClosed = !isOpen || (answer.error instanceof ApiError && answer.error.status === 409);
  const canAnswer = !(isClosed || answer.isPending || answer.isSuccess);
  const press = (event: KeyboardEvent): void => {
    const confirmed = { a: true, r: false }[event.key];
    if (event.target !== event.currentTarget || confirmed === undefined || !canAnswer) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    answer.mutate(confirmed);
  };
  return (
    <article
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={press}
      className="flex flex-col gap-3 rounded-card border border-line bg-surface p-4"
    >
      <QuestionFacts question={question} isOpen={!isClosed} />
      <h2 id={id} className="whitespace-pre-wrap break-words font-medium text-[16px] leading-6">
        {question.prompt}
      </h2>
      {answer.isSuccess && (
        <Notice kind="info" action={<Button onClick={onDismiss}>Dismiss</Button>}>
          {answer.variables ? 'Approved.' : 'Declined.'} Your answer was stored.
        </Notice>
      )}
      {isClosed && !answer.isSuccess && (
        <ClosedQuestion question={question} wasAnswering={answer.error !== null} onDismiss={onDismiss} />
      )}
      {!isClosed && !answer.isSuccess && (
        <>
          <textarea
            aria-label="Comment"
            placeholder="Comment (optional)"
            rows={2}
            maxLength={10_000}
            className={classes(inputClasses, 'h-auto py-2')}
            value={comment}
            onChange={({ target }) => setComment(target.value)}
          />
          {answer.error !== null && <Notice kind="error">{answer.error.message}</Notice>}
          <Answers isDisabled={answer.isPending} onAnswer={(confirmed) => answer.mutate(confirmed)} />
        </>
      )}
    </article>
  );
}

function QuestionFacts({ question, isOpen }: HeldQuestion) {
  const { workflow, node_id: node, frame, since, until, executionId } = question;
  return (
    <header className="flex flex-wrap gap-x-3 gap-y-0.5 text-[12px] text-muted">
      <Link to="/runs/$id" params={{ id: executionId }} className="font-medium text-accent hover:underline">
        {workflow}
      </Link>
      <span>{frame === '' ? node : `${node} in ${frame}`}</span>
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

interface AnswersProps {
  readonly isDisabled: boolean;
  readonly onAnswer: (confirmed: boolean) => void;
}

function Answers({ isDisabled, onAnswer }: AnswersProps) {
  return (
    <div className="flex gap-3">
      <Button
        kind="primary"
        className="max-md:h-11 max-md:flex-1"
        icon={<Check size={15} aria-hidden="true" />}
        disabled={isDisabled}
        onClick={() => onAnswer(true)}
      >
        Approve
      </Button>
      <Button
        kind="danger"
        className="max-md:h-11 max-md:flex-1"
        icon={<X size={15} aria-hidden="true" />}
        disabled={isDisabled}
        onClick={() => onAnswer(false)}
      >
        Decline
      </Button>
    </div>
  );
}

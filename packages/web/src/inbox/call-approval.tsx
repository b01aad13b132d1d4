import type { Question } from '../api/questions.ts';
import { Notice } from '../ui/notice.tsx';
import { AnswerForm } from './answer-form.tsx';
import { useAnswer } from './use-answer.ts';

interface CallApprovalProps {
  readonly question: Question;
  /** The tool or the node that waits, for screen readers. */
  readonly name: string;
}

/** The answers to a question where what it is about is shown. */
export function CallApproval({ question, name }: CallApprovalProps) {
  const answer = useAnswer(question);
  if (answer.isSuccess) return <Notice kind="info">{answer.given} The run continues.</Notice>;
  if (answer.isLate) return <Notice kind="warning">This question is no longer open.</Notice>;
  return (
    <section aria-label={`Approve ${name}`} className="flex flex-col gap-2">
      <AnswerForm answer={answer} />
    </section>
  );
}

import type { Question } from '../api/questions.ts';
import { Notice } from '../ui/notice.tsx';
import { AnswerForm } from './answer-form.tsx';
import { useAnswer } from './use-answer.ts';

interface CallApprovalProps {
  readonly question: Question;
  /** The tool that waits, for screen readers. */
  readonly name: string;
}

/** Approves or declines the call of a tool where its arguments are shown. */
export function CallApproval({ question, name }: CallApprovalProps) {
  const answer = useAnswer(question);
  if (answer.isSuccess) return <Notice kind="info">{answer.given} The agent continues.</Notice>;
  if (answer.isLate) return <Notice kind="warning">This call does not wait for an answer any more.</Notice>;
  return (
    <section aria-label={`Approve the call of ${name}`} className="flex flex-col gap-2">
      <AnswerForm answer={answer} />
    </section>
  );
}

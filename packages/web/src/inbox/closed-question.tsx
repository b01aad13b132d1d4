import { useQuery } from '@tanstack/react-query';
import { closedQuestionQuery, type Question } from '../api/questions.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { type EarlierAnswer, earlierAnswer } from './earlier-answer.ts';

interface ClosedQuestionProps {
  readonly question: Question;
  /** Whether this person's answer came too late. */
  readonly wasAnswering: boolean;
  readonly onDismiss: () => void;
}

/** Says who answered a question before, and when. */
export function ClosedQuestion({ question, wasAnswering, onDismiss }: ClosedQuestionProps) {
  const { data } = useQuery(closedQuestionQuery(question, (logs) => earlierAnswer(logs, question)));
  return (
    <Notice kind="warning" action={<Button onClick={onDismiss}>Dismiss</Button>}>
      {data === undefined || data === null ? 'This question is no longer open.' : <AnswerText answer={data} />}
      {wasAnswering && ' Your answer was not stored.'}
    </Notice>
  );
}

function AnswerText({ answer: { confirmed, by, at } }: { readonly answer: EarlierAnswer }) {
  const word = confirmed ? 'approved' : 'declined';
  if (by === null) return <>Nobody answered in time, so the default answer was used: {word}.</>;
  return (
    <>
      Already {word} by {by} <RelativeTime at={at} />.
    </>
  );
}

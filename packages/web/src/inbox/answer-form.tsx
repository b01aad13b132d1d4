import { Check, X } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { inputClasses } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import type { Answer } from './use-answer.ts';

/** A comment and the two answers to a question. */
export function AnswerForm({ answer }: { readonly answer: Answer }) {
  const { comment, setComment, give, isPending, error } = answer;
  return (
    <>
      <textarea
        aria-label="Comment"
        placeholder="Comment (optional)"
        rows={2}
        className={classes(inputClasses, 'h-auto py-2')}
        value={comment}
        onChange={({ target }) => setComment(target.value)}
      />
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      <div className="flex gap-3">
        <Button
          kind="primary"
          className="max-md:h-11 max-md:flex-1"
          icon={<Check size={15} aria-hidden="true" />}
          disabled={isPending}
          onClick={() => give(true)}
        >
          Approve
        </Button>
        <Button
          kind="danger"
          className="max-md:h-11 max-md:flex-1"
          icon={<X size={15} aria-hidden="true" />}
          disabled={isPending}
          onClick={() => give(false)}
        >
          Decline
        </Button>
      </div>
    </>
  );
}

import { ApiError } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerQuestion, type Question } from '../api/questions.ts';

/** The answer of a person to a question, while it is written and after it was sent. */
export interface Answer {
  readonly comment: string;
  readonly setComment: (comment: string) => void;
  readonly give: (confirmed: boolean) => void;
  readonly isPending: boolean;
  readonly isSuccess: boolean;
  /** The answer that was stored, in words. */
  readonly given: string;
  /** Somebody else was faster, or the run needs no answer any more. */
  readonly isLate: boolean;
  readonly error: Error | null;
}

export function useAnswer(question: Question): Answer {
  const cache = useQueryClient();
  const [comment, setComment] = useState('');
  const { mutate, error, isPending, isSuccess, variables } = useMutation({
    mutationFn: (confirmed: boolean) => answerQuestion(question, confirmed, comment.trim()),
    onSettled: () => cache.invalidateQueries({ queryKey: ['questions'] }),
  });
  const isLate = error instanceof ApiError && error.status === 409;
  const given = variables === true ? 'Approved.' : 'Declined.';
  return { comment, setComment, give: mutate, isPending, isSuccess, given, isLate, error };
}

import { useQuery } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';
import { useRef } from 'react';
import { questionsQuery } from '../api/questions.ts';
import { keyOf } from '../inbox/held-questions.ts';
import { QuestionCard } from '../inbox/question-card.tsx';
import { useCardKeys } from '../inbox/use-card-keys.ts';
import { useHeldQuestions } from '../inbox/use-held-questions.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { SkeletonRows } from '../ui/skeleton-rows.tsx';

const none = [] as const;

/** The open questions of all workflows that the user may read, the oldest first. */
export function InboxPage() {
  const { data, error, isPending } = useQuery(questionsQuery);
  const { held, dismiss } = useHeldQuestions(data?.questions ?? none);
  const list = useRef<HTMLDivElement>(null);
  useCardKeys(list);
  return (
    <>
      <PageHeader title="Inbox" />
      <div ref={list} className="flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isPending && <SkeletonRows rows={3} />}
        {data !== undefined && held.length === 0 && (
          <EmptyState icon={<Inbox size={32} aria-hidden="true" />} title="Nothing waits for you">
            A question appears here when a run reaches a Human Confirmation, or a node that asks before or after it
            runs.
          </EmptyState>
        )}
        {held.length > 1 && (
          <p className="text-[12px] text-muted max-md:hidden">
            J and K go to the next and the previous question, A approves, R declines.
          </p>
        )}
        {held.map(({ question, isOpen }) => (
          <QuestionCard key={keyOf(question)} question={question} isOpen={isOpen} onDismiss={() => dismiss(question)} />
        ))}
        {data !== undefined && data.executions > 50 && (
          <p className="text-muted">The questions of the 50 newest of {data.executions} runs are shown.</p>
        )}
      </div>
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { waitingCountQuery } from '../api/questions.ts';
import { useWaitingInTitle } from '../ui/assistive/page-title.tsx';

/** The number of runs that wait for a person, also in the title of the window; nothing if there are none. */
export function InboxCount() {
  const { data = 0 } = useQuery(waitingCountQuery);
  useWaitingInTitle(data);
  if (data === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-accent px-1.5 text-[11px] text-on-accent tabular-nums leading-[18px] max-md:absolute max-md:top-0 max-md:right-0">
      {data > 99 ? '99+' : data}
      <span className="sr-only"> waiting</span>
    </span>
  );
}

import { useEffect } from 'react';

/** What the title of the window consists of. */
const parts = { page: '', waiting: 0 };

function show(): void {
  const { page, waiting } = parts;
  document.title = `${waiting === 0 ? '' : `(${waiting}) `}${page === '' ? '' : `${page} · `}Millrace`;
}

/** Names the page in the title of the window, for its tab, the history and screen readers. */
export function usePageTitle(page: string): void {
  useEffect(() => {
    parts.page = page;
    show();
    return () => {
      if (parts.page === page) parts.page = '';
    };
  }, [page]);
}

/** Shows the number of runs that wait for a person in the title of the window. */
export function useWaitingInTitle(waiting: number): void {
  useEffect(() => {
    parts.waiting = waiting;
    show();
  }, [waiting]);
}

/** The same as an element, for a page whose heading depends on what it reads. */
export function PageTitle({ text }: { readonly text: string }) {
  usePageTitle(text);
  return null;
}

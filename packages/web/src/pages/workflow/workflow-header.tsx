import { Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePageTitle } from '../../ui/assistive/page-title.tsx';

interface WorkflowHeaderProps {
  readonly slug: string;
  readonly title: string;
  /** The actions of the page; on a narrow screen they may take a second line. */
  readonly children?: ReactNode;
}

/** The title of a page that belongs to one workflow, with the way back to its editor. */
export function WorkflowHeader({ slug, title, children }: WorkflowHeaderProps) {
  usePageTitle(title);
  return (
    <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-2 border-line border-b bg-surface px-3 py-2">
      <Link
        to="/w/$slug"
        params={{ slug }}
        aria-label="Back to the editor"
        className="flex size-8 items-center justify-center rounded-control text-muted hover:bg-hover"
      >
        <ChevronLeft size={18} aria-hidden="true" />
      </Link>
      <h1 className="min-w-0 flex-1 truncate font-semibold text-[16px]">{title}</h1>
      {children}
    </header>
  );
}

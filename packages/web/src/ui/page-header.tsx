import type { ReactNode } from 'react';
import { usePageTitle } from './assistive/page-title.tsx';

interface PageHeaderProps {
  readonly title: string;
  /** The actions of the page. */
  readonly children?: ReactNode;
}

/** The title of a page with its actions. */
export function PageHeader({ title, children }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <header className="flex min-h-14 items-center gap-3 border-line border-b bg-surface px-4 md:px-6">
      <h1 className="min-w-0 flex-1 truncate font-semibold text-[20px] leading-7">{title}</h1>
      {children}
    </header>
  );
}

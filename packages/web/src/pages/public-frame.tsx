import type { ReactNode } from 'react';
import { PageTitle } from '../ui/assistive/page-title.tsx';
import { Logo } from '../ui/logo.tsx';

interface PublicFrameProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** The frame of the pages before a login: one column in the middle. */
export function PublicFrame({ title, children }: PublicFrameProps) {
  return (
    <main className="flex min-h-dvh items-center justify-center px-4 py-10">
      <div className="w-full max-w-sm rounded-dialog border border-line bg-surface p-8 shadow-sm">
        <Logo size={40} />
        <PageTitle text={title} />
        <h1 className="mt-4 mb-6 font-semibold text-[20px] leading-7">{title}</h1>
        {children}
      </div>
    </main>
  );
}

import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** What a list shows when it has no rows: why, and what to do next. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-card border border-line border-dashed bg-surface px-6 py-14 text-center">
      <div className="text-muted">{icon}</div>
      <h2 className="font-semibold text-[16px]">{title}</h2>
      <p className="max-w-md text-muted">{children}</p>
      {action !== undefined && <div className="mt-3 flex gap-2">{action}</div>}
    </div>
  );
}

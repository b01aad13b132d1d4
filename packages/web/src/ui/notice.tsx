import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

const kinds = {
  info: { Icon: Info, look: 'bg-accent-soft text-ink', icon: 'text-accent' },
  warning: { Icon: TriangleAlert, look: 'bg-warning-soft text-ink', icon: 'text-warning' },
  error: { Icon: CircleAlert, look: 'bg-danger-soft text-ink', icon: 'text-danger' },
} as const;

interface NoticeProps {
  readonly kind: keyof typeof kinds;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** A message in the flow of a page. Errors are announced at once. */
export function Notice({ kind, children, action }: NoticeProps) {
  const { Icon, look, icon } = kinds[kind];
  return (
    <div
      role={kind === 'error' ? 'alert' : 'status'}
      className={classes('flex items-start gap-2 rounded-control px-3 py-2 text-[13px]', look)}
    >
      <Icon size={16} className={classes('mt-0.5 shrink-0', icon)} aria-hidden="true" />
      <div className="min-w-0 flex-1 break-words">{children}</div>
      {action}
    </div>
  );
}

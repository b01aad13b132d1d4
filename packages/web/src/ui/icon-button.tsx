import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'children'> {
  /** The name of the button, also shown as its tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
}

/** A button with an icon only. Its target is 28 px. */
export function IconButton({ label, icon, className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classes(
        'inline-flex size-7 shrink-0 items-center justify-center rounded-control text-muted transition-colors',
        'hover:bg-hover hover:text-ink disabled:opacity-40 aria-pressed:bg-accent-soft aria-pressed:text-accent',
        className,
      )}
      {...props}
    >
      {icon}
    </button>
  );
}

import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';

const kinds = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-raised text-ink hover:bg-hover border-line',
  quiet: 'bg-transparent text-ink hover:bg-hover border-transparent',
  danger: 'bg-raised text-danger hover:bg-danger-soft border-line',
} as const;

interface ButtonProps extends Omit<ComponentProps<'button'>, 'type'> {
  readonly kind?: keyof typeof kinds;
  readonly type?: 'button' | 'submit';
  readonly icon?: ReactNode;
}

/** A button with a text. Its target is 32 px high. */
export function Button({ kind = 'plain', type = 'button', icon, className, children, ...props }: ButtonProps) {
  return (
    <button type={type} className={classes(buttonClasses(kind), className)} {...props}>
      {icon}
      {children}
    </button>
  );
}

/** The look of a button, for links that look like one. */
export function buttonClasses(kind: keyof typeof kinds = 'plain'): string {
  return classes(
    'inline-flex h-8 items-center justify-center gap-1.5 rounded-control border px-3 font-medium text-[13px] whitespace-nowrap',
    'transition-colors disabled:opacity-50',
    kinds[kind],
  );
}

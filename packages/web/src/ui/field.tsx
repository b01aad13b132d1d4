import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.ts';

/** The look of a text input. */
export const inputClasses =
  'h-9 w-full rounded-control border border-line-strong bg-surface px-2.5 text-[14px] text-ink placeholder:text-muted aria-invalid:border-danger';

/** The look of a list of options. */
export const selectClasses = `${inputClasses} select`;

interface TextFieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Why the value is invalid. */
  readonly error?: string | null;
}

/** A labelled text input with a hint and an error. */
export function TextField({ label, hint, error = null, className, ...props }: TextFieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== null && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={classes('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium text-[13px]">
        {label}
      </label>
      <input
        id={id}
        className={inputClasses}
        aria-invalid={error !== null}
        {...(described !== '' && { 'aria-describedby': described })}
        {...props}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-[12px] text-muted leading-4">
          {hint}
        </p>
      )}
      {error !== null && (
        <p id={`${id}-error`} className="text-[12px] text-danger leading-4">
          {error}
        </p>
      )}
    </div>
  );
}

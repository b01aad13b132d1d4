import { type ReactNode, useId } from 'react';
import { classes } from '../ui/classes.ts';

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
}

/** One group of settings. */
export function Section({ title, description, isDangerous = false, children }: SectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={classes(
        'flex flex-col gap-4 rounded-card border bg-surface p-4 md:p-5',
        isDangerous ? 'border-danger' : 'border-line',
      )}
    >
      <div>
        <h2 id={id} className="font-semibold text-[16px] leading-6">
          {title}
        </h2>
        {description !== undefined && <p className="text-[13px] text-muted">{description}</p>}
      </div>
      {children}
    </section>
  );
}

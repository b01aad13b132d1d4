import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { classes } from '../ui/classes.ts';

interface CopyButtonProps {
  /** What the button copies, as its text says. */
  readonly label: string;
  /** Called when it is pressed: a large value is written as text only then. */
  readonly text: () => string;
  readonly className?: string;
}

/** How long the button says that it has copied. */
const shownMs = 1500;

/** Copies a text to the clipboard and says so. */
export function CopyButton({ label, text, className }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), shownMs);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setState('copied');
    } catch {
      // Browsers allow it only on pages of a secure origin.
      setState('failed');
    }
  };
  const Icon = state === 'copied' ? Check : Copy;
  return (
    <button
      type="button"
      onClick={() => void copy()}
      className={classes(
        'inline-flex h-7 items-center gap-1.5 whitespace-nowrap rounded-control px-2 text-[12px] text-muted hover:bg-hover hover:text-ink',
        className,
      )}
    >
      <Icon size={13} className={classes(state === 'copied' && 'text-success')} aria-hidden="true" />
      <span aria-live="polite">{state === 'idle' ? label : state === 'copied' ? 'Copied' : 'Not allowed here'}</span>
    </button>
  );
}

import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { classes } from './classes.ts';

interface DialogProps {
  readonly title: string;
  /** What the dialog is for, below its title. */
  readonly description?: ReactNode;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly children: ReactNode;
  /** The buttons at the end. */
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  /** What gets the focus when the dialog opens; by default the button that closes it. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
}

/** A dialog over the page: title, content that scrolls, buttons. */
export function Dialog({
  title,
  description,
  isOpen,
  onOpenChange,
  children,
  actions,
  isWide,
  initialFocus,
}: DialogProps) {
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/30" />
        <BaseDialog.Popup
          {...(initialFocus !== undefined && { initialFocus })}
          className={classes(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[min(46rem,calc(100dvh-2rem))] -translate-x-1/2 -translate-y-1/2 flex-col rounded-dialog border border-line bg-raised shadow-xl outline-none',
            isWide ? 'w-[min(48rem,calc(100vw-1.5rem))]' : 'w-[min(32rem,calc(100vw-1.5rem))]',
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <BaseDialog.Title className="font-semibold text-[16px] leading-6">{title}</BaseDialog.Title>
              {description !== undefined && (
                <BaseDialog.Description className="mt-0.5 text-[13px] text-muted">{description}</BaseDialog.Description>
              )}
            </div>
            <BaseDialog.Close
              aria-label="Close"
              className="flex size-8 shrink-0 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
            >
              <X size={16} aria-hidden="true" />
            </BaseDialog.Close>
          </header>
          <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-5 pb-4">{children}</div>
          {actions !== undefined && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-line border-t px-5 py-3">
              {actions}
            </footer>
          )}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

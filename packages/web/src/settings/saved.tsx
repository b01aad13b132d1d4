import { Check } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

interface SaveButtonProps {
  readonly state: { readonly isPending: boolean; readonly isSuccess: boolean; readonly error: Error | null };
  readonly text?: string;
  /** Whether the form contains something that is not saved. */
  readonly isChanged?: boolean;
}

/** The button at the end of a form, and the result of the last save. */
export function SaveButton({
  state: { isPending, isSuccess, error },
  text = 'Save',
  isChanged = false,
}: SaveButtonProps) {
  return (
    <div className="flex flex-col gap-3">
      {error !== null && <Notice kind="error">{error.message}</Notice>}
      <div className="flex items-center gap-3">
        <Button kind="primary" type="submit" disabled={isPending}>
          {text}
        </Button>
        <span role="status" className="inline-flex items-center gap-1 text-[13px] text-muted">
          {isChanged && !isPending && 'Not saved yet'}
          {isSuccess && !isChanged && (
            <>
              <Check size={14} className="text-success" aria-hidden="true" /> Saved
            </>
          )}
        </span>
      </div>
    </div>
  );
}

import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { BothValues } from './both-values.tsx';
import type { ContestedField } from './contested-fields.ts';
import type { Contest } from './use-checked-save.ts';

interface ContestNoticeProps {
  readonly contest: Contest | null;
  /** What a field is called in the form. */
  readonly nameOf: (path: string) => string;
  /** The text of a value; a secret has none. */
  readonly shown?: (field: ContestedField) => Pick<ContestedField, 'mine' | 'theirs'>;
  /** Called when the edit is stored after the decision. */
  readonly onDecided?: () => void;
}

/** The fields that somebody else has changed since the edit began, and the choice of which values stay. */
export function ContestNotice({ contest, nameOf, shown = (field) => field, onDecided }: ContestNoticeProps) {
  if (contest === null) return null;
  const { fields, isPending, decide } = contest;
  const choose = async (isMine: boolean): Promise<void> => {
    if (await decide(isMine)) onDecided?.();
  };
  return (
    <section aria-label="Conflict">
      <Notice kind="warning">
        <strong className="font-semibold">Nothing was saved.</strong> Somebody else has changed the same meanwhile.
        <div className="mt-2 flex flex-col gap-2">
          {fields.map((field) => (
            <BothValues key={field.path} name={nameOf(field.path)} {...shown(field)} />
          ))}
        </div>
        <div className="mt-2 grid grid-cols-2 justify-items-start gap-2 max-sm:justify-items-stretch">
          <Button disabled={isPending} onClick={() => void choose(true)}>
            Keep mine
          </Button>
          <Button disabled={isPending} onClick={() => void choose(false)}>
            Take theirs
          </Button>
        </div>
      </Notice>
    </section>
  );
}

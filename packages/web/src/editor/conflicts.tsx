import type { Conflict } from '../state/draft/draft.ts';
import type { DraftStore } from '../state/draft/draft-store.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** Edits that could not be saved as they were made, because somebody else changed the same things. */
export function Conflicts({
  conflicts,
  store,
}: {
  readonly conflicts: readonly Conflict[];
  readonly store: DraftStore;
}) {
  return conflicts.map(({ id, label, reasons }) => (
    <div key={id} className="px-3 pt-3">
      <Notice
        kind="warning"
        action={
          <span className="flex shrink-0 gap-2">
            <Button onClick={() => store.attemptAgain(id)}>Try again</Button>
            <Button kind="quiet" onClick={() => store.dismiss(id)}>
              Dismiss
            </Button>
          </span>
        }
      >
        <strong className="font-semibold">“{label}” was not saved.</strong> {reasons.join(' ')}
      </Notice>
    </div>
  ));
}

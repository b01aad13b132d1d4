import { findNode } from '@millrace/core/editing';
import { BothValues, OwnValue } from '../edits/both-values.tsx';
import { lostValues } from '../state/draft/conflicts.ts';
import type { ContestedValue } from '../state/draft/contested.ts';
import type { Conflict } from '../state/draft/draft.ts';
import type { DraftStore } from '../state/draft/draft-store.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useValueAuthor } from './value-author.ts';

interface ConflictsProps {
  readonly slug: string;
  readonly conflicts: readonly Conflict[];
  readonly store: DraftStore;
}

const conflictsId = 'conflicts';

/** What the header says of conflicts. */
export function conflictSummary(conflicts: readonly Conflict[]) {
  const text = conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`;
  return { text, hint: conflicts.map(({ label }) => `“${label}” was not saved.`).join('\n') };
}

/** Moves the focus to the cards of conflicts. */
export function focusConflicts(): void {
  document.getElementById(conflictsId)?.focus();
}

/** Edits that could not be saved as they were made, because somebody else changed the same things. */
export function Conflicts({ slug, conflicts, store }: ConflictsProps) {
  if (conflicts.length === 0) return null;
  return (
    <section
      id={conflictsId}
      tabIndex={-1}
      aria-label="Conflicts"
      className="flex max-h-[45vh] shrink-0 flex-col gap-2 overflow-y-auto p-3"
    >
      {conflicts.map((conflict) => (
        <ConflictCard key={conflict.id} slug={slug} conflict={conflict} store={store} />
      ))}
    </section>
  );
}

interface ConflictCardProps extends Pick<ConflictsProps, 'slug' | 'store'> {
  readonly conflict: Conflict;
}

function ConflictCard({ slug, conflict, store }: ConflictCardProps) {
  const { id, label, reasons, values = [] } = conflict;
  const isChoice = values.length > 0;
  const lost = lostValues(conflict);
  const again = (
    <span className="flex shrink-0 gap-2">
      <Button onClick={() => store.attemptAgain(id)}>Try again</Button>
      <Button kind="quiet" onClick={() => store.dismiss(id)}>
        Dismiss
      </Button>
    </span>
  );
  return (
    <Notice kind="warning" action={isChoice ? undefined : again}>
      <strong className="font-semibold">“{label}” was not saved.</strong> {reasons.join(' ')}
      {lost.length > 0 && (
        <div className="mt-2 flex flex-col gap-2">
          {lost.map(({ owner, path, mine }) => (
            <OwnValue key={`${owner} ${path}`} name={`${valueName(path)} of ${owner}`} value={mine} />
          ))}
        </div>
      )}
      {isChoice && (
        <>
          <div className="mt-2 flex flex-col gap-2">
            {values.slice(0, maxShown).map((value) => (
              <Contested key={`${value.owner} ${value.path}`} slug={slug} store={store} value={value} />
            ))}
            {values.length > maxShown && <p className="text-[12px]">{moreText(values.length - maxShown)}</p>}
          </div>
          <div className="mt-2 grid grid-cols-2 justify-items-start gap-2 max-sm:justify-items-stretch">
            <Button onClick={() => store.attemptAgain(id)}>Keep mine</Button>
            <Button onClick={() => store.dismiss(id)}>Take theirs</Button>
          </div>
        </>
      )}
    </Notice>
  );
}

/** More values of one action are only counted: the card must leave room for the graph. */
const maxShown = 3;

function moreText(count: number): string {
  return `And ${count} more ${count === 1 ? 'value' : 'values'}.`;
}

interface ContestedProps extends Pick<ConflictsProps, 'slug' | 'store'> {
  readonly value: ContestedValue;
}

/** A value that two people changed, and who the other one is if the versions of the workflow show it. */
function Contested({ slug, store, value: { owner, path, mine, theirs } }: ContestedProps) {
  const { id = null } = findNode(store.getSnapshot().view.graph, owner) ?? {};
  const author = useValueAuthor({ slug, id, path, theirs });
  return (
    <BothValues
      name={`${valueName(path)} of ${owner}`}
      {...{ mine, theirs }}
      theirsTitle={author === null ? undefined : `Saved now, by ${author}`}
    />
  );
}

/** `Body` for `config.extra_config.body`. */
function valueName(path: string): string {
  if (path === 'nodeId') return 'Name';
  const name = (path.split('.').at(-1) ?? path).replaceAll('_', ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
  return name.charAt(0).toUpperCase() + name.slice(1).toLowerCase();
}

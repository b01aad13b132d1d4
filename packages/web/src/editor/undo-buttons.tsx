import { Redo2, Undo2 } from 'lucide-react';
import { hintsOf, useCommands } from '../commands/use-commands.ts';
import type { DraftSnapshot, DraftStore } from '../state/draft/draft-store.ts';
import type { FieldDrafts } from '../state/fields/field-drafts.ts';
import { restartFields } from '../state/fields/stored-value.ts';
import { announce } from '../ui/assistive/live-region.tsx';

interface UndoButtonsProps {
  readonly store: DraftStore;
  readonly snapshot: DraftSnapshot;
  readonly fields: FieldDrafts;
}

const look =
  'flex size-8 items-center justify-center rounded-control text-muted hover:bg-hover disabled:opacity-35 disabled:hover:bg-transparent';

/** Undo and redo of everything that changes the draft, also with the usual keys. */
export function UndoButtons({ store, fields, snapshot: { undoLabel, redoLabel } }: UndoButtonsProps) {
  const undo = (): void => {
    store.undo();
    restartFields(fields, store.getSnapshot().view.graph);
    announce(`Undone: ${undoLabel}`);
  };
  const redo = (): void => {
    store.redo();
    restartFields(fields, store.getSnapshot().view.graph);
    announce(`Redone: ${redoLabel}`);
  };
  useCommands({
    'graph.undo': { run: undo, isEnabled: undoLabel !== null, detail: undoLabel },
    'graph.redo': { run: redo, isEnabled: redoLabel !== null, detail: redoLabel },
  });
  return (
    <div className="flex">
      <button
        type="button"
        className={look}
        disabled={undoLabel === null}
        {...hintsOf('graph.undo', undoLabel === null ? 'Nothing to undo' : `Undo: ${undoLabel}`)}
        aria-label={undoLabel === null ? 'Undo' : `Undo: ${undoLabel}`}
        onClick={undo}
      >
        <Undo2 size={16} aria-hidden="true" />
      </button>
      <button
        type="button"
        className={look}
        disabled={redoLabel === null}
        {...hintsOf('graph.redo', redoLabel === null ? 'Nothing to redo' : `Redo: ${redoLabel}`)}
        aria-label={redoLabel === null ? 'Redo' : `Redo: ${redoLabel}`}
        onClick={redo}
      >
        <Redo2 size={16} aria-hidden="true" />
      </button>
    </div>
  );
}

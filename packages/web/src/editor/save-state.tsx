import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { sessionEnd } from '../api/client.ts';
import type { DraftStore, SaveState as State } from '../state/draft/draft-store.ts';
import { classes } from '../ui/classes.ts';

interface SaveStateProps {
  readonly state: State;
  readonly store: DraftStore;
  /** Whether something was typed just now. */
  readonly isTyping: boolean;
}

/** Whether the edits are saved. It is always visible: nobody should have to wonder. */
export function SaveState({ state, store, isTyping }: SaveStateProps) {
  // What is typed is passed on after a pause.
  const { Icon, look, text, hint } = looks(isTyping && state.kind === 'saved' ? { kind: 'saving' } : state);
  useEffect(() => sessionEnd.onRenewal(() => store.retryNow()), [store]);
  const canRetry = state.kind === 'offline' || state.kind === 'blocked';
  const content = (
    <>
      <Icon size={14} aria-hidden="true" className={state.kind === 'saving' ? 'motion-safe:animate-spin' : ''} />
      <span role="status" className="max-sm:sr-only">
        {text}
      </span>
    </>
  );
  const shared = classes('inline-flex h-8 items-center gap-1.5 rounded-control px-2 text-[12px]', look);
  if (!canRetry) {
    return (
      <span className={shared} title={hint}>
        {content}
      </span>
    );
  }
  return (
    <button type="button" className={classes(shared, 'hover:bg-hover')} title={hint} onClick={() => store.retryNow()}>
      {content}
      <span className="underline">Retry</span>
    </button>
  );
}

function looks(state: State) {
  switch (state.kind) {
    case 'saved':
      return { Icon: Check, look: 'text-muted', text: 'Saved', hint: 'The service has every edit.' };
    case 'saving':
    case 'unsaved':
      return { Icon: LoaderCircle, look: 'text-muted', text: 'Saving…', hint: 'The edits are stored in this browser.' };
    case 'offline': {
      const text = `Offline: ${edits(state.count)} not saved`;
      const hint = 'The service does not answer. The edits are stored in this browser and saved later.';
      return { Icon: CloudOff, look: 'bg-warning-soft text-ink', text, hint };
    }
    case 'blocked':
      return {
        Icon: TriangleAlert,
        look: 'bg-danger-soft text-ink',
        text: `${edits(state.count)} not saved`,
        hint: state.message,
      };
  }
}

function edits(count: number): string {
  return count === 1 ? '1 edit' : `${count} edits`;
}

import { Lock } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { UnsavedField } from '../state/fields/field-drafts.ts';
import type { OpenDraft } from '../state/use-draft.ts';
import { readOnlyText } from '../state/use-is-read-only.ts';
import { AttentionButton } from './attention-button.tsx';
import { conflictSummary, focusConflicts } from './conflicts.tsx';
import { SaveState } from './save-state.tsx';
import { UndoButtons } from './undo-buttons.tsx';
import { useUnsavedFields } from './use-unsaved-fields.ts';

interface DraftStateProps {
  readonly draft: OpenDraft;
  readonly isReadOnly: boolean;
  /** Shows the form of a node, and moves the focus to a field of it. */
  readonly onShow: (nodeId: string, path: string) => void;
}

/** Whether the edits are saved, and undoing them. */
export function DraftState({ draft, isReadOnly, onShow }: DraftStateProps) {
  const { fields, graph, snapshot, store } = draft;
  const { save, conflicts } = snapshot;
  const unsaved = useUnsavedFields(fields, graph);
  const isTyping = useSyncExternalStore(fields.subscribe, fields.isWaiting);
  if (isReadOnly) return <ReadOnly />;
  const isComplete = unsaved.length === 0 && conflicts.length === 0;
  const isAllElseSaved = save.kind === 'saved' && !isTyping;
  return (
    <>
      {(isComplete || !isAllElseSaved) && <SaveState state={save} store={store} isTyping={isTyping} />}
      {unsaved.length > 0 && <UnsavedFields unsaved={unsaved} onShow={onShow} />}
      {conflicts.length > 0 && <AttentionButton {...conflictSummary(conflicts)} onClick={focusConflicts} />}
      <UndoButtons store={store} fields={fields} snapshot={snapshot} />
    </>
  );
}

interface UnsavedFieldsProps extends Pick<DraftStateProps, 'onShow'> {
  readonly unsaved: readonly UnsavedField[];
}

/** How many fields are not saved; pressed, it leads to the first one. */
function UnsavedFields({ unsaved, onShow }: UnsavedFieldsProps) {
  const [first] = unsaved;
  if (first === undefined) return null;
  return (
    <AttentionButton
      text={`${unsaved.length} ${unsaved.length === 1 ? 'field' : 'fields'} not saved`}
      hint={unsaved.map(({ owner, path, problem }) => `${owner.node_id} › ${path}: ${problem}`).join('\n')}
      onClick={() => onShow(first.owner.node_id, first.path)}
    />
  );
}

function ReadOnly() {
  return (
    <span
      title={readOnlyText}
      className="flex items-center gap-1.5 rounded-full border border-line px-2.5 py-0.5 text-[12px] text-muted"
    >
      <Lock size={12} aria-hidden="true" /> Read only
    </span>
  );
}

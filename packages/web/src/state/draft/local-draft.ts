import type { StoredTexts } from '../../storage/user-texts.ts';
import { draftPrefix } from './draft-lock.ts';
import type { DraftStorage } from './draft-store.ts';
import type { StoredDraft } from './stored-draft.ts';

/**
 * Stores the draft of a workflow in a tab of the browser. The browser limits the space: a draft that is too large is
 * stored without its undo lists, because unsaved edits matter more.
 * @param tab the same after a reload of the tab, and different in each tab
 */
export function localDraft(
  storage: Omit<StoredTexts, 'names'>,
  { workflowId, tab }: { readonly workflowId: number; readonly tab: string },
): DraftStorage {
  const key = `${draftPrefix(workflowId)}${tab}`;
  return {
    load() {
      const text = storage.getItem(key);
      const stored = text === null ? null : (JSON.parse(text) as StoredDraft);
      return stored?.format === 1 ? stored : null;
    },
    save(draft) {
      const { pending, undo, redo, conflicts = [] } = draft;
      if (pending.length + undo.length + redo.length + conflicts.length === 0) return storage.removeItem(key);
      try {
        storage.setItem(key, JSON.stringify(draft));
      } catch {
        storage.setItem(key, JSON.stringify({ ...draft, undo: [], redo: [] }));
      }
    },
  };
}

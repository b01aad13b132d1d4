import { findNode, isObject, type JsonObject } from '@millrace/core/editing';
import type { Conflict } from '../draft/draft.ts';
import type { DraftStore } from '../draft/draft-store.ts';
import type { DraftOperation } from '../draft/operation.ts';
import { type FieldDrafts, formPath } from './field-drafts.ts';
import { storedValue } from './stored-value.ts';

/** Puts edits of fields that the service rejects back into their fields, which say why. Returns a function that ends it. */
export function followRejectedEdits(store: DraftStore, fields: FieldDrafts): () => void {
  return store.subscribe(() => {
    const { conflicts, view } = store.getSnapshot();
    for (const conflict of conflicts) {
      const edit = fieldEditIn(conflict);
      const node = edit === null ? undefined : findNode(view.graph, edit.nodeId);
      if (edit === null || node === undefined) continue;
      const owner = { id: node.id, node_id: node.nodeId, component_type: node.componentType };
      const reason = conflict.reasons.join(' ');
      for (const [path, value] of edit.values) {
        fields.of(owner).hold(path, { value: value ?? undefined, reason });
        // The rejected value was shown as the stored one until now.
        fields.of(owner).restart(formPath(path), storedValue(view.graph, owner, formPath(path)));
      }
      store.dismiss(conflict.id);
      return;
    }
  });
}

interface FieldEdit {
  readonly nodeId: string;
  /** By the path in the config. */
  readonly values: readonly (readonly [path: string, value: unknown])[];
}

/** What a rejected edit would have put into the fields of one node; null if it is another edit. */
function fieldEditIn({ isRejected, operations }: Conflict): FieldEdit | null {
  const [only, ...more] = operations;
  return isRejected === true && only?.op === 'update_node' && more.length === 0 ? editOf(only) : null;
}

function editOf({ nodeId, changes }: Extract<DraftOperation, { op: 'update_node' }>): FieldEdit | null {
  const { config = {}, label, ...others } = changes;
  if (Object.keys(others).length > 0) return null;
  const { extra_config: extra = {}, ...common } = config as JsonObject;
  const inside = isObject(extra) ? Object.entries(extra) : [];
  return {
    nodeId,
    values: [
      ...(label === undefined ? [] : [['label', label] as const]),
      ...Object.entries(common),
      ...inside.map(([key, value]) => [`extra_config.${key}`, value] as const),
    ],
  };
}

import { useSyncExternalStore } from 'react';
import type { FieldDrafts, UnsavedField } from '../state/fields/field-drafts.ts';
import type { Graph } from '../state/graph.ts';

/** The fields whose text cannot be stored. A node that was deleted has none. */
export function useUnsavedFields(fields: FieldDrafts, { nodes }: Graph): readonly UnsavedField[] {
  const all = useSyncExternalStore(fields.subscribe, fields.getUnsaved);
  return all.filter(({ owner }) => nodes.some((node) => node.node_id === owner.node_id || node.id === owner.id));
}

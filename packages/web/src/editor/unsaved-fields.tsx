import { TriangleAlert } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { FieldDrafts, UnsavedField } from '../state/fields/field-drafts.ts';
import type { Graph } from '../state/graph.ts';

/** The fields whose text cannot be stored. A node that was deleted has none. */
export function useUnsavedFields(fields: FieldDrafts, { nodes }: Graph): readonly UnsavedField[] {
  const all = useSyncExternalStore(fields.subscribe, fields.getUnsaved);
  return all.filter(({ owner }) => nodes.some((node) => node.node_id === owner.node_id || node.id === owner.id));
}

interface UnsavedFieldsProps {
  readonly unsaved: readonly UnsavedField[];
  readonly onShow: (field: UnsavedField) => void;
}

/** How many fields are not saved; pressed, it leads to the first one. */
export function UnsavedFields({ unsaved, onShow }: UnsavedFieldsProps) {
  const [first] = unsaved;
  const text = `${unsaved.length} ${unsaved.length === 1 ? 'field' : 'fields'} not saved`;
  return (
    <span role="status">
      <button
        type="button"
        className="inline-flex h-8 items-center gap-1.5 rounded-control bg-warning-soft px-2 text-[12px] text-ink hover:bg-hover"
        title={unsaved.map(({ owner, path, problem }) => `${owner.node_id} › ${path}: ${problem}`).join('\n')}
        onClick={() => first !== undefined && onShow(first)}
      >
        <TriangleAlert size={14} aria-hidden="true" />
        {text}
      </button>
    </span>
  );
}

import { useCallback, useState } from 'react';
import type { FieldRequest } from '../state/fields/field-request.ts';

interface Selection {
  readonly selected: string | null;
  /** The field of the selected node that gets the focus. It ends with the selection, so that it works once. */
  readonly request: FieldRequest | null;
}

/** The node whose form is open. @param first the node that the address names */
export function useSelection(first: string | null) {
  const [selection, setSelection] = useState<Selection>({ selected: first, request: null });
  const select = useCallback((selected: string | null) => setSelection({ selected, request: null }), []);
  const showField = useCallback(
    (selected: string, path: string | null) => setSelection({ selected, request: path === null ? null : { path } }),
    [],
  );
  return { ...selection, select, showField };
}

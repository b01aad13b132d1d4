import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { NodeDrafts } from '../../state/fields/field-drafts.ts';
import { FormEdits } from './form-edits.ts';
import { loadSyntaxCheck } from './rejection.ts';

interface ShownEdits {
  readonly edits: FormEdits;
  /** The edits that the stored config may not contain yet. */
  readonly shown: ReadonlyMap<string, unknown>;
}

/**
 * The edits of a node's form.
 * @param stored changes whenever what is stored of the node changes
 */
export function useFormEdits(
  drafts: NodeDrafts,
  stored: unknown,
  store: (edits: ReadonlyMap<string, unknown>) => readonly string[],
): ShownEdits {
  const newest = useRef(store);
  newest.current = store;
  const edits = useMemo(
    () =>
      new FormEdits({
        after: (ms, run) => {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
        store: (changed) => newest.current(changed),
        drafts,
      }),
    [drafts],
  );
  const shown = useSyncExternalStore(edits.subscribe, edits.getShown);
  useEffect(() => void loadSyntaxCheck(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new stored config is the reason to run it.
  useEffect(() => edits.stored(), [edits, stored]);
  useEffect(() => drafts.subscribe(edits.refresh), [drafts, edits]);
  useEffect(() => {
    const flush = (): void => edits.flush();
    // The page may be closed, or hidden forever, without another event.
    addEventListener('pagehide', flush);
    // A field was left.
    addEventListener('focusout', flush);
    document.addEventListener('visibilitychange', flush);
    return () => {
      removeEventListener('pagehide', flush);
      removeEventListener('focusout', flush);
      document.removeEventListener('visibilitychange', flush);
      flush();
    };
  }, [edits]);
  return { edits, shown };
}

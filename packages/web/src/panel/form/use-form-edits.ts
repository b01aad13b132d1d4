import { useEffect, useMemo, useRef, useState } from 'react';
import { FormEdits, type HeldEdit } from './form-edits.ts';
import { type KeptByNode, useKept } from './kept.ts';
import { loadSyntaxCheck } from './rejection.ts';

/** Edits that cannot be stored. */
const heldEdits: KeptByNode<HeldEdit> = new Map();

interface ShownEdits {
  readonly edits: FormEdits;
  /** The edits that the stored config may not contain yet. */
  readonly shown: ReadonlyMap<string, unknown>;
}

/**
 * The edits of a node's form.
 * @param stored changes whenever the stored config changes
 */
export function useFormEdits(
  nodeId: number,
  stored: unknown,
  store: (edits: ReadonlyMap<string, unknown>) => void,
): ShownEdits {
  const [shown, setShown] = useState<ReadonlyMap<string, unknown> | null>(null);
  const newest = useRef(store);
  newest.current = store;
  const held = useKept(heldEdits, nodeId);
  const edits = useMemo(() => {
    const made: FormEdits = new FormEdits({
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      store: (changed) => newest.current(changed),
      onChange: () => setShown(made.shown),
      held,
    });
    return made;
  }, [held]);
  useEffect(() => void loadSyntaxCheck(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new stored config is the reason to run it.
  useEffect(() => edits.stored(), [edits, stored]);
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
  return { edits, shown: shown ?? edits.shown };
}

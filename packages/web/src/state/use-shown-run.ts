import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { executionQuery } from '../api/executions.ts';
import { versionQuery } from '../api/workflows.ts';
import type { Graph } from './graph.ts';
import type { RunOverlay, WatchedRun } from './run-overlay.ts';
import { staleNodes } from './stale-nodes.ts';

interface ShownRun {
  readonly slug: string;
  /** The execution that the address names. */
  readonly id: string | undefined;
  /** Puts an execution that the canvas shows into the address. */
  readonly onShow: (id: string) => void;
  /** Undefined until it is loaded. */
  readonly draft: Graph | undefined;
}

/** Shows the execution of the address on the canvas, and puts one that starts there into the address. */
export function useShownRun(overlay: RunOverlay, { slug, id, onShow, draft }: ShownRun): void {
  const cache = useQueryClient();
  const run = useSyncExternalStore(
    (changed) => overlay.subscribe(changed),
    () => overlay.run,
  );
  useEffect(() => {
    if (id === undefined) return;
    overlay.watch(id);
    void fillAgain(cache, overlay);
  }, [cache, overlay, id]);
  const address = useRef({ id, onShow });
  useEffect(() => {
    address.current = { id, onShow };
  });
  const shown = run?.id;
  useEffect(() => {
    if (shown !== undefined && shown !== address.current.id) address.current.onShow(shown);
  }, [shown]);
  useStaleNodes(overlay, { slug, run, draft });
}

/** Marks the nodes whose outputs in the shown execution no longer fit the draft. */
function useStaleNodes(
  overlay: RunOverlay,
  { slug, run, draft }: Pick<ShownRun, 'slug' | 'draft'> & { readonly run: WatchedRun | null },
): void {
  const version = run?.version ?? null;
  const { data } = useQuery({ ...versionQuery(slug, version ?? 0), enabled: version !== null });
  const ran = data?.graph;
  useEffect(() => {
    overlay.markStale(ran === undefined || draft === undefined ? new Map() : staleNodes(ran, draft));
  }, [overlay, ran, draft]);
}

/**
 * Reads the watched execution again: events of it may be lost. If that fails, later events show what they can.
 */
export async function fillAgain(cache: QueryClient, overlay: RunOverlay): Promise<void> {
  if (overlay.run === null) return;
  const detail = await cache.fetchQuery({ ...executionQuery(overlay.run.id), staleTime: 0 }).catch(() => null);
  if (detail !== null) overlay.fill(detail);
}

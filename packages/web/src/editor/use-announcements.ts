import { useCallback, useEffect, useRef } from 'react';
import type { NodeTypes } from '../canvas/flow.ts';
import type { RunOverlay } from '../state/run-overlay.ts';
import type { OpenDraft, Perform } from '../state/use-draft.ts';
import { announce } from '../ui/assistive/live-region.tsx';
import { editAnnouncement } from './edit-announcement.ts';
import { type RunNode, RunProgress } from './run-progress.ts';

/** The least time between two messages about a run: a screen reader needs about that long for one. */
const everyMs = 1500;

/** Says what happens to people who do not see it: edits, conflicts, the progress of runs. Returns what performs edits. */
export function useAnnouncements(overlay: RunOverlay, draft: OpenDraft | null, types: NodeTypes | undefined): Perform {
  useConflictAnnouncements(draft);
  useRunAnnouncements(overlay, draft, types);
  return useAnnouncedPerform(draft);
}

/** Performs edits and says what they have done, for people who do not see the canvas. */
function useAnnouncedPerform(draft: OpenDraft | null): Perform {
  const latest = useRef(draft);
  latest.current = draft;
  return useCallback((label, operations, field) => {
    const { current } = latest;
    if (current === null) return;
    const before = current.store.getSnapshot().view;
    current.perform(label, operations, field);
    if (current.store.getSnapshot().view === before) return;
    const text = editAnnouncement(operations, current.graph);
    if (text !== null) announce(text);
  }, []);
}

/** Says at once that an edit was not saved because of somebody else's. */
function useConflictAnnouncements(draft: OpenDraft | null): void {
  const conflicts = draft?.snapshot.conflicts;
  const known = useRef(new Set<string>());
  useEffect(() => {
    for (const { id, label, reasons } of conflicts ?? []) {
      if (known.current.has(id)) continue;
      known.current.add(id);
      announce(`“${label}” was not saved. ${reasons.join(' ')}`, 'assertive');
    }
  }, [conflicts]);
}

/** Says how far the watched run is, not more often than a screen reader can follow. */
function useRunAnnouncements(overlay: RunOverlay, draft: OpenDraft | null, types: NodeTypes | undefined): void {
  const nodes = useRef<readonly RunNode[]>([]);
  nodes.current = (draft?.graph.nodes ?? []).flatMap(({ node_id: id, label, component_type: type }) =>
    types?.[type]?.executable === true ? [{ id, label: label ?? id }] : [],
  );
  useEffect(() => {
    const progress = new RunProgress();
    let timer: number | null = null;
    const report = (): void => {
      timer = null;
      const state = { run: overlay.run, node: (id: string) => overlay.node(id) };
      const news = progress.news(state, nodes.current);
      if (news === null) return;
      announce(news.text, news.urgency);
      timer = window.setTimeout(report, everyMs);
    };
    const unsubscribe = overlay.subscribe(() => {
      if (timer === null) report();
    });
    return () => {
      unsubscribe();
      if (timer !== null) window.clearTimeout(timer);
    };
  }, [overlay]);
}

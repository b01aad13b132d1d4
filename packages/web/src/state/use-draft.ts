import { Problem } from '@millrace/core/editing';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Operation } from '../api/graph.ts';
import { live } from '../api/live.ts';
import { workflowQuery } from '../api/workflows.ts';
import { browserStorage } from '../storage/browser-storage.ts';
import { Batch } from './batch.ts';
import type { RemoteChange } from './draft/draft.ts';
import { browserLock, lockDraft } from './draft/draft-lock.ts';
import { type DraftSnapshot, DraftStore } from './draft/draft-store.ts';
import { localDraft } from './draft/local-draft.ts';
import { browserRules } from './draft/rules.ts';
import { sendOperations } from './draft/service.ts';
import { draftOperation, graphFrom, remoteChange, ShownGraphs } from './draft/wire.ts';
import { FieldDrafts } from './fields/field-drafts.ts';
import { followRejectedEdits } from './fields/rejected-edits.ts';
import { fieldsPrefix, localFields } from './fields/stored-fields.ts';
import type { Graph, GraphNode } from './graph.ts';
import { noteOpenDraft } from './open-drafts.ts';
import { readOnlyText } from './use-is-read-only.ts';

/**
 * Performs a user action: it is shown at once, saved after a pause, and undone as a whole.
 * @param label for the undo list: `Move 3 nodes`
 * @param field the field that is typed in: changes of one field without a pause are undone together
 */
export type Perform = (label: string, operations: readonly Operation[], field?: string) => void;

/** The draft of the open workflow. */
export interface OpenDraft {
  readonly store: DraftStore;
  /** What is typed into the fields of nodes and is not stored. */
  readonly fields: FieldDrafts;
  readonly snapshot: DraftSnapshot;
  readonly graph: Graph;
  readonly perform: Perform;
  /** Asks whether to perform an action that would overwrite what has changed meanwhile. */
  readonly contest: Perform;
  /** Why the last action was not performed. */
  readonly rejection: string | null;
}

interface DraftOptions {
  /** The clock, in milliseconds; always the same function. */
  readonly now: () => number;
  readonly isReadOnly: boolean;
}

const newId = (): string => crypto.randomUUID();
const noChange = () => () => undefined;
const nothing = () => null;

/**
 * Opens the draft of a workflow, and follows what others change. Null until it is open.
 * @param workflowId undefined until it is known
 * @param isReadOnly whether actions are rejected, because the service would reject them
 */
export function useDraft(
  slug: string,
  workflowId: number | undefined,
  { now, isReadOnly }: DraftOptions,
): { draft: OpenDraft | null; error: Error | null } {
  const [opened, setOpened] = useState<(Opened & { shown: ShownGraphs }) | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [rejection, setRejection] = useState<string | null>(null);
  const cache = useQueryClient();
  useEffect(() => {
    if (workflowId === undefined) return;
    const shown = new ShownGraphs();
    const read = async () => {
      const detail = await cache.fetchQuery({ ...workflowQuery(slug), staleTime: 0 });
      for (const node of detail.nodes) shown.noteSchedule(node);
      return graphFrom(detail);
    };
    const page = openPage({ slug, workflowId, read, shown, now });
    page.opened.then((found) => found !== null && setOpened({ ...found, shown }), setError);
    return () => {
      setOpened(null);
      page.close();
    };
  }, [cache, slug, workflowId, now]);
  const store = opened?.store;
  const fields = opened?.fields;
  const snapshot = useSyncExternalStore(store?.subscribe ?? noChange, store?.getSnapshot ?? nothing);
  const graph = useMemo(
    () => (snapshot === null ? null : (opened?.shown.of(snapshot.view) ?? null)),
    [snapshot, opened],
  );
  const perform = useCallback<Perform>(
    (label, operations, field) => {
      if (store === undefined) return;
      if (isReadOnly) return setRejection(readOnlyText);
      const context = { view: store.getSnapshot().view, newKey: newId };
      try {
        const given = operations.map((operation) => draftOperation(operation, context));
        store.perform({ label, operations: given, ...(field !== undefined && { field }) });
        for (const operation of given) if (operation.op === 'create_node') fields?.forget(operation.node.nodeId);
        setRejection(null);
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        setRejection(problem.message);
      }
    },
    [store, fields, isReadOnly],
  );
  const contest = useCallback<Perform>(
    (label, operations) => {
      if (store === undefined || isReadOnly) return;
      const context = { view: store.getSnapshot().view, newKey: newId };
      store.contest({ label, operations: operations.map((operation) => draftOperation(operation, context)) });
    },
    [store, isReadOnly],
  );
  const isOpen = opened !== null && store !== undefined && snapshot !== null && graph !== null;
  return {
    draft: isOpen ? { store, fields: opened.fields, snapshot, graph, perform, contest, rejection } : null,
    error,
  };
}

interface Page {
  readonly slug: string;
  readonly workflowId: number;
  readonly read: () => Promise<ReturnType<typeof graphFrom>>;
  readonly shown: ShownGraphs;
  readonly now: () => number;
}

interface Opened {
  readonly store: DraftStore;
  readonly fields: FieldDrafts;
}

/** The draft of one page, until the page is closed. */
function openPage({ slug, workflowId, read, shown, now }: Page) {
  const closing: (() => void)[] = [];
  let isClosed = false;
  const open = async (): Promise<Opened | null> => {
    const texts = browserStorage.userTexts();
    const take = browserLock(texts, browserStorage.tabTexts());
    const lock = await lockDraft(texts, workflowId, { take, newId, others: [fieldsPrefix(workflowId)] });
    closing.push(lock.release);
    if (isClosed) return end();
    const store = await DraftStore.open({
      // The service knows which texts are expressions without braces; its events contain what they become.
      rules: browserRules(() => ({}), newId),
      storage: localDraft(texts, { workflowId, tab: lock.tab }),
      send: (request) => sendOperations(slug, request),
      read,
      after: later,
      now,
      newId,
    });
    const fields = new FieldDrafts(localFields(texts, { workflowId, tab: lock.tab }));
    const opened = { store, fields };
    const forget = noteOpenDraft(() => whenSaved(opened));
    const finished = (): void => finish(opened, [forget, lock.release]);
    closing.splice(0, 1, follow(store, slug, shown), followRejectedEdits(store, fields), finished);
    return isClosed ? end() : opened;
  };
  const end = (): null => {
    for (const close of closing.splice(0)) close();
    return null;
  };
  return {
    opened: open(),
    close: () => {
      isClosed = true;
      end();
    },
  };
}

/** Saves at once, also what was typed just now. @throws Error if the service does not take the edits now */
export function whenSaved({ store, fields }: Opened): Promise<void> {
  fields.flush();
  store.flush();
  return new Promise((resolve, reject) => {
    const check = (): void => {
      const { save } = store.getSnapshot();
      if (save.kind === 'saving' || save.kind === 'unsaved') return;
      unsubscribe();
      if (save.kind === 'saved') resolve();
      else reject(new Error('Your last edits are not saved yet. Try again when they are.'));
    };
    const unsubscribe = store.subscribe(check);
    check();
  });
}

/** Saves what is left. The draft stays locked until then, so that no other page sends the same edits. */
function finish(opened: Opened, releases: readonly (() => void)[]): void {
  const end = (): void => {
    opened.store.close();
    for (const release of releases) release();
  };
  whenSaved(opened).then(end, end);
}

function later(ms: number, fn: () => void): () => void {
  const timer = setTimeout(fn, ms);
  return () => clearTimeout(timer);
}

/** Passes what others change to the draft, and saves when the page is left. Returns a function that ends it. */
function follow(store: DraftStore, slug: string, shown: ShownGraphs): () => void {
  const refresh = (): void => void store.refresh().catch(() => undefined);
  const changes = new Batch<RemoteChange>((items) => store.receive(items));
  const unsubscribe = live.subscribe(`workflow:${slug}`, {
    event: (message) => {
      const change = remoteChange(message);
      if (message.type === 'node_created' || message.type === 'node_updated') {
        shown.noteSchedule(message.data as unknown as GraphNode);
      }
      if (change === 'unknown') refresh();
      else if (change !== null) changes.add(change);
    },
    gap: refresh,
    rejected: refresh,
  });
  const leave = (): void => {
    if (document.visibilityState === 'hidden') store.flush();
  };
  const online = (): void => store.retryNow();
  document.addEventListener('visibilitychange', leave);
  window.addEventListener('online', online);
  return () => {
    unsubscribe();
    changes.end();
    document.removeEventListener('visibilitychange', leave);
    window.removeEventListener('online', online);
  };
}

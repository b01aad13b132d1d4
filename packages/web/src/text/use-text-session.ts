import { ApiError, type Schemas } from '@millrace/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { exportedText, readWorkflowText, saveWorkflowText, type TextReading, workflowText } from '../api/text.ts';
import { changeWorkflow, workflowQuery } from '../api/workflows.ts';
import type { DraftStore } from '../state/draft/draft-store.ts';
import { graphFrom } from '../state/draft/wire.ts';
import { textOperations } from './text-operations.ts';
import { type Reading, TextSession } from './text-session.ts';
import { TextTools } from './text-tools.ts';

interface OpenText {
  readonly session: TextSession;
  readonly tools: TextTools;
}

const noChange = () => () => undefined;
const nothing = () => null;

/** The text of the workflow while the pane is open. */
export function useTextSession(slug: string, store: DraftStore) {
  const [open, setOpen] = useState<OpenText | null>(null);
  const cache = useQueryClient();
  useEffect(() => {
    const tools = new TextTools();
    const session = new TextSession({
      load: () => textForEditors(slug),
      save: async (text) => void (await saveWorkflowText(slug, text)),
      read: async (text) => readingOf(await readWorkflowText(slug, text)),
      exported: () => exportedText(slug),
      merge: (text, canonical) => tools.merge(text, canonical),
      edit: (before, after) => {
        const newKey = () => store.newKey();
        const operations = textOperations(before.graph, after, { view: store.getSnapshot().view, newKey });
        if (operations.length > 0) store.perform({ label: 'Edit the text', operations, field: 'text' });
      },
      isSaved: () => store.getSnapshot().save.kind === 'saved',
      change: async (changes) => {
        await changeWorkflow(slug, changes);
        await cache.invalidateQueries({ queryKey: workflowQuery(slug).queryKey });
      },
      after: (ms, fn) => {
        const timer = setTimeout(fn, ms);
        return () => clearTimeout(timer);
      },
    });
    const unsubscribe = follow(store, session);
    void session.open();
    setOpen({ session, tools });
    return () => {
      unsubscribe();
      session.close();
      tools.close();
    };
  }, [cache, slug, store]);
  const snapshot = useSyncExternalStore(open?.session.subscribe ?? noChange, open?.session.getSnapshot ?? nothing);
  return open === null || snapshot === null ? null : { ...open, snapshot };
}

async function textForEditors(slug: string): Promise<string | null> {
  try {
    return (await workflowText(slug)).yaml_str;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null;
    throw error;
  }
}

/** Reports each saved version to the session. Returns a function that ends it. */
function follow(store: DraftStore, session: TextSession): () => void {
  const versionOf = (): number | null => {
    const { view, save } = store.getSnapshot();
    return save.kind === 'saved' ? view.graph.version : null;
  };
  let known = versionOf();
  return store.subscribe(() => {
    const version = versionOf();
    if (version === null || version === known) return;
    known = version;
    session.workflowChanged();
  });
}

function readingOf({ issues, workflow }: TextReading): Reading {
  const found = issues.map(({ severity, message, line, column }) => {
    return { severity: severity === 'error' ? ('error' as const) : ('warning' as const), message, line, column };
  });
  if (workflow === null) return { issues: found, workflow: null };
  const { nodes, edges, placed, changes, canonical } = workflow;
  const graph = {
    graph: graphFrom({ version: 0, nodes, edges } as Schemas['WorkflowDetail']),
    placed: new Set(placed),
  };
  return { issues: found, workflow: { graph, changes, canonical } };
}

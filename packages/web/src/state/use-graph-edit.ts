import { ApiError } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applyOperations, type Operation } from '../api/graph.ts';
import { workflowQuery } from '../api/workflows.ts';

interface Edit {
  /** What the person did, in words. */
  readonly label: string;
  readonly operations: readonly Operation[];
}

/** Applies an edit to the graph. */
export type Perform = (label: string, operations: readonly Operation[]) => void;

/** Another edit may have been stored meanwhile; an edit that loses this race so often is reported. */
const maxAttempts = 5;

/** Edits of a workflow's graph, each stored as one version. They are stored one after the other. */
export function useGraphEdit(slug: string) {
  const cache = useQueryClient();
  const { queryKey } = workflowQuery(slug);

  async function store({ operations }: Edit): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const { version } = await cache.fetchQuery({ ...workflowQuery(slug), staleTime: attempt === 1 ? Infinity : 0 });
      try {
        const { version: next } = await applyOperations(slug, version, operations);
        cache.setQueryData(queryKey, (detail) => detail && { ...detail, version: next });
        return;
      } catch (error) {
        const isStale = error instanceof ApiError && error.status === 409;
        if (!isStale || attempt === maxAttempts) throw error;
      }
    }
  }

  const edit = useMutation({
    mutationFn: store,
    scope: { id: `graph of ${slug}` },
    // The events contain the changes, but the WebSocket may be disconnected.
    onSettled: () => cache.invalidateQueries({ queryKey }),
  });
  const perform: Perform = (label, operations) => edit.mutate({ label, operations });
  return { perform, error: edit.error, isSaving: edit.isPending };
}

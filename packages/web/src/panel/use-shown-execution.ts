import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { executionQuery, executionsQuery } from '../api/executions.ts';
import { useWatchedRun } from '../state/run-overlay-context.ts';

/** The execution on the canvas with its data, which may still be running; without one, the newest of the workflow. */
export function useShownExecution(slug: string) {
  const cache = useQueryClient();
  const watched = useWatchedRun();
  const newest = executionsQuery({ workflow_slug: slug, limit: 1, offset: 0 });
  const { data: page } = useQuery({ ...newest, enabled: watched === null });
  const id = watched?.id ?? page?.items[0]?.execution_id;
  const status = watched?.status;
  const query = executionQuery(id ?? '');
  const { data } = useQuery({ ...query, enabled: id !== undefined });
  const [kind, detail] = query.queryKey;
  useEffect(() => {
    // What was read while it ran lacks the steps that have ended since.
    if (status !== undefined && id !== undefined) void cache.invalidateQueries({ queryKey: [kind, detail, id] });
  }, [cache, kind, detail, id, status]);
  return data;
}

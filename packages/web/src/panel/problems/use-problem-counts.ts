import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { validationQuery } from '../../api/validation.ts';
import type { ProblemCount } from '../../state/problem-counts.ts';
import type { OpenDraft } from '../../state/use-draft.ts';

/** The number of problems of each node that has any; those of the workflow itself have the empty name. */
export function useProblemCounts(slug: string, draft: OpenDraft | null): ReadonlyMap<string, ProblemCount> {
  const { data } = useQuery({
    ...validationQuery(slug, draft?.snapshot.view.graph.version ?? 0),
    enabled: draft !== null,
  });
  return useMemo(() => {
    const byNode = Map.groupBy(data?.issues ?? [], ({ node_id: nodeId = '' }) => nodeId);
    return new Map(
      [...byNode].map(([nodeId, issues]) => {
        const isError = issues.some(({ severity }) => severity === 'error');
        return [nodeId, { count: issues.length, isError }];
      }),
    );
  }, [data]);
}

import type { LiveMessage } from '@millrace/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { live } from '../api/live.ts';
import { type WorkflowDetail, workflowQuery } from '../api/workflows.ts';
import { withEvent } from './graph.ts';
import type { RunOverlay } from './run-overlay.ts';

/** Applies the live events of a workflow to the cached detail and to the overlay, and reads it again after a gap. */
export function useLiveWorkflow(slug: string, overlay: RunOverlay): void {
  const cache = useQueryClient();
  useEffect(() => {
    const { queryKey } = workflowQuery(slug);
    return live.subscribe(`workflow:${slug}`, {
      event: (message) => {
        overlay.receive(message);
        cache.setQueryData(queryKey, (detail) => detail && withMessage(detail, message));
      },
      gap: () => void cache.invalidateQueries({ queryKey }),
      rejected: () => void cache.invalidateQueries({ queryKey }),
    });
  }, [cache, slug, overlay]);
}

function withMessage(detail: WorkflowDetail, message: LiveMessage): WorkflowDetail {
  if (message.type === 'workflow_updated') return { ...detail, ...message.data };
  const changed = withEvent(detail, message);
  return changed === detail ? detail : { ...detail, nodes: [...changed.nodes], edges: [...changed.edges] };
}

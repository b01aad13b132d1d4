import type { LiveMessage } from '@millrace/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { live } from '../api/live.ts';
import { type WorkflowDetail, workflowQuery } from '../api/workflows.ts';
import { withEvent } from './graph.ts';
import type { RunOverlay } from './run-overlay.ts';
import { fillAgain } from './use-shown-run.ts';

/** Applies the live events of a workflow to the cached detail and to the overlay, and reads it again after a gap. */
export function useLiveWorkflow(slug: string, overlay: RunOverlay): void {
  const cache = useQueryClient();
  useEffect(() => {
    const { queryKey } = workflowQuery(slug);
    return live.subscribe(`workflow:${slug}`, {
      event: (message) => {
        overlay.receive(message);
        // What no event reports, such as the exact times, is stored when the execution ends.
        if (isEnd(message) && message.data.execution_id === overlay.run?.id) void fillAgain(cache, overlay);
        cache.setQueryData(queryKey, (detail) => detail && withMessage(detail, message));
      },
      gap: () => {
        void cache.invalidateQueries({ queryKey });
        void fillAgain(cache, overlay);
      },
      rejected: () => void cache.invalidateQueries({ queryKey }),
    });
  }, [cache, slug, overlay]);
}

function isEnd({ type }: LiveMessage): boolean {
  return type.startsWith('execution_') && type !== 'execution_started';
}

function withMessage(detail: WorkflowDetail, message: LiveMessage): WorkflowDetail {
  if (message.type === 'workflow_updated') return { ...detail, ...message.data };
  const changed = withEvent(detail, message);
  if (changed === detail) return detail;
  const { version = detail.version } = message;
  const isDraft = detail.published_version !== null && detail.published_version !== version;
  const { nodes, edges } = changed;
  return { ...detail, version, has_unpublished_changes: isDraft, nodes: [...nodes], edges: [...edges] };
}

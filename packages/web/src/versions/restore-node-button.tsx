import { useMutation, useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { applyOperations } from '../api/graph.ts';
import { type WorkflowDetail, workflowQuery } from '../api/workflows.ts';
import type { GraphNode } from '../state/graph.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { nodeRestoration } from './node-restoration.ts';

interface RestoreNodeButtonProps {
  readonly earlier: GraphNode;
  readonly version: number;
  readonly workflow: WorkflowDetail;
}

/** Makes one node what it was in an earlier version, in a new version. */
export function RestoreNodeButton({ earlier, version, workflow }: RestoreNodeButtonProps) {
  const cache = useQueryClient();
  const { slug } = workflow;
  const restoring = useMutation({
    mutationFn: () => applyOperations(slug, workflow.version, [nodeRestoration(earlier, workflow)]),
    onSettled: async () => {
      await cache.invalidateQueries({ queryKey: workflowQuery(slug).queryKey });
      await cache.invalidateQueries({ queryKey: ['workflows', 'versions', slug] });
    },
  });
  return (
    <span className="flex flex-col items-start gap-2">
      <Button
        icon={<History size={13} aria-hidden="true" />}
        disabled={restoring.isPending || restoring.isSuccess}
        title={`Makes only this node what it was in version ${version}. A deleted node comes back without its connections.`}
        aria-label={`Restore this node: ${earlier.label ?? earlier.node_id}`}
        onClick={() => restoring.mutate()}
      >
        {restoring.isSuccess ? 'Restored' : 'Restore this node'}
      </Button>
      {restoring.error !== null && <Notice kind="error">{restoring.error.message}</Notice>}
    </span>
  );
}

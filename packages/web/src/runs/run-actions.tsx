import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ban, RotateCcw } from 'lucide-react';
import { cancelExecution, type ExecutionDetail, retryExecution } from '../api/executions.ts';
import { Button } from '../ui/button.tsx';

/** Cancelling an execution that is in progress, and retrying one that failed. */
export function RunActions({ execution: { execution_id: id, status } }: { readonly execution: ExecutionDetail }) {
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['executions'] });
  const cancel = useMutation({ mutationFn: () => cancelExecution(id), onSettled: again });
  const retry = useMutation({ mutationFn: () => retryExecution(id), onSettled: again });
  const isOpen = status === 'pending' || status === 'running' || status === 'waiting' || status === 'interrupted';
  const error = cancel.error ?? retry.error;
  return (
    <>
      {error !== null && (
        <span role="alert" className="truncate text-[13px] text-danger">
          {error.message}
        </span>
      )}
      {isOpen && (
        <Button icon={<Ban size={15} aria-hidden="true" />} disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </Button>
      )}
      {status === 'failed' && (
        <Button
          kind="primary"
          icon={<RotateCcw size={15} aria-hidden="true" />}
          disabled={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry
        </Button>
      )}
    </>
  );
}

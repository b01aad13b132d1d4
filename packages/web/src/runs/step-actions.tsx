import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { GitCompareArrows, Pin, RotateCw } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { type ExecutionDetail, type ExecutionLog, executionLogQuery } from '../api/executions.ts';
import { applyOperations, type Operation } from '../api/graph.ts';
import { workflowQuery } from '../api/workflows.ts';
import { Button, buttonClasses } from '../ui/button.tsx';
import { isShortened } from './step-values.ts';

const ReplayDialog = lazy(async () => ({ default: (await import('./replay-dialog.tsx')).ReplayDialog }));

interface StepActionsProps {
  readonly execution: ExecutionDetail;
  readonly log: ExecutionLog;
}

/** What can be done with a step: replay from it, pin its output, compare it with another run. */
export function StepActions({ execution, log }: StepActionsProps) {
  const [isReplaying, setIsReplaying] = useState(false);
  const hasEnded = execution.completed_at !== null;
  return (
    <>
      {hasEnded && (
        <Button icon={<RotateCw size={14} aria-hidden="true" />} onClick={() => setIsReplaying(true)}>
          Replay from here
        </Button>
      )}
      <Link
        to="/runs/compare"
        search={{ b: execution.execution_id, step: log.node_id, ...(log.frame !== '' && { frame: log.frame }) }}
        className={buttonClasses()}
      >
        <GitCompareArrows size={14} aria-hidden="true" /> Compare
      </Link>
      {log.status === 'success' && <PinButton execution={execution} log={log} />}
      {isReplaying && (
        <Suspense>
          <ReplayDialog execution={execution} fromNode={log.node_id} onClose={() => setIsReplaying(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Stores the output with the node: runs that a person starts then use it instead of performing the node. */
function PinButton({ execution: { execution_id: id, workflow_slug: slug }, log }: StepActionsProps) {
  const cache = useQueryClient();
  const { data } = useQuery(workflowQuery(slug));
  const node = data?.nodes.find((candidate) => candidate.node_id === log.node_id);
  const isPinned = Object.hasOwn(node?.config.extra_config ?? {}, 'pinned_output');
  const change = useMutation({
    mutationFn: async () => {
      const { output } = isShortened(log.output) ? await cache.fetchQuery(executionLogQuery(id, log.id)) : log;
      const { version } = await cache.fetchQuery({ ...workflowQuery(slug), staleTime: 0 });
      const changes = { config: { extra_config: { pinned_output: isPinned ? null : output } } };
      await applyOperations(slug, version, [{ op: 'update_node', node_id: log.node_id, changes } as Operation]);
    },
    onSettled: () => cache.invalidateQueries({ queryKey: workflowQuery(slug).queryKey }),
  });
  if (node === undefined) return null;
  return (
    <>
      <Button
        icon={<Pin size={14} className={isPinned ? 'text-warning' : ''} aria-hidden="true" />}
        aria-pressed={isPinned}
        disabled={change.isPending}
        onClick={() => change.mutate()}
        title="Runs that a person starts use a pinned output instead of performing the node."
      >
        {isPinned ? 'Unpin output' : 'Pin output'}
      </Button>
      {change.error !== null && (
        <span role="alert" className="text-[12px] text-danger">
          {change.error.message}
        </span>
      )}
    </>
  );
}

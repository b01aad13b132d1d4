import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type ExecutionDetail, executionQuery } from '../api/executions.ts';
import { classes } from '../ui/classes.ts';
import { StepStatusGlyph } from '../ui/status.tsx';
import { durationText, instantOf } from '../ui/time.ts';

/** The steps behind an answer, folded, with a link to its run. They are read when somebody opens them. */
export function TurnTrace({ executionId }: { readonly executionId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const { data, error } = useQuery({ ...executionQuery(executionId), enabled: isOpen });
  return (
    <details
      className="text-[12px] text-muted"
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary className="w-fit cursor-pointer rounded-control py-1">
        {data === undefined ? 'Steps' : summaryOf(data)}
      </summary>
      {error !== null && <p className="text-danger">{error.message}</p>}
      {data !== undefined && (
        <ol className="mt-1 flex flex-col gap-0.5 border-line border-l pl-3">
          {data.logs.map((log) => (
            <li key={log.id} className={classes('flex items-center gap-2', log.metadata.agent !== undefined && 'ml-4')}>
              <StepStatusGlyph status={log.status} />
              <Link
                to="/runs/$id"
                params={{ id: executionId }}
                search={{ step: log.node_id, ...(log.frame !== '' && { frame: log.frame }) }}
                className="min-w-0 truncate hover:underline"
              >
                {typeof log.metadata.tool === 'string' ? log.metadata.tool : log.node_id}
              </Link>
              <span className="tabular-nums">{durationText(log.duration_ms)}</span>
            </li>
          ))}
        </ol>
      )}
      <Link to="/runs/$id" params={{ id: executionId }} className="mt-1 inline-block text-accent hover:underline">
        Open run
      </Link>
    </details>
  );
}

function summaryOf({
  logs,
  accepted_at: from,
  completed_at: to,
  total_tokens: tokens,
  total_cost_usd: cost,
}: ExecutionDetail): string {
  return [
    logs.length === 1 ? '1 step' : `${logs.length} steps`,
    to === null ? null : durationText(instantOf(to) - instantOf(from)),
    tokens > 0 ? `${tokens.toLocaleString('en')} tokens` : null,
    cost > 0 ? `$${cost.toFixed(4)}` : null,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

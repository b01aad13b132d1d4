import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { executionsQuery } from '../api/executions.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { ExecutionStatusText } from '../ui/status.tsx';

/** As many of the newest runs of the workflow are searched for those of a trigger. */
const searched = 50;
const shown = 5;

interface LastCallsProps {
  readonly slug: string;
  readonly triggerNodeId: string;
  /** What started the runs. */
  readonly noun: 'call' | 'time';
}

/** The last runs that began at a trigger, also by hand, without replays. The list is read again every few seconds. */
export function LastCalls({ slug, triggerNodeId, noun }: LastCallsProps) {
  const { data } = useQuery(executionsQuery({ workflow_slug: slug, limit: searched, offset: 0 }));
  const runs = (data?.items ?? [])
    .filter((run) => run.trigger_node_id === triggerNodeId && run.replay_of === null)
    .slice(0, shown);
  return (
    <div className="flex flex-col gap-2">
      <h3 className="font-medium text-[13px]">Last runs from this trigger</h3>
      {data !== undefined && runs.length === 0 && (
        <p className="text-[13px] text-muted">
          {noun === 'call' ? 'No call yet. Copy the command above and run it.' : 'It has not fired yet.'}
        </p>
      )}
      <ul className="flex flex-col divide-y divide-line">
        {runs.map((run) => (
          <li key={run.execution_id} className="flex items-center gap-3 py-1.5 text-[13px]">
            <span className="w-40 shrink-0">
              <ExecutionStatusText status={run.status} />
            </span>
            <Link
              to="/runs/$id"
              params={{ id: run.execution_id }}
              className="min-w-0 truncate text-accent hover:underline"
            >
              {`Run ${run.execution_id.slice(-6)}`}
            </Link>
            {run.started_at !== null && (
              <span className="ml-auto shrink-0 text-muted">
                <RelativeTime at={run.started_at} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

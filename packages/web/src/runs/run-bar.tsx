import { Link } from '@tanstack/react-router';
import { useWatchedRun } from '../state/run-overlay-context.ts';
import { ExecutionStatusText } from '../ui/status.tsx';

/** The execution that the canvas shows, with a link to its page. */
export function RunBar() {
  const run = useWatchedRun();
  if (run === null) return null;
  return (
    <div role="status" className="flex shrink-0 items-center gap-4 border-line border-t bg-surface px-4 py-2">
      <ExecutionStatusText status={run.status} />
      {run.error !== null && <span className="min-w-0 truncate text-[13px] text-muted">{run.error}</span>}
      <Link to="/runs/$id" params={{ id: run.id }} className="ml-auto text-[13px] text-accent hover:underline">
        Open run
      </Link>
    </div>
  );
}

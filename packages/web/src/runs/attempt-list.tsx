import type { ExecutionLog } from '../api/executions.ts';
import { classes } from '../ui/classes.ts';
import { StepStatusText } from '../ui/status.tsx';
import { durationText, instantOf } from '../ui/time.ts';

interface AttemptListProps {
  readonly attempts: readonly ExecutionLog[];
  readonly shown: ExecutionLog;
  readonly onSelect: (attempt: number) => void;
}

/** The attempts of a step with their times and their errors. */
export function AttemptList({ attempts, shown, onSelect }: AttemptListProps) {
  return (
    <ol className="flex flex-col gap-2">
      {attempts.map((log) => (
        <li key={log.id}>
          <button
            type="button"
            aria-pressed={log.id === shown.id}
            onClick={() => onSelect(log.attempt)}
            className={classes(
              'flex w-full flex-col gap-1 rounded-control border px-3 py-2 text-left hover:bg-hover',
              log.id === shown.id ? 'border-accent bg-accent-soft' : 'border-line',
            )}
          >
            <span className="flex w-full flex-wrap items-center gap-x-3">
              <span className="font-medium text-[13px]">Attempt {log.attempt}</span>
              <StepStatusText status={log.status} />
              <span className="ml-auto text-[12px] text-muted tabular-nums">
                {timeText(log)} · {durationText(log.duration_ms)}
              </span>
            </span>
            {log.error !== null && <span className="break-words text-[12px] text-muted">{log.error}</span>}
          </button>
        </li>
      ))}
    </ol>
  );
}

function timeText({ started_at: startedAt, timestamp }: ExecutionLog): string {
  return new Date(instantOf(startedAt ?? timestamp)).toLocaleTimeString();
}

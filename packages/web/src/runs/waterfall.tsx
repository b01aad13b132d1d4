import { useMemo } from 'react';
import type { ExecutionDetail, ExecutionLog } from '../api/executions.ts';
import { classes } from '../ui/classes.ts';
import { now } from '../ui/clock.ts';
import { StepStatusGlyph } from '../ui/status.tsx';
import { durationText } from '../ui/time.ts';
import { type Bar, timelineOf } from './timeline.ts';

const barColours: Readonly<Record<ExecutionLog['status'], string>> = {
  success: 'bg-success',
  failed: 'bg-danger',
  skipped: 'bg-line-strong',
  waiting: 'bg-waiting',
};

interface WaterfallProps {
  readonly execution: ExecutionDetail;
  /** The id of the selected attempt. */
  readonly selected: number | null;
  readonly onSelect: (id: number) => void;
}

/** The attempts of an execution as rows with bars on one time scale: the time in the queue is hatched. */
export function Waterfall({ execution, selected, onSelect }: WaterfallProps) {
  const { bars, spanMs } = useMemo(() => timelineOf(execution, now()), [execution]);
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <div className="flex items-center justify-between border-line border-b px-3 py-2 text-[12px] text-muted tabular-nums">
        <span>Steps</span>
        <span>{durationText(spanMs)}</span>
      </div>
      <ol>
        {bars.map((bar) => (
          <li key={bar.log.id} className="border-line not-last:border-b">
            <button
              type="button"
              aria-pressed={selected === bar.log.id}
              onClick={() => onSelect(bar.log.id)}
              className={classes(
                'flex w-full items-center gap-3 px-3 py-2 text-left hover:bg-hover',
                selected === bar.log.id && 'bg-accent-soft',
              )}
            >
              <StepStatusGlyph status={bar.log.status} />
              <span className="w-40 shrink-0 truncate sm:w-56">
                {bar.log.node_id}
                {bar.log.frame !== '' && <span className="text-muted"> {bar.log.frame}</span>}
                {bar.log.attempt > 1 && <span className="text-muted"> · attempt {bar.log.attempt}</span>}
              </span>
              <BarLine bar={bar} spanMs={spanMs} />
              <span className="w-16 shrink-0 text-right text-[12px] text-muted tabular-nums">
                {bar.log.status === 'skipped' ? '–' : durationText(bar.log.duration_ms)}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

function BarLine({ bar: { log, queued, from, to }, spanMs }: { readonly bar: Bar; readonly spanMs: number }) {
  const share = (ms: number): string => `${(ms / spanMs) * 100}%`;
  return (
    <span className="relative h-3 min-w-0 flex-1" aria-hidden="true">
      {from > queued && (
        <span
          className="queued absolute inset-y-1 rounded-sm"
          style={{ left: share(queued), width: share(from - queued) }}
        />
      )}
      <span
        className={classes('absolute inset-y-0 min-w-0.5 rounded-sm', barColours[log.status])}
        style={{ left: `min(${share(from)}, calc(100% - 2px))`, width: share(to - from) }}
      />
    </span>
  );
}

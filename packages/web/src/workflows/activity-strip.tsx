import type { WorkflowActivity } from '../api/activity/workflow-activity.ts';
import { now } from '../ui/clock.ts';
import { hourBars } from './list-rows.ts';

const barWidth = 3;
const step = 4;
/** Successes are above the line, failures below it: they differ without colour. */
const aboveLine = 12;
const belowLine = 8;

/** The ended runs of the last 24 hours: a bar for each hour, and the totals as text. */
export function ActivityStrip({ activity }: { readonly activity: WorkflowActivity }) {
  const bars = hourBars(activity, now());
  const succeeded = bars.reduce((sum, bar) => sum + bar.succeeded, 0);
  const failed = bars.reduce((sum, bar) => sum + bar.failed, 0);
  const most = Math.max(1, ...bars.map((bar) => Math.max(bar.succeeded, bar.failed)));
  const summary = `${succeeded} succeeded and ${failed} failed in the last 24 hours`;
  return (
    <span className="inline-flex items-center gap-2" title={summary}>
      <svg width={24 * step} height={aboveLine + belowLine + 1} role="img" aria-label={summary} className="shrink-0">
        <line x1={0} x2={24 * step} y1={aboveLine + 0.5} y2={aboveLine + 0.5} className="stroke-line" />
        {bars.map((bar, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the hours have fixed places.
          <g key={index}>
            {bar.succeeded > 0 && (
              <rect
                x={index * step}
                y={aboveLine - heightOf(bar.succeeded, most, aboveLine)}
                width={barWidth}
                height={heightOf(bar.succeeded, most, aboveLine)}
                className="fill-line-strong"
              />
            )}
            {bar.failed > 0 && (
              <rect
                x={index * step}
                y={aboveLine + 1}
                width={barWidth}
                height={heightOf(bar.failed, most, belowLine)}
                className="fill-danger"
              />
            )}
          </g>
        ))}
      </svg>
      <span className="text-[12px] text-muted tabular-nums" aria-hidden="true">
        {succeeded + failed}
        {failed > 0 && <span className="text-danger"> · {failed} ✕</span>}
      </span>
    </span>
  );
}

/** At least 2 pixels, so that a single run is visible beside an hour of thousands. */
function heightOf(n: number, most: number, whole: number): number {
  return Math.max(2, Math.round((n / most) * whole));
}

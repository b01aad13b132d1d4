import { dayText, measured, measureText, type UsageOfDay } from './usage-days.ts';
import type { Measure } from './usage-search.ts';

interface UsageChartProps {
  /** Of the figure. */
  readonly name: string;
  readonly days: readonly UsageOfDay[];
  readonly measure: Measure;
}

/** A bar for each day of the period. The table below it has the same figures as text. */
export function UsageChart({ name, days, measure }: UsageChartProps) {
  const most = days.reduce((left, right) => (measured(right, measure) > measured(left, measure) ? right : left));
  const largest = measured(most, measure);
  const first = days[0];
  const last = days.at(-1);
  return (
    <div aria-hidden="true">
      <p className="mb-2 text-[12px] text-muted">
        {name} per day, at most {measureText(most, measure)} on {dayText(most.day)}
      </p>
      <div className="flex h-40 items-end gap-px border-line border-b sm:gap-0.5">
        {days.map((usage) => (
          <div
            key={usage.day}
            className="flex h-full min-w-0 flex-1 items-end rounded-t-[2px] hover:bg-hover"
            title={`${dayText(usage.day)}: ${measureText(usage, measure)}`}
          >
            <div
              className="w-full rounded-t-[2px] bg-accent forced-colors:bg-[CanvasText]"
              style={{ height: heightOf(measured(usage, measure), largest) }}
            />
          </div>
        ))}
      </div>
      <div className="mt-1 flex justify-between text-[12px] text-muted">
        <span>{first !== undefined && dayText(first.day)}</span>
        <span>{last !== undefined && dayText(last.day)}</span>
      </div>
    </div>
  );
}

/** A bar with anything in it is visible, however small it is beside the largest. */
function heightOf(figure: number, largest: number): string {
  return figure === 0 ? '0' : `max(2px, ${(figure / largest) * 100}%)`;
}

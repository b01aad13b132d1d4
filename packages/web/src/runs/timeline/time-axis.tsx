import { classes } from '../../ui/classes.ts';
import { durationText } from '../../ui/time.ts';
import type { TimeScale } from './time-scale.ts';

/** The left part of the rows, with the names: the axis and the bars begin after it. */
export const namesWidth = 'w-[42%] sm:w-64';
/** The right part of the rows, with the durations. */
export const durationWidth = 'w-20';

/** Breaks after this place on the axis have their label to the left. */
const lastBreak = 0.85;

/** The marks of the time axis, and the breaks where nothing ran. */
export function TimeAxis({ scale }: { readonly scale: TimeScale }) {
  return (
    <div
      className="sticky top-0 z-10 flex h-8 items-stretch border-line border-b bg-surface px-3 text-[11px] text-muted tabular-nums"
      aria-hidden="true"
    >
      <span className={`${namesWidth} shrink-0 self-center`}>Step</span>
      <span className="relative min-w-0 flex-1">
        {scale.ticks.map(({ ms, at }) => (
          <span
            key={ms}
            className="absolute inset-y-0 flex items-center border-line border-l pl-1 whitespace-nowrap"
            style={{ left: `${at * 100}%` }}
          >
            {tickText(ms)}
          </span>
        ))}
        {scale.gaps.map(({ from, to, at, width }) => (
          <span
            key={from}
            className={classes(
              'absolute inset-y-1 flex items-center whitespace-nowrap rounded-control bg-hover px-1 font-medium text-ink',
              // The label of a break at the end of the axis would cover the next column.
              at > lastBreak ? '-translate-x-full' : '-translate-x-1/2',
            )}
            style={{ left: `${(at > lastBreak ? at + width : at + width / 2) * 100}%` }}
          >
            {'// '}
            {durationText(to - from)}
          </span>
        ))}
      </span>
      <span className={`${durationWidth} shrink-0 self-center text-right`}>Duration</span>
    </div>
  );
}

/** `0`, `200 ms`, `5 s`: without the decimal place of a duration. */
function tickText(ms: number): string {
  if (ms === 0) return '0';
  return ms >= 1000 && ms < 60_000 && ms % 1000 === 0 ? `${ms / 1000} s` : durationText(ms);
}

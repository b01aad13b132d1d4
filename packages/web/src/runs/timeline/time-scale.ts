/** A stretch of time, in milliseconds since the start. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A time in which no step ran, drawn as a break of the axis. */
export interface Gap extends Stretch {
  /** Where the break is, from 0 to 1. */
  readonly at: number;
  readonly width: number;
}

/** A mark of the axis. */
interface Tick {
  readonly ms: number;
  /** From 0 to 1. */
  readonly at: number;
}

/** Times on an axis whose long idle stretches are collapsed. */
export interface TimeScale {
  readonly spanMs: number;
  readonly gaps: readonly Gap[];
  readonly ticks: readonly Tick[];
  /** Where a time is on the axis, from 0 to 1. */
  position(ms: number): number;
}

/** An idle stretch is collapsed if it takes more than this share of the axis. */
const maxIdleShare = 0.3;
/** The share of the axis that a break takes. */
const breakShare = 0.05;
/** Shorter stretches are not collapsed: a break would need more explanation than it saves. */
const minGapMs = 1000;

/** A scale from 0 to `spanMs` for busy stretches of time. */
export function timeScale(spanMs: number, busy: readonly Stretch[]): TimeScale {
  const span = Math.max(1, spanMs);
  const collapsed = collapsedGaps(span, idleStretches(span, busy));
  const shownMs = span - collapsed.reduce((sum, { from, to }) => sum + to - from, 0);
  const perMs = (1 - collapsed.length * breakShare) / Math.max(1, shownMs);
  const position = (ms: number): number => {
    let at = 0;
    let last = 0;
    for (const { from, to } of collapsed) {
      if (ms <= from) break;
      at += (from - last) * perMs + breakShare * Math.min(1, (ms - from) / (to - from));
      last = Math.min(ms, to);
    }
    return Math.min(1, Math.max(0, at + (ms - last) * perMs));
  };
  const gaps = collapsed.map(({ from, to }) => ({ from, to, at: position(from), width: breakShare }));
  return { spanMs: span, gaps, ticks: ticksOf(span, shownMs, gaps, position), position };
}

function idleStretches(span: number, busy: readonly Stretch[]): readonly Stretch[] {
  const idle: Stretch[] = [];
  let last = 0;
  for (const { from, to } of [...busy].sort((a, b) => a.from - b.from)) {
    if (from > last) idle.push({ from: last, to: from });
    last = Math.max(last, to);
  }
  if (span > last) idle.push({ from: last, to: span });
  return idle;
}

/** The longest first: each that is collapsed makes the share of the others larger. */
function collapsedGaps(span: number, idle: readonly Stretch[]): readonly Stretch[] {
  const collapsed: Stretch[] = [];
  let left = span;
  for (const gap of [...idle].sort((a, b) => b.to - b.from - (a.to - a.from))) {
    const length = gap.to - gap.from;
    if (length < minGapMs || length <= left * maxIdleShare) break;
    collapsed.push(gap);
    left -= length;
  }
  return collapsed.sort((a, b) => a.from - b.from);
}

/** The steps between marks that people read easily, in milliseconds. */
const tickSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000].concat(
  [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440].map((minutes) => minutes * 60_000),
);

/** The share of the axis that the text of a mark takes, and that of a break. */
const tickWidth = 0.08;
const gapLabelWidth = 0.1;

/** About this many marks fit on the axis. */
const wantedTicks = 5;

function ticksOf(
  span: number,
  shownMs: number,
  gaps: readonly Gap[],
  position: (ms: number) => number,
): readonly Tick[] {
  const step = tickSteps.find((candidate) => shownMs / candidate <= wantedTicks) ?? Math.ceil(shownMs / wantedTicks);
  const ticks: Tick[] = [];
  let ms = 0;
  while (ms <= span) {
    const gap = gaps.find(({ from, to }) => ms > from && ms < to);
    // The next mark after a gap: there may be days in it.
    if (gap !== undefined) ms = Math.ceil(gap.to / step) * step;
    const at = position(ms);
    const isCovered = gaps.some((gap) => at > gap.at - tickWidth - gapLabelWidth / 2 && at < gap.at + gapLabelWidth);
    if (ms <= span && at - (ticks.at(-1)?.at ?? -1) > tickWidth && at < 0.97 && !isCovered) ticks.push({ ms, at });
    ms += step;
  }
  return ticks;
}

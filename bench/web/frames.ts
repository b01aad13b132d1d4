import type { Browser, Page } from 'playwright-core';
import { quantile } from './figures.ts';

/** An event of a trace of Chromium. Times are in microseconds; `tdur` is the time of the CPU. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

/** What the main thread did while a page was used. */
export interface FrameReport {
  readonly frames: number;
  /** The time of script, style and layout per frame that 95 % of the frames do not exceed, in milliseconds of CPU. */
  readonly p95: number;
  /** The longest uninterrupted task, in milliseconds of CPU. */
  readonly longestTask: number;
  /** Frames per second. Without a GPU this is mostly the speed of painting. */
  readonly perSecond: number;
}

const categories = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'disabled-by-default-devtools.timeline.frame',
];

/** Script, style and layout. Painting is not part of the budget: without a GPU it depends on the machine. */
const counted = new Set([
  'EventDispatch',
  'EvaluateScript',
  'FireAnimationFrame',
  'FunctionCall',
  'Layout',
  'RunMicrotasks',
  'TimerFire',
  'UpdateLayoutTree',
  'v8.callFunction',
  'HandlePostMessage',
]);

/** Traces the main thread of a page while it is used. */
export async function framesOf(browser: Browser, page: Page, use: () => Promise<void>): Promise<FrameReport> {
  await browser.startTracing(page, { categories });
  // The trace is ended even if the use failed: otherwise the next one cannot start.
  const trace = await use().then(
    () => browser.stopTracing(),
    async (error: unknown) => {
      await browser.stopTracing();
      throw error;
    },
  );
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  return reportOf(traceEvents);
}

function reportOf(events: readonly TraceEvent[]): FrameReport {
  const starts = events.filter(({ name }) => name === 'BeginMainThreadFrame');
  const thread = busiestThread(starts);
  const frames = starts
    .filter((event) => threadOf(event) === thread)
    .map(({ ts }) => ts)
    .toSorted((a, b) => a - b);
  const own = events.filter((event) => event.ph === 'X' && threadOf(event) === thread);
  const work = outermost(own.filter(({ name }) => counted.has(name)));
  const costs = new Map<number, number>();
  for (const { ts, tdur = 0 } of work) {
    const frame = lastBefore(frames, ts);
    costs.set(frame, (costs.get(frame) ?? 0) + tdur / 1000);
  }
  const tasks = own.filter(({ name }) => name === 'RunTask').map(({ tdur = 0 }) => tdur / 1000);
  const seconds = ((frames.at(-1) ?? 0) - (frames[0] ?? 0)) / 1_000_000;
  return {
    frames: frames.length,
    p95: quantile(
      frames.map((_start, index) => costs.get(index) ?? 0),
      0.95,
    ),
    longestTask: Math.max(0, ...tasks),
    perSecond: (frames.length - 1) / seconds,
  };
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`;
}

/** The main thread of the page in use: other pages and processes draw fewer frames. */
function busiestThread(starts: readonly TraceEvent[]): string {
  const byThread = [...Map.groupBy(starts, threadOf)].toSorted(([, a], [, b]) => b.length - a.length);
  return byThread[0]?.[0] ?? '';
}

/** The events that are in no other one of the list, so that no time is counted twice. */
function outermost(events: readonly TraceEvent[]): readonly TraceEvent[] {
  let end = 0;
  return events
    .toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
    .filter(({ ts, dur = 0 }) => {
      if (ts < end) return false;
      end = ts + dur;
      return true;
    });
}

function lastBefore(starts: readonly number[], time: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

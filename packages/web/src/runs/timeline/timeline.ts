import type { ExecutionDetail, ExecutionLog } from '../../api/executions.ts';
import type { RunningAttempt } from '../../state/use-live-execution.ts';
import { instantOf } from '../../ui/time.ts';
import type { IterationNode, StepNode } from './step-tree.ts';

/** What a part of a bar shows. */
export type SegmentKind = 'queued' | 'running' | 'success' | 'failed' | 'skipped' | 'waiting' | 'pause';

/** A part of a bar, in milliseconds since the execution was accepted. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly from: number;
  readonly to: number;
}

/** The times of one execution. */
export interface Clock {
  /** When it was accepted. */
  readonly start: number;
  /** Now, or when it ended: an attempt in progress lasts until then. */
  readonly end: number;
}

/** The clock of an execution, at a time. */
export function clockOf(execution: ExecutionDetail, now: number): Clock {
  const start = instantOf(execution.accepted_at);
  const ended = execution.completed_at === null ? now : instantOf(execution.completed_at);
  return { start, end: Math.max(start, ended) };
}

/** The bar of a step: for each attempt its time in the queue, its waits and its run; pauses between them. */
export function segmentsOf(
  {
    attempts,
    running,
    iterations = [],
  }: Pick<StepNode, 'attempts' | 'running'> & Partial<Pick<StepNode, 'iterations'>>,
  clock: Clock,
): readonly Segment[] {
  const segments: Segment[] = [];
  for (const log of attempts) {
    const before = segments.at(-1)?.to;
    const own = attemptSegments(log, clock, iterations.length > 0);
    const first = own[0];
    if (before !== undefined && first !== undefined && first.from > before) {
      segments.push({ kind: 'pause', from: before, to: first.from });
    }
    segments.push(...own);
  }
  if (running !== null) segments.push(runningSegment(running, clock));
  return segments;
}

/** @param hasInner whether other steps ran inside: their time is not a wait, although the attempt itself did not run */
function attemptSegments(log: ExecutionLog, { start, end }: Clock, hasInner: boolean): readonly Segment[] {
  const since = (at: string): number => Math.max(0, instantOf(at) - start);
  const at = since(log.timestamp);
  if (log.status === 'skipped') return [{ kind: 'skipped', from: at, to: at }];
  const from = log.started_at === null ? (log.queued_at === null ? at : since(log.queued_at)) : since(log.started_at);
  const to = Math.max(from, log.ended_at === null ? end - start : since(log.ended_at));
  const queued = log.queued_at === null ? from : Math.min(from, since(log.queued_at));
  const waited = hasInner && log.status !== 'waiting' ? from : waitOf(log, from, to);
  return [
    ...(queued < from ? [{ kind: 'queued' as const, from: queued, to: from }] : []),
    ...(waited > from ? [{ kind: 'waiting' as const, from, to: waited }] : []),
    ...(log.status === 'waiting' ? [] : [{ kind: log.status, from: waited, to }]),
  ];
}

/** Clocks and rounding make a step a little longer than it ran: a wait is longer than this. */
const minWaitMs = 20;

/** Until when a step waited: its whole time while it waits, and later what it did not run. */
function waitOf({ status, duration_ms: duration }: ExecutionLog, from: number, to: number): number {
  if (status === 'waiting') return to;
  const waited = to - from - duration;
  return waited < minWaitMs ? from : from + waited;
}

function runningSegment({ since }: RunningAttempt, { start, end }: Clock): Segment {
  const from = Math.max(0, since - start);
  return { kind: 'running', from, to: Math.max(from, end - start) };
}

/** The time from the first to the last segment of all steps in an iteration. */
export function spanOf(iteration: IterationNode, clock: Clock): Segment {
  const segments = iteration.steps.flatMap((step) => allSegments(step, clock));
  const from = segments.reduce((least, segment) => Math.min(least, segment.from), Number.POSITIVE_INFINITY);
  const to = segments.reduce((most, segment) => Math.max(most, segment.to), 0);
  const hasFailed = iteration.steps.some(hasFailedIn);
  const isOpen = segments.some(({ kind }) => kind === 'running');
  const isWaiting = iteration.steps.some(isWaitingIn);
  const kind = isOpen ? 'running' : isWaiting ? 'waiting' : hasFailed ? 'failed' : 'success';
  return { kind, from: Math.min(from, to), to };
}

/** The segments of a step, and of all steps in its iterations. */
export function allSegments(step: StepNode, clock: Clock): readonly Segment[] {
  return [
    ...segmentsOf(step, clock),
    ...step.iterations.flatMap(({ steps }) => steps.flatMap((inner) => allSegments(inner, clock))),
  ];
}

function isWaitingIn(step: StepNode): boolean {
  return step.attempts.at(-1)?.status === 'waiting' || step.iterations.some(({ steps }) => steps.some(isWaitingIn));
}

/** Whether a step failed for good: an attempt that another one followed does not count. */
function hasFailedIn(step: StepNode): boolean {
  const isFailed = step.running === null && step.attempts.at(-1)?.status === 'failed';
  return isFailed || step.iterations.some(({ steps }) => steps.some(hasFailedIn));
}

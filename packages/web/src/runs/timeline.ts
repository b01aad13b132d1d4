import type { ExecutionDetail, ExecutionLog } from '../api/executions.ts';
import { instantOf } from '../ui/time.ts';

/** A bar of the waterfall, in milliseconds since the execution was accepted. */
export interface Bar {
  readonly log: ExecutionLog;
  /** When it was ready to start: until `from`, it waited in the queue. */
  readonly queued: number;
  readonly from: number;
  readonly to: number;
}

/** The bars of an execution, in the order of their start, and the time that they span. */
export interface Timeline {
  readonly bars: readonly Bar[];
  readonly spanMs: number;
}

/** The attempts of an execution on one scale. An attempt that has not ended lasts until now. */
export function timelineOf({ accepted_at: accepted, logs }: ExecutionDetail, now: number): Timeline {
  const start = instantOf(accepted);
  const since = (timestamp: string | null, otherwise: number): number =>
    timestamp === null ? otherwise : Math.max(0, instantOf(timestamp) - start);
  const bars = logs.map((log): Bar => {
    const from = since(log.started_at, since(log.timestamp, 0));
    const to = since(log.ended_at, log.status === 'waiting' ? now - start : from);
    return { log, queued: Math.min(from, since(log.queued_at, from)), from, to: Math.max(from, to) };
  });
  return {
    bars: bars.sort((a, b) => a.from - b.from || a.log.id - b.log.id),
    spanMs: Math.max(1, ...bars.map(({ to }) => to)),
  };
}

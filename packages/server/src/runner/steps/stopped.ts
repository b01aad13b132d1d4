import { type Failure, type Instant, type StepState, type StepStopped, stoppedBecause } from '@millrace/core';
import type { Flight } from './flights.ts';
import { usageOf } from './perform.ts';

/** When and why attempts end that did not come to their end. */
export interface Stop {
  readonly at: Instant;
  /** What ended the run, or the iteration. */
  readonly reason: Failure;
}

/** The fact of an attempt that this process performed, and that its run or iteration did not outlast. */
export function stopped({ tried, startedAt }: Flight, { at, reason }: Stop): StepStopped {
  const { step, attempt } = tried;
  return { ...about(step, { at, reason }), attempt, startedAt, ...usageOf(tried) };
}

/** The fact of a step that another process may have begun, before it was gone. */
export function stoppedBefore(step: StepState, stop: Stop): StepStopped {
  return { ...about(step, stop), attempt: step.attempts + 1, startedAt: step.since ?? stop.at };
}

function about({ node, frame }: StepState, { at, reason }: Stop) {
  const failure = stoppedBecause(reason);
  return { kind: 'step_stopped', nodeId: node.nodeId, frame: frame.key, at, failure } as const;
}

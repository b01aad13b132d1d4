import { type Failure, type Instant, type StepState, type StepStopped, stoppedBecause } from '@millrace/core';
import { usageOf } from './outcome-facts.ts';
import type { RunningAttempt } from './running-attempts.ts';

/** When and why attempts are stopped. */
export interface Stop {
  readonly at: Instant;
  /** What ended the run, or the iteration. */
  readonly reason: Failure;
}

/** The fact of an attempt of this process that ended with its run or iteration. */
export function stopped({ attempt, startedAt }: RunningAttempt, { at, reason }: Stop): StepStopped {
  return {
    ...about(attempt.step, { at, reason }),
    attempt: attempt.attempt,
    startedAt,
    ...usageOf(attempt),
  };
}

/** The fact of a step that an earlier owner of the run may have started. */
export function stoppedBefore(step: StepState, stop: Stop): StepStopped {
  return { ...about(step, stop), attempt: step.attempts + 1, startedAt: step.since ?? stop.at };
}

function about({ node, frame }: StepState, { at, reason }: Stop) {
  const failure = stoppedBecause(reason);
  return { kind: 'step_stopped', nodeId: node.nodeId, frame: frame.key, at, failure } as const;
}

import { effectOf, type Fact, type Instant, onUnknownOf, type StepState } from '@millrace/core';

/**
 * True if an attempt's start is journaled before it acts, so that after a crash it is known that it may have acted. A
 * step that may be repeated freely, or with its Idempotency-Key, needs no such write.
 */
export function notesItsStart(step: StepState): boolean {
  const effect = effectOf(step);
  return effect === 'once' || (effect === 'keyed' && unknownRuleOf(step) !== 'retry');
}

function unknownRuleOf(step: StepState): ReturnType<typeof onUnknownOf> {
  return onUnknownOf({ policies: step.node.policies, component: { effect: effectOf(step) } });
}

/** The fact that an attempt is about to act. */
export function started({ node, frame }: StepState, attempt: number, at: Instant): Fact {
  return { kind: 'step_started', nodeId: node.nodeId, frame: frame.key, attempt, at };
}

/**
 * True if the previous owner of the run may have started the step's next attempt. If starts are not journaled, that is
 * true of any step that was due.
 */
export function mayHaveBegun(step: StepState, now: Instant): boolean {
  const { node, phase, loop, calls, isAgreed, retryAt } = step;
  if (loop !== null || calls !== null || (node.interruptBefore && !isAgreed)) return false;
  if (notesItsStart(step)) return step.started === step.attempts + 1;
  return phase === 'ready' || (phase === 'retrying' && (retryAt ?? now) <= now);
}

function whatHappened({ wasStopped }: StepState): string {
  const end = wasStopped ? 'The execution ended' : 'The service stopped';
  return `${end} while this step was running: it is not known whether it acted.`;
}

const whatFollows = {
  retry: 'It is performed again.',
  fail: "It is not performed again: `on_unknown` is 'fail'. If it did not act, retry the execution.",
} as const;

/**
 * The fact of an attempt that was interrupted, because its process or its run ended. It is unknown whether it acted. So
 * the step asks a person, or counts as failed, or is attempted again at once, depending on its node.
 */
export function unknownOutcome(step: StepState, attempt: number, at: Instant): Fact {
  const { node, frame } = step;
  const onUnknown = unknownRuleOf(step);
  const about = { nodeId: node.nodeId, frame: frame.key, attempt, at };
  if (onUnknown === 'ask') {
    const prompt = `${whatHappened(step)} Perform '${node.nodeId}' again?`;
    return {
      kind: 'step_paused',
      ...about,
      stage: 'before',
      pause: { kind: 'approval', prompt, fallback: false, until: null },
    };
  }
  return {
    kind: 'step_failed',
    ...about,
    durationMs: 0,
    failure: { code: 'step_unknown', message: `${whatHappened(step)} ${whatFollows[onUnknown]}` },
    retryAt: onUnknown === 'retry' ? at : null,
  };
}

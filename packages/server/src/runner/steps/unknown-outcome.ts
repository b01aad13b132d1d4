import { type Fact, type Instant, onUnknownOf, type StepState } from '@millrace/core';

/**
 * Whether an attempt's beginning is journaled before it acts, so that after a crash it is known that it may have acted.
 * A step that may be repeated freely, or with its Idempotency-Key, needs no such write.
 */
export function notesItsStart({ node }: StepState): boolean {
  const { effect } = node.component;
  return effect === 'once' || (effect === 'keyed' && onUnknownOf(node) !== 'retry');
}

/** The fact that an attempt is about to act. */
export function started({ node, frame }: StepState, attempt: number, at: Instant): Fact {
  return { kind: 'step_started', nodeId: node.nodeId, frame: frame.key, attempt, at };
}

/**
 * Whether the process that had the run before this one may have begun the step's next attempt. Where beginnings are not
 * journaled, any step that could begin may have.
 */
export function mayHaveBegun(step: StepState, now: Instant): boolean {
  const { node, phase, loop, isAgreed, retryAt } = step;
  if (loop !== null || (node.interruptBefore && !isAgreed)) return false;
  if (notesItsStart(step)) return step.started === step.attempts + 1;
  return phase === 'ready' || (phase === 'retrying' && (retryAt ?? now) <= now);
}

function whatHappened({ wasStopped }: StepState): string {
  const end = wasStopped ? 'The execution ended' : 'The service stopped';
  return `${end} while this step was under way: whether it acted is not known.`;
}

const whatFollows = {
  retry: 'It is performed again.',
  fail: "It is not performed again: `on_unknown` is 'fail'. Whoever knows that it did not act may retry the execution.",
} as const;

/**
 * The fact of an attempt that began and was cut off, because its process or its run ended. Whether it acted is not known.
 * So it asks a person, or counts as failed; where its node says so, another attempt follows at once.
 */
export function unknownOutcome(step: StepState, attempt: number, at: Instant): Fact {
  const { node, frame } = step;
  const onUnknown = onUnknownOf(node);
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

import type { Pause, PauseAnswer, PauseStage } from '../../component/pause.ts';
import type { StepPaused, StepResumed, StepSucceeded } from '../journal/history.ts';
import type { RunState, StepState } from '../run-state.ts';

/** Pauses a step: no decision about it is needed. */
export function pauseStep(state: RunState, step: StepState, { stage, attempt, pause }: StepPaused): void {
  if (isPast(step, stage)) return;
  // A step that needs approval before its first attempt opens with the approval.
  if (stage === 'before' && attempt === 0) step.openedAt = null;
  step.phase = 'paused';
  step.pause = { stage, pause };
  state.open.delete(step);
  state.paused.add(step);
}

/** Resumes a step. Returns the step's success if the step thereby completes, `declined` if a person answered no. */
export function resumeStep(
  state: RunState,
  step: StepState,
  { stage, answer, at }: StepResumed,
): StepSucceeded | 'declined' | null {
  const { pause: waited } = step;
  if (waited === null && isPast(step, stage)) return null;
  // A journal resumes only paused steps.
  if (waited === null) throw new Error(`node '${step.node.nodeId}' was resumed, but it had not paused`);
  step.pause = null;
  step.phase = 'ready';
  step.since = at;
  step.openedAt ??= at;
  state.paused.delete(step);
  state.open.add(step);
  if (waited.stage === 'step') {
    step.resumed = { pause: waited.pause, answer };
    return null;
  }
  if (!isAgreed(waited.pause, answer)) return 'declined';
  step.isAgreed = true;
  return step.held;
}

/**
 * Whether an approval after a step arrives when the run has already continued: earlier releases began replays with the
 * approvals of the replayed run, whether or not the new version requests any.
 */
function isPast({ held }: StepState, stage: PauseStage): boolean {
  return stage === 'after' && held === null;
}

function isAgreed(pause: Pause, answer: PauseAnswer): boolean {
  return answer.kind === 'decision' ? answer.confirmed : pause.kind === 'approval' && pause.fallback;
}

/** Removes the pause of a step whose frame or run has ended. */
export function dropPause(state: RunState, step: StepState): void {
  const { pause } = step;
  if (pause === null || !state.paused.delete(step)) return;
  step.pause = null;
  state.abandoned.push({ frame: step.frame.key, nodeId: step.node.nodeId, stage: pause.stage });
}

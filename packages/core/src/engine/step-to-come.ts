import type { StepKey } from './journal/history.ts';
import { type CallsState, type LoopState, type Phase, type RunState, stepAt } from './run-state.ts';

/**
 * Whether a step has not ended and may still run. Once false, it stays false until the run is retried: the step has
 * ended, its branch was not taken, or its iteration is over.
 */
export function isToCome(state: RunState, key: StepKey): boolean {
  if (state.finished !== null) return false;
  const step = stepAt(state, key);
  return step === undefined ? isFrameToCome(state, key.frame) : !over.has(step.phase);
}

const over: ReadonlySet<Phase> = new Set(['held', 'succeeded', 'failed', 'skipping', 'skipped']);

/** A frame that is not in the state is over or has not begun; this includes frames that began before a retry. */
function isFrameToCome(state: RunState, frame: string): boolean {
  const [, around = '', nodeId, attempt = '1', index] = frameName.exec(frame) ?? [];
  if (nodeId === undefined) return false;
  const step = stepAt(state, { frame: around, nodeId });
  if (step === undefined) return isFrameToCome(state, around);
  if (step.calls !== null) return isCallToCome(step.calls, { attempt: Number(attempt), index: Number(index) });
  if (step.loop === null) return !over.has(step.phase) && Number(attempt) > step.attempts;
  return isItemToCome(step.loop, { attempt: Number(attempt), index: Number(index) });
}

/** As in `outer[1]/inner#2[3]`: the surrounding frame, the loop, its attempt and the index of the item. */
const frameName = /^(?:(.*)\/)?([^/#[]+)(?:#(\d+))?\[(\d+)\]$/;

/** A step may open further calls until it ends. */
function isCallToCome(
  calls: CallsState,
  { attempt, index }: { readonly attempt: number; readonly index: number },
): boolean {
  return attempt > calls.attempt || (attempt === calls.attempt && calls.failure === null && index >= calls.begun);
}

function isItemToCome(loop: LoopState, item: { readonly attempt: number; readonly index: number }): boolean {
  if (item.attempt !== loop.attempt) return item.attempt > loop.attempt;
  return loop.step.phase === 'looping' && item.index >= loop.begun && item.index < loop.items.length;
}

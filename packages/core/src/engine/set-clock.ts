import type { RunState } from './run-state.ts';

/**
 * Has what a run waits for follow a clock that somebody has set by so many milliseconds: its next attempts and the time
 * limits of its loops come as long from now as they would have. What steps see of time stays as it was.
 */
export function followSetClock(state: RunState, byMs: number): void {
  if (state.at !== null) state.at += byMs;
  for (const step of state.open) if (step.retryAt !== null) step.retryAt += byMs;
  for (const loop of state.timed) {
    loop.startedAt += byMs;
    if (loop.deadline !== null) loop.deadline += byMs;
  }
}

import { onTestFinished, vi } from 'vitest';

/** Lets the monotonic clock show that every step of sliced work takes a whole slice, so that turns count steps. */
export function slowSteps(): void {
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 20;
    return now;
  });
  onTestFinished(() => clock.mockRestore());
}

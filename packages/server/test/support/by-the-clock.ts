/**
 * How many times longer than promised something may take by a real clock. By default there is no limit, because a busy
 * machine can take any time: these tests fail because a faulty event never happens. `npm run test:clock` sets 1, for an
 * otherwise idle machine.
 */
const slack = Number(process.env.CLOCK_SLACK ?? Number.POSITIVE_INFINITY);

/** The milliseconds that a test allows for something that is promised within `ms`. */
export function promisedMs(ms: number): number {
  return ms * slack;
}

/** Waits until a condition that depends on other processes is true; throws if it is not true within `withinMs`. */
export async function until(condition: () => boolean, withinMs = Number.POSITIVE_INFINITY): Promise<void> {
  const end = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() >= end) throw new Error(`the condition is still false after ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

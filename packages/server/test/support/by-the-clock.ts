/**
 * How many times longer than promised something may take by a real clock. Ten, because other programs use the cores at
 * times, while something broken never ends. `npm run test:clock` sets 1, for an otherwise idle machine.
 */
const slack = Number(process.env.CLOCK_SLACK ?? 10);

/** The milliseconds that a test allows for something that is promised within `ms`. */
export function promisedMs(ms: number): number {
  return ms * slack;
}

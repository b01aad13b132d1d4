/**
 * How many times longer than promised something may take by a real clock. Ten: another program has the cores for a
 * while, and what does not work at all takes for ever. `npm run test:clock` sets 1, for a machine that does nothing else.
 */
const slack = Number(process.env.CLOCK_SLACK ?? 10);

/** The milliseconds that a test allows for something that is promised within `ms`. */
export function promisedMs(ms: number): number {
  return ms * slack;
}

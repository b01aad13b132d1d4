/** Every call of the store by the runner. A test compares this list with the runner's source. */
export const crashPoints = [
  'executions.append',
  'executions.claim',
  'executions.journal',
  'executions.release',
  'executions.renew',
  'graphs.pinned',
  'variables.ofRun',
  'waits.answers',
  'waits.followClock',
  'waits.nextDue',
  'waits.wakeDue',
] as const;

/**
 * What happens at a call: it fails and stores nothing; the process dies just before it, or just after it was stored and
 * before the result is delivered; the process stops gracefully; or another process takes over its runs without it
 * noticing.
 */
export const mishaps = ['fails', 'dies before', 'dies after', 'stops', 'overtaken'] as const;
export type Mishap = (typeof mishaps)[number];

/** Which calls of a simulation, counted from 1, have which mishap. */
export type MishapPlan = ReadonlyMap<number, Mishap>;

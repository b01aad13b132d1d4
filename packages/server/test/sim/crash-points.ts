/** Every call of the store that the runner makes. A test holds this list against the runner's source. */
export const crashPoints = [
  'executions.append',
  'executions.claim',
  'executions.release',
  'executions.renew',
  'graphs.pinned',
  'waits.answers',
  'waits.nextDue',
  'waits.wakeDue',
] as const;

/**
 * What happens at a call: it fails and stores nothing; the process dies just before it, or just after it was stored and
 * before anybody hears of that; the process stops in good order; or another takes over its runs and it does not know.
 */
export const mishaps = ['fails', 'dies before', 'dies after', 'stops', 'overtaken'] as const;
export type Mishap = (typeof mishaps)[number];

/** Which calls of a simulation, counted from 1, meet which mishap. */
export type MishapPlan = ReadonlyMap<number, Mishap>;

/**
 * Requests that start runs keep coming when the last was accepted no longer ago than this, in milliseconds: more than a
 * commit of many takes on a slow disk, or runs would take the time of requests as soon as these wait for the disk.
 */
const floodMs = 25;
/**
 * Runs begun for each millisecond of a flood, and for each of those in which the event loop was idle. A small run costs
 * some 0.07 ms: so they get most of what is left of the time, and a fifteenth where nothing is left.
 */
const runsPerMs = 1;
const runsPerIdleMs = 10;
/** Runs begun in one turn of the event loop: a few milliseconds of work, so that a request is answered soon. */
export const maxRunsPerTurn = 64;

/** Whether more runs are being accepted all the time. An accepted run is safe and can wait; the sender of a request cannot. */
export function isFlooded(msSinceArrival: number): boolean {
  return msSinceArrival < floodMs;
}

/** How many runs to begin after `ms` milliseconds of a flood, `idleMs` of which nobody used. */
export function runsInFlood(ms: number, idleMs: number): number {
  return Math.min(maxRunsPerTurn, Math.round(ms * runsPerMs + idleMs * runsPerIdleMs));
}

/**
 * Load counts as continuous if the last run was accepted within this many milliseconds. A large commit on a slow disk
 * takes less; otherwise runs would take time from requests as soon as the requests wait for the disk.
 */
const floodMs = 25;
/**
 * Runs started for each millisecond of continuous load, and for each of those in which the event loop was idle. A small
 * run costs some 0.07 ms, so runs get most of the idle time, and a fifteenth of the time if there is none.
 */
const runsPerMs = 1;
const runsPerIdleMs = 10;
/** Runs started in one turn of the event loop: a few milliseconds of work, so that requests are answered soon. */
export const maxRunsPerTurn = 64;

/**
 * True if runs are being accepted continuously. An accepted run is stored and can wait; the sender of a request cannot.
 */
export function isFlooded(msSinceArrival: number): boolean {
  return msSinceArrival < floodMs;
}

/** How many runs to start after `ms` milliseconds of continuous load, of which the event loop was idle for `idleMs`. */
export function runsInFlood(ms: number, idleMs: number): number {
  return Math.min(maxRunsPerTurn, Math.round(ms * runsPerMs + idleMs * runsPerIdleMs));
}

import type { Execution } from '../api/executions.ts';

/** The rows of a list, and how many newer runs are not among them yet. */
export interface HeldRuns {
  readonly rows: readonly Execution[];
  readonly newer: number;
}

/**
 * The rows that a person sees, with their newest states. Runs that started meanwhile are only counted, so that no row
 * moves under the pointer.
 */
export function heldRuns(shown: readonly Execution[], latest: readonly Execution[]): HeldRuns {
  const states = new Map(latest.map((run) => [run.execution_id, run]));
  const known = new Set(shown.map(({ execution_id: id }) => id));
  const first = latest.findIndex(({ execution_id: id }) => known.has(id));
  // If none of the shown rows is among the latest, at least all of these are newer.
  const newer = first === -1 ? latest.length : first;
  return { rows: shown.map((run) => states.get(run.execution_id) ?? run), newer };
}

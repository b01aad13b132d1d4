import type { Connection } from '../database/connection.ts';

/** Workflows whose last turn is remembered; past it those are forgotten whose turn has come. */
const maxKnown = 10_000;

/** The turn of runs that have begun and go on: it has come already, also for a process that starts anew. */
export const turnOfBegun = 0;

/**
 * Gives pending runs their turns, so that workflows alternate: each run of a workflow is a turn later than the one before
 * it, and its first one is the next of all. So behind 10,000 waiting runs of one workflow, a run of another workflow waits for
 * one of them at most.
 */
export class Turns {
  /** The latest turn that has come. */
  #now = 0;
  readonly #last = new Map<number, number>();

  /** Takes over the turns of the runs that wait. */
  constructor(connection: Connection) {
    const waiting = connection.prepare<[], { workflow_id: number; first: number; last: number }>(
      `SELECT workflow_id, min(turn) AS first, max(turn) AS last FROM executions
       WHERE status = 'pending' AND turn > ${turnOfBegun} GROUP BY workflow_id`,
    );
    const rows = waiting.all();
    if (rows.length > 0)
      this.#now = rows.reduce((least, { first }) => Math.min(least, first), Number.MAX_SAFE_INTEGER) - 1;
    for (const { workflow_id: workflowId, last } of rows) this.#last.set(workflowId, last);
  }

  /** The turn of a workflow's new run. A run that is not stored after all leaves a gap, which does no harm. */
  next(workflowId: number): number {
    const turn = Math.max(this.#now, this.#last.get(workflowId) ?? 0) + 1;
    this.#last.set(workflowId, turn);
    if (this.#last.size > maxKnown) this.#forget();
    return turn;
  }

  /** Notes that a run of this turn was claimed. */
  came(turn: number): void {
    if (turn > this.#now) this.#now = turn;
  }

  #forget(): void {
    for (const [workflowId, turn] of this.#last) if (turn <= this.#now) this.#last.delete(workflowId);
  }
}

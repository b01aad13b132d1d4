import type { Connection } from '../database/connection.ts';

/** Workflows whose last position is cached; beyond this, those whose position has been reached are removed. */
const maxKnown = 10_000;

/** The position of runs that have begun and continue: always reached, even after a restart. */
export const positionOfBegun = 0;

/**
 * Assigns pending runs their queue positions (column `turn`), so that workflows alternate: each run of a workflow is
 * one position behind the previous run of that workflow, and the first one is next in line. So with 10,000 waiting runs
 * of one workflow, a run of another workflow waits for at most one of them.
 */
export class QueuePositions {
  /** The highest position that was claimed. */
  #now = 0;
  readonly #last = new Map<number, number>();

  /** Reads the positions of the pending runs. */
  constructor(connection: Connection) {
    const waiting = connection.prepare<[], { workflow_id: number; first: number; last: number }>(
      `SELECT workflow_id, min(turn) AS first, max(turn) AS last FROM executions
       WHERE status = 'pending' AND turn > ${positionOfBegun} GROUP BY workflow_id`,
    );
    const rows = waiting.all();
    if (rows.length > 0)
      this.#now = rows.reduce((least, { first }) => Math.min(least, first), Number.MAX_SAFE_INTEGER) - 1;
    for (const { workflow_id: workflowId, last } of rows) this.#last.set(workflowId, last);
  }

  /** The position of a workflow's new run. A run that is not stored after all leaves a gap, which is harmless. */
  next(workflowId: number): number {
    const position = Math.max(this.#now, this.#last.get(workflowId) ?? 0) + 1;
    this.#last.set(workflowId, position);
    if (this.#last.size > maxKnown) this.#forget();
    return position;
  }

  /** Records that a run at this position was claimed. */
  reached(position: number): void {
    if (position > this.#now) this.#now = position;
  }

  #forget(): void {
    for (const [workflowId, position] of this.#last) if (position <= this.#now) this.#last.delete(workflowId);
  }
}

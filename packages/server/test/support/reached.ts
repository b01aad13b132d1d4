import { appendFileSync } from 'node:fs';

/** A figure that a test reached for a promise. `npm run promises` reads one JSON text per line. */
export interface ReachedFigure {
  /** The id of the promise: `P1`. */
  readonly id: string;
  /** The figure as a person reads it: `2,013 requests, none answered with 5xx`. */
  readonly figure: string;
}

/**
 * Records what a test reached for a promise of `docs/promises.md`. Called after the assertions: a test that fails has
 * reached nothing. Without `PROMISES_FILE`, which `npm run promises` sets, it does nothing.
 */
export function reached(id: string, figure: string): void {
  const file = process.env.PROMISES_FILE;
  if (file === undefined) return;
  const record: ReachedFigure = { id, figure };
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

/** A count with separators of thousands: `2,013`. */
export function counted(count: number): string {
  return Math.round(count).toLocaleString('en');
}

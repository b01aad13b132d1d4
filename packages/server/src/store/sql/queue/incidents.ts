import { isQuarantined, type RunIncident } from '@millrace/core';
import type { UncleanEnd } from '../../executions.ts';
import type { Connection } from '../database/connection.ts';
import { quarantineOfRow } from './crash-counts.ts';

/** The columns that describe the incident of a run. */
export interface IncidentRow {
  readonly incident: string | null;
  readonly last_seq: number;
}

/** A incident as it is stored. */
interface StoredIncident extends RunIncident {
  /** The incident counts only while the journal ends here; null if it always counts. */
  readonly seq: number | null;
  /** The process that ended. */
  readonly processId: string;
}

/** The incidents of runs: that a run itself crashed or stalled the process. */
export interface Incidents {
  /** Counts an incident of a pending run, and holds the run back unless it is to fail. */
  record(end: UncleanEnd): void;
  /**
   * Releases the runs that are held back, a few seconds after the first claim.
   * @param monotonic milliseconds on the monotonic clock
   */
  releaseHeld(monotonic: number): void;
}

/**
 * Milliseconds for which a run with an incident is held back: if it stalls the process again, the service has been
 * available in between, and the other runs have continued.
 */
const holdMs = 2000;

/** The value of `blocked_on` of a run that is held back. */
const held = 'held';

/** The incident of a run that still counts. */
export function incidentOf({ incident, last_seq: lastSeq }: IncidentRow): RunIncident | null {
  const stored = readIncident(incident);
  if (stored === null || (stored.seq !== null && stored.seq !== lastSeq)) return null;
  const { seq: _seq, processId: _processId, ...counted } = stored;
  return counted;
}

/** A damaged incident does not count. */
function readIncident(text: string | null): StoredIncident | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as StoredIncident;
  } catch {
    return null;
  }
}

/** Prepares the statements on incidents. */
export function prepareIncidents(connection: Connection): Incidents {
  const find = connection.prepare<[string], IncidentRow>(
    `SELECT incident, last_seq FROM executions WHERE id = ? AND status = 'pending'`,
  );
  const store = connection.prepare<[string, string]>('UPDATE executions SET incident = ? WHERE id = ?');
  const hold = connection.prepare<[string]>(`UPDATE executions SET blocked_on = '${held}' WHERE id = ?`);
  const countHeld = connection.prepare<[], { count: number }>(
    `SELECT count(*) AS count FROM executions INDEXED BY executions_pending
     WHERE status = 'pending' AND blocked_on = '${held}'`,
  );
  const release = connection.prepare<[]>(
    `UPDATE executions INDEXED BY executions_pending SET blocked_on = ${quarantineOfRow}
     WHERE status = 'pending' AND blocked_on = '${held}'`,
  );
  let mayHaveHeld = (countHeld.get()?.count ?? 0) > 0;
  let firstClaimAt: number | null = null;
  return {
    record({ executionId, isCertain, ...known }) {
      const row = find.get(executionId);
      if (row === undefined) return;
      // The process that started after that end may have died before it removed its record.
      if (readIncident(row.incident)?.processId === known.processId) return;
      const count = (incidentOf(row)?.count ?? 0) + 1;
      const incident: StoredIncident = { ...known, count, seq: isCertain ? null : row.last_seq };
      store.run(JSON.stringify(incident), executionId);
      if (isQuarantined(incident)) return;
      hold.run(executionId);
      mayHaveHeld = true;
      firstClaimAt = null;
    },
    releaseHeld(monotonic) {
      if (!mayHaveHeld) return;
      firstClaimAt ??= monotonic;
      if (monotonic - firstClaimAt < holdMs) return;
      // Once more after it released some, because this transaction may be rolled back.
      mayHaveHeld = release.run().changes > 0;
    },
  };
}

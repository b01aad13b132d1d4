import { formatInstant, type Instant, parseInstant } from '@millrace/core';
import type { HourOfEnds } from '../../workflows.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects, EndStatus } from '../database/effects.ts';

/** Counts of ended executions by workflow and hour. They include executions that have been deleted since. */
export interface HourlyEnds {
  /** Writes the ends of a transaction, as one of its last statements. */
  store(effects: Effects): void;
  /** The hours from the given instant on, oldest first. Hours without ends are left out. */
  since(workflowId: number, at: Instant): readonly HourOfEnds[];
}

const hourMs = 3_600_000;
/** Older hours are deleted: a day and the hour that is not over. */
const storedHours = 25;

/** The hour that contains an instant, as the beginning of a timestamp. */
function hourOf(at: Instant): string {
  return formatInstant(at).slice(0, '2026-01-31T12'.length);
}

interface Row {
  readonly hour: string;
  readonly status: EndStatus;
  readonly n: number;
}

/** Prepares the statements on hourly counts. */
export function prepareHourlyEnds(connection: Connection): HourlyEnds {
  const add = connection.prepare<[number, string, string, number], { n: number }>(
    `INSERT INTO hourly_ends (workflow_id, hour, status, n) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET n = n + excluded.n RETURNING n`,
  );
  const removeOld = connection.prepare<[number, string]>('DELETE FROM hourly_ends WHERE workflow_id = ? AND hour < ?');
  const since = connection.prepare<[number, string], Row>(
    'SELECT hour, status, n FROM hourly_ends WHERE workflow_id = ? AND hour >= ? ORDER BY hour',
  );
  return {
    store({ ends, purged }) {
      for (const { workflowId, status, at, n } of ends.values()) {
        if (purged.includes(workflowId)) continue;
        const stored = add.get(workflowId, hourOf(at), status, n);
        // Only the first end of an hour deletes older hours.
        if (stored?.n === n) removeOld.run(workflowId, hourOf(at - storedHours * hourMs));
      }
    },
    since(workflowId, at) {
      const hours = new Map<string, HourOfEnds>();
      for (const { hour, status, n } of since.all(workflowId, hourOf(at))) {
        const startsAt = parseInstant(`${hour}:00:00.000000`);
        hours.set(hour, { completed: 0, failed: 0, cancelled: 0, ...hours.get(hour), startsAt, [status]: n });
      }
      return [...hours.values()];
    },
  };
}

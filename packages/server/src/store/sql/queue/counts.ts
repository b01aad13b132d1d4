import type { ExecutionStatus } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';

/** The number of runs, without counting rows. */
export interface Counts {
  /** Writes the changes of a transaction, as its last statement. A batch of many runs costs a few rows. */
  store(effects: Effects): void;
  /** Adds the open runs of a transaction that is on disk. */
  remember(effects: Effects): void;
  /** The pending and running runs of all users, or only those of one of the two statuses, from memory. */
  open(status?: OpenStatus): number;
  total(filter: CountFilter): number;
}

/** Whose runs to count: of all workflows and statuses unless given. */
export interface CountFilter {
  readonly ownerId: number;
  readonly workflowId?: number;
  readonly status?: ExecutionStatus;
}

/** In `execution_counts`, the row for an owner's runs of all workflows; no workflow has this id. */
const allWorkflows = 0;

const openStatuses = ['pending', 'running'] as const;

/** The status of a run that is claimed or waits to be claimed. */
export type OpenStatus = (typeof openStatuses)[number];

/** Prepares the statements on counts, and counts the open runs once. */
export function prepareCounts(connection: Connection): Counts {
  const ownerOf = connection.prepare<[number], { owner_id: number }>('SELECT owner_id FROM workflows WHERE id = ?');
  const add = connection.prepare<[number, number, string, number]>(
    `INSERT INTO execution_counts (owner_id, workflow_id, status, n) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  );
  const total = connection.prepare<[number, number, string | null], { n: number }>(
    `SELECT coalesce(sum(n), 0) AS n FROM execution_counts
     WHERE owner_id = ? AND workflow_id = ? AND status = coalesce(?, status)`,
  );
  const openAtStart = connection.prepare<[], Record<OpenStatus, number>>(
    `SELECT (SELECT count(*) FROM executions WHERE status = 'pending') AS pending,
       (SELECT count(*) FROM executions WHERE status = 'running') AS running`,
  );
  const open = { pending: 0, running: 0, ...openAtStart.get() };
  return {
    store(effects) {
      for (const [workflowId, changes] of effects.counts) {
        const ownerId = ownerOf.get(workflowId)?.owner_id;
        if (ownerId === undefined) throw new Error(`Runs of workflow ${workflowId} changed, and it does not exist.`);
        for (const [status, n] of changes) {
          if (n === 0) continue;
          add.run(ownerId, workflowId, status, n);
          add.run(ownerId, allWorkflows, status, n);
        }
      }
    },
    remember(effects) {
      for (const changes of effects.counts.values()) {
        for (const status of openStatuses) open[status] += changes.get(status) ?? 0;
      }
    },
    open: (status) => (status === undefined ? open.pending + open.running : open[status]),
    total: ({ ownerId, workflowId, status }) => total.get(ownerId, workflowId ?? allWorkflows, status ?? null)?.n ?? 0,
  };
}

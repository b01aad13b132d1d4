import type { Connection } from '../database/connection.ts';

/**
 * Bytes of journals and payloads that one transaction deletes, besides the run that exceeds them: some 30 ms. The
 * largest possible run alone takes about 140 ms.
 */
const maxDeletedBytes = 16_777_216;

/** Limits the bytes that one transaction deletes. */
export interface DeletionBudget {
  /** Counts a run before it is deleted; false if the transaction should delete no more before it. */
  take(id: string): boolean;
}

/** Prepares the statement that measures runs; the result begins a budget for each transaction. */
export function prepareDeletionBudget(connection: Connection): () => DeletionBudget {
  const sizes = connection
    .prepare<[string, string, string, string], number>(
      `SELECT octet_length(payload) FROM triggers WHERE execution_id = ?
       UNION ALL SELECT octet_length(data) FROM journal WHERE execution_id = ?
       UNION ALL SELECT octet_length(b.json) FROM blob_uses u JOIN blobs b ON b.hash = u.hash WHERE u.execution_id = ?
       UNION ALL SELECT bytes FROM recordings WHERE execution_id = ?`,
    )
    .pluck();
  return () => {
    let left = maxDeletedBytes;
    return {
      take(id) {
        if (left <= 0) return false;
        for (const size of sizes.iterate(id, id, id, id)) {
          left -= size;
          if (left <= 0) break;
        }
        return true;
      },
    };
  };
}

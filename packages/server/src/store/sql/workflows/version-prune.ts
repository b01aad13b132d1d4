import type { Connection } from '../database/connection.ts';
import { versionChain } from './version-row.ts';

/** Stored versions per workflow: reading the oldest takes some 60 ms, in slices. */
const keptVersions = 2_000;
/**
 * Bytes that the versions of a workflow may take together. Beyond this the oldest are pruned, even if they are fewer
 * than `keptVersions`.
 */
const storedBytes = 16 * 1024 * 1024;
/**
 * Checking for versions to prune reads all rows of the workflow. If only their number matters, one save in this many
 * checks.
 */
const pruneEvery = 100;
/**
 * As long as no undo is longer, the number limit keeps them within `storedBytes`: a character takes up to three bytes.
 */
const smallLength = storedBytes / keptVersions / 3;

interface LinkRow {
  readonly id: number;
  readonly version: number;
  readonly bytes: number;
}

interface Newest {
  readonly workflowId: number;
  readonly version: number;
  /** The id of that version's row. */
  readonly newestId: number;
  /** The length of its undo, in characters. */
  readonly length: number;
  /** The oldest stored version. */
  readonly oldest: number;
}

function mayExceed({ version, oldest, length }: Newest): boolean {
  return length > smallLength || (version % pruneEvery === 0 && version - oldest >= keptVersions);
}

/**
 * Deletes a workflow's oldest versions from time to time, so that its history stays bounded. Keeps the published one.
 */
export function prepareVersionPrune(connection: Connection): (newest: Newest) => void {
  const all = connection.prepare<[number, number, number], LinkRow>(
    `${versionChain} SELECT v.id, v.version, octet_length(v.undo) AS bytes
     FROM chain JOIN graph_versions v ON v.id = chain.id ORDER BY v.version DESC`,
  );
  // The published version can still be read: from its row here and its graph in workflow_versions.
  const remove = connection.prepare<[number, number]>(
    `DELETE FROM graph_versions
     WHERE id = ? AND id IS NOT (SELECT published_version_id FROM workflows WHERE id = ?)`,
  );
  const removePublications = connection.prepare<[number, number, number]>(
    `DELETE FROM publications WHERE workflow_id = ? AND version < ?
       AND version IS NOT (SELECT published_version FROM workflows WHERE id = ?)`,
  );
  const setOldest = connection.prepare<[number, number]>('UPDATE workflows SET oldest_version = ? WHERE id = ?');
  const noLimit = -1;
  return (newest) => {
    if (!mayExceed(newest)) return;
    const { workflowId, newestId } = newest;
    const rows = all.all(newestId, noLimit, 0);
    let bytes = 0;
    // A version is read by undoing those after it, so its own undo does not count.
    const tooMany = rows.findIndex((row, index) => {
      const isOver = index >= keptVersions || bytes > storedBytes;
      bytes += row.bytes;
      return isOver;
    });
    const oldest = rows[tooMany - 1];
    if (oldest === undefined) return;
    for (const row of rows.slice(tooMany)) remove.run(row.id, workflowId);
    removePublications.run(workflowId, oldest.version, workflowId);
    setOldest.run(oldest.version, workflowId);
  };
}

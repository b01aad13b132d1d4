import { statSync } from 'node:fs';

/** The log of a database has data, but the database itself is gone. The message is one line. */
export class OrphanedLog extends Error {
  constructor(path: string) {
    super(
      `The database ${path} is missing or empty, but its log ${path}-wal has data: put the database back beside it. ` +
        `If it is lost, move ${path}-wal and ${path}-shm away, then restore the database from a backup.`,
    );
    this.name = 'OrphanedLog';
  }
}

/** Whether there is a database with content. */
export function hasContent(path: string): boolean {
  return sizeOf(path) > 0;
}

/** SQLite deletes the log of an empty database when it opens it. @throws OrphanedLog before that happens */
export function requireDatabaseOfLog(path: string): void {
  if (!hasContent(path) && sizeOf(`${path}-wal`) > 0) throw new OrphanedLog(path);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

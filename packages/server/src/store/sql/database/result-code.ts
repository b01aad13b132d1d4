import Database from 'better-sqlite3';

/** The primary result code of an error of SQLite, such as `SQLITE_IOERR`; undefined for any other error. */
export function resultCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined;
  // Extended codes append their cause: SQLITE_IOERR_WRITE is an SQLITE_IOERR.
  return error.code.split('_', 2).join('_');
}

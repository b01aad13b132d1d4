import { Problem } from '@millrace/core';
import { resultCodeOf } from './result-code.ts';

/** The meaning of each SQLite result code for a failure of the disk or the file, not of the statement. */
const causes: ReadonlyMap<string, string> = new Map([
  ['SQLITE_FULL', 'its disk is full. Free some space'],
  ['SQLITE_IOERR', 'its disk reports an error. Check the disk'],
  ['SQLITE_READONLY', 'its file is read-only. Make it writable'],
  ['SQLITE_CORRUPT', 'its file is damaged. Restore a backup'],
  ['SQLITE_NOTADB', 'its file is damaged. Restore a backup'],
  ['SQLITE_CANTOPEN', 'its file cannot be opened. Check that it exists and is writable'],
  ['SQLITE_BUSY', 'another program has locked it. Stop that program'],
  ['SQLITE_LOCKED', 'another program has locked it. Stop that program'],
  ['SQLITE_PROTOCOL', 'another program has locked it. Stop that program'],
  ['SQLITE_NOMEM', 'memory has run out. Free some memory'],
]);

/** What failed, and what to do about it: two phrases for a message. Undefined for an error of a statement. */
export function causeOf(error: unknown): string | undefined {
  return causes.get(resultCodeOf(error) ?? '');
}

/** True if SQLite met a page that it cannot use. */
export function isDamagedFile(error: unknown): boolean {
  const code = resultCodeOf(error);
  return code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB';
}

/** A stored value that differs from what its writer wrote. */
export class Damage extends Error {}

/** Whether a stored text is not the JSON, or not the shape, that was written. A retry gives the same result. */
function isDamage(error: unknown): boolean {
  // In the store only JSON.parse throws this, and it parses nothing but columns.
  return error instanceof SyntaxError || error instanceof Damage;
}

/** True if the database itself failed, so that nothing can be stored until the cause is fixed. */
export function isStorageFailure(error: unknown): boolean {
  return causeOf(error) !== undefined;
}

/** A storage failure or damage as an error with a message for the caller; any other error unchanged. */
export function writeFailure(error: unknown): unknown {
  const cause = causeOf(error);
  if (cause === undefined) return isDamage(error) ? damagedData(error) : error;
  return new Problem(
    'store_unavailable',
    `The database cannot write now; nothing was stored: ${cause}, then try again.`,
  );
}

/** The same for a read. */
export function readFailure(error: unknown): unknown {
  const cause = causeOf(error);
  if (cause === undefined) return isDamage(error) ? damagedData(error) : error;
  return new Problem('store_unavailable', `The database cannot be read now: ${cause}, then try again.`);
}

function damagedData(error: unknown): Problem {
  const what = error instanceof Damage ? error.message : 'The stored data';
  const problem = new Problem(
    'data_damaged',
    `${what} is damaged and cannot be read: restore a backup of the database, or delete the object.`,
  );
  // For the log.
  problem.cause = error;
  return problem;
}

/** The rejection of every call after the store is closed. */
export function closedStore(): Problem {
  return new Problem('store_unavailable', 'The service is stopping; nothing was stored. Try again when it runs.');
}

/** The rejection of every call after the files of the database were deleted or replaced. */
export function lostFiles(reason: string, remedy: string): Problem {
  return new Problem('store_unavailable', `${reason} Nothing more is read or stored. ${remedy}, see docs/storage.md.`);
}

/** The rejection of every write after damage was found in the file of the database. */
export function damagedFile(): Problem {
  return new Problem(
    'store_unavailable',
    'The file of the database is damaged. It is still read, but nothing more is stored. ' +
      'Restore a backup or recover the data, see docs/storage.md.',
  );
}

/** The rejection of every call after a sync has failed. */
export function lostWrites(): Problem {
  return new Problem(
    'store_unavailable',
    'The disk reports that it could not store written data; nothing more is stored. Check the disk, then restart the service.',
  );
}

/** `Retry-After` in seconds: copying the log takes seconds on a slow disk, and there is an attempt every second. */
const logRetryAfter = 5;

/** The rejection of new work while the disk is too slow for what is written. */
export function slowDisk(): Problem {
  const detail = 'The disk is too slow for what is written at the moment. Try again later.';
  return new Problem('overloaded', detail, { retryAfter: logRetryAfter });
}

/** The rejection of new work while the log cannot restart. */
export function blockedLog(): Problem {
  const detail =
    'The log of the database cannot restart while another program reads the database. Stop that program, or try again later.';
  return new Problem('overloaded', detail, { retryAfter: logRetryAfter });
}

/** The rejection of every write while the log is as large as it may become. */
export function fullLog(): Problem {
  return new Problem(
    'store_unavailable',
    'The log of the database is full, because it cannot be copied into the database; nothing was stored. ' +
      'Stop programs that read the database, check its disk, then try again.',
  );
}

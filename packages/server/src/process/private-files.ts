import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf, StartError } from './start-error.ts';

/** The log for files that were accessible to other users. */
interface AccessLog {
  warn(details: object, message: string): void;
}

const otherUsersBits = 0o077;
const otherUsersWriteBits = 0o022;
const stickyBit = 0o1000;

/** Any of these shows that a folder is a data directory. */
const ownFiles: ReadonlySet<string> = new Set(['millrace.lock', 'millrace.db', 'admin.key', 'secret.key']);

/** Opens the data directory, creates it if necessary, and makes it private. @throws StartError */
export function openDataDirectory(path: string, log: AccessLog): string {
  const dataDir = resolve(path);
  try {
    makeDirectory(dataDir);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `The data directory ${dataDir} cannot be written (${codeOf(error)}): set MILLRACE_DATA_DIR to a writable one.`,
    );
  }
  makeDirectoryPrivate(dataDir, log);
  return dataDir;
}

/** Level by level: Node's own `recursive` loops forever if nothing can be created in an existing parent. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function makeDirectoryPrivate(path: string, log: AccessLog): void {
  const mode = modeOf(path);
  if ((mode & otherUsersBits) === 0) return;
  const found = `Other users have access to the data directory ${path} (mode ${mode.toString(8)})`;
  // A folder of other programs, such as /tmp, must not be taken away from them.
  if ((mode & stickyBit) !== 0 || !isDataDirectory(path)) {
    throw new StartError(
      `${found}, and it has other files: set MILLRACE_DATA_DIR to a folder of its own, or chmod 700 this one.`,
    );
  }
  try {
    chmodSync(path, mode & ~otherUsersBits);
  } catch (error) {
    throw new StartError(
      `${found}, which cannot be changed (${codeOf(error)}): set MILLRACE_DATA_DIR to a new folder in it, or chmod 700 it.`,
    );
  }
  log.warn({ path, mode: mode.toString(8) }, 'the data directory was accessible to other users; it is private now');
}

/** Whether a folder is empty or has files of the service. A new file system has the folder `lost+found`. */
function isDataDirectory(path: string): boolean {
  const names = readdirSync(path).filter((name) => name !== 'lost+found');
  return names.length === 0 || names.some((name) => ownFiles.has(name));
}

/**
 * Makes the files of the service private. The folder of a database elsewhere is the operator's: it may have other files,
 * but nobody else may replace the database.
 * @throws StartError
 */
export function makeFilesPrivate(dataDir: string, databaseFile: string, log: AccessLog): void {
  const folder = dirname(resolve(databaseFile));
  const mode = existsSync(folder) ? modeOf(folder) : 0;
  if ((mode & otherUsersWriteBits) !== 0) {
    throw new StartError(
      `Other users may write to the folder of the database, ${folder} (mode ${mode.toString(8)}): chmod 700 it, ` +
        'or set MILLRACE_DATABASE_URL to a file in a private folder.',
    );
  }
  const inDataDir = ['admin.key', 'millrace.lock'].map((name) => join(dataDir, name));
  // SQLite gives its log the mode of the database.
  const ofDatabase = ['', '-wal', '-shm', '-work', '.lock'].map((suffix) => databaseFile + suffix);
  for (const file of [...inDataDir, ...ofDatabase]) makeFilePrivate(file, log);
}

function makeFilePrivate(path: string, log: AccessLog): void {
  if (!existsSync(path)) return;
  const mode = modeOf(path);
  if ((mode & otherUsersBits) === 0) return;
  try {
    chmodSync(path, mode & ~otherUsersBits);
  } catch (error) {
    throw new StartError(
      `Other users have access to ${path} (mode ${mode.toString(8)}), which cannot be changed (${codeOf(error)}): chmod 600 it.`,
    );
  }
  log.warn({ path, mode: mode.toString(8) }, 'a file was accessible to other users; it is private now');
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}

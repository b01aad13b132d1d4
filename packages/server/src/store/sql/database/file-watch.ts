import { type BigIntStats, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why the files at the database's path are no longer those that are open. */
export interface FileChange {
  /** For callers and the log: without a path. */
  readonly reason: string;
  /** Whether the open database is the one at its path, so that closing it brings its log into it. */
  readonly isDatabaseIntact: boolean;
}

/**
 * Compares the files of a database with those that are open: by their identity (device and inode), never by times, in
 * which a slow checkpoint looks like another program.
 */
export interface FileWatch {
  /** Whether a file was deleted or replaced by another: about a microsecond, so it is called for every commit. */
  missing(): FileChange | null;
  /** The same, and compares each file although their folder did not change. Called several times a second. */
  look(): FileChange | null;
}

/**
 * Milliseconds for which the files are compared after their folder changed. A second change in the same tick of the
 * file system's clock does not show: ticks take up to 10 ms, and 2 s on file systems of removable disks.
 */
const settleMs = 3000;

/** For a database in memory. */
export const noFiles: FileWatch = { missing: () => null, look: () => null };

/** Watches the files of a database that was just opened. */
export function watchFiles(path: string, monotonic: () => number = () => performance.now()): FileWatch {
  return new OpenFiles(path, monotonic);
}

class OpenFiles implements FileWatch {
  readonly #monotonic: () => number;
  readonly #path: string;
  readonly #opened: ReadonlyMap<string, string>;
  readonly #folder: string;
  /** The folder when it was last seen to change. */
  #seen: Stats | undefined;
  #seenAt = 0;
  #isSettled = false;

  constructor(path: string, monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#path = path;
    this.#folder = dirname(path);
    this.#opened = new Map(['', '-wal', '-shm'].map((suffix) => [suffix, identityOf(statOf(path + suffix))]));
  }

  missing(): FileChange | null {
    return this.#isFolderUnchanged() ? null : this.look();
  }

  /**
   * Deleting, renaming and replacing a file change its folder, so that one call replaces three. Its `ctime` is
   * compared, because programs that copy folders set its `mtime` to that of the original.
   */
  #isFolderUnchanged(): boolean {
    const folder = statSync(this.#folder, { throwIfNoEntry: false });
    const seen = this.#seen;
    const isSame = folder?.ctimeMs === seen?.ctimeMs && folder?.ino === seen?.ino && folder?.dev === seen?.dev;
    if (isSame && this.#isSettled) return true;
    const now = this.#monotonic();
    if (!isSame) this.#seenAt = now;
    this.#seen = folder;
    // The files are compared once more after the folder has settled.
    this.#isSettled = isSame && now - this.#seenAt > settleMs;
    return false;
  }

  look(): FileChange | null {
    for (const [suffix, opened] of this.#opened) {
      if (identityOf(statOf(this.#path + suffix)) === opened) continue;
      const isDatabase = suffix === '';
      const file = isDatabase ? 'The file of the database' : 'The log of the database';
      return { reason: `${file} was deleted or replaced while the service ran.`, isDatabaseIntact: !isDatabase };
    }
    return null;
  }
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function identityOf(stat: BigIntStats | undefined): string {
  return stat === undefined ? 'missing' : `${stat.dev}:${stat.ino}`;
}

import { lstatSync, realpathSync } from 'node:fs';

/** The path of the database is a link to a file that does not exist. The message is one line. */
export class DanglingLink extends Error {
  constructor(path: string) {
    super(
      `The database ${path} is a link to a file that does not exist: mount its file system, or put the database back. ` +
        'For a new database, delete the link, or set MILLRACE_DATABASE_URL to the new file.',
    );
    this.name = 'DanglingLink';
  }
}

/**
 * The file at the end of a symbolic link. SQLite has the log beside that file, and not beside the link.
 * @throws DanglingLink
 */
export function linkedFile(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw new DanglingLink(path);
    throw error;
  }
}

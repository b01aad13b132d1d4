import type { Problem } from '@millrace/core';
import type { Connection } from './connection.ts';
import { damagedFile, lostFiles } from './failures.ts';
import type { FileChange, FileWatch } from './file-watch.ts';

interface FileGuardPorts {
  readonly connection: Connection;
  readonly files: FileWatch;
  readonly log: { error(details: object, message: string): void } | undefined;
}

/** Everything that was acknowledged is in the open files: what brings it to where the next start finds it. */
const remedies = {
  database:
    'What was stored is in the file that was here before and in the log: stop the service, then put that file back, ' +
    'or move the log away',
  log: 'Stop the service normally: that writes what was stored into the database',
};

/**
 * Ends all acknowledging once the files of the database were deleted or replaced, or are damaged. The process continues
 * to run: as long as it does, the system keeps a deleted file, from which an operator can still copy the data. Files are
 * neither moved nor deleted: they may be the only ones that hold what was acknowledged.
 *
 * A damaged file is still read, so that its users can save what is readable. It is not written: SQLite may take a page
 * that is in use for a free one, and each write can destroy data that is still whole.
 */
export class FileGuard {
  readonly #ports: FileGuardPorts;
  #change: { readonly file: FileChange; readonly problem: Problem } | null = null;
  #damage: Problem | null = null;

  constructor(ports: FileGuardPorts) {
    this.#ports = ports;
    ports.connection.onDamage((found) => this.damaged(found));
  }

  /** The known reason why nothing may be written. */
  get problem(): Problem | null {
    return this.#change?.problem ?? this.#damage;
  }

  /** A damaged file is not written, not even when it is closed. */
  get isDamaged(): boolean {
    return this.#damage !== null;
  }

  /** Called before each acknowledgement: the reason why there must be none. */
  check(): Problem | null {
    if (this.#change === null) this.#note(this.#ports.files.missing());
    return this.problem;
  }

  /** Called several times a second. */
  look(): void {
    if (this.#change === null) this.#note(this.#ports.files.look());
  }

  /** SQLite met damage in the file, which it describes. */
  damaged(found: string): void {
    if (this.problem !== null) return;
    this.#damage = damagedFile();
    this.#ports.log?.error(
      { damage: found },
      'the file of the database is damaged: nothing more is stored; restore a backup or recover the data, see docs/storage.md',
    );
  }

  /** False if closing would write the log into a file that is not its database. */
  get mayClose(): boolean {
    return this.#change?.file.isDatabaseIntact ?? true;
  }

  #note(file: FileChange | null): void {
    if (file === null) return;
    const { connection, log } = this.#ports;
    const problem = lostFiles(file.reason, file.isDatabaseIntact ? remedies.log : remedies.database);
    this.#change = { file, problem };
    connection.rejectReads(problem);
    log?.error({ reason: problem.detail }, 'the database is lost: nothing more is acknowledged');
  }
}

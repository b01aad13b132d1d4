import type { Problem } from '@millrace/core';
import type { Checkpoints } from './checkpoints.ts';
import type { Connection } from './connection.ts';
import { damagedFile, lostFiles } from './failures.ts';
import type { FileChange, FileWatch } from './file-watch.ts';

interface FileGuardPorts {
  readonly connection: Connection;
  readonly checkpoints: Checkpoints;
  readonly files: FileWatch;
  readonly log: { error(details: object, message: string): void } | undefined;
}

/**
 * Ends all acknowledging once the files of the database were deleted or replaced, or are damaged. The process continues
 * to run: as long as it does, the system keeps a deleted file, from which an operator can still copy the data.
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
    // The state to compare with, before any other program can write.
    this.look();
  }

  /** The known reason why nothing may be written. */
  get problem(): Problem | null {
    return this.#change?.problem ?? this.#damage;
  }

  /** Called before each acknowledgement: the reason why there must be none. */
  check(): Problem | null {
    if (this.#change === null) this.#note(this.#ports.files.missing());
    return this.problem;
  }

  /** Called several times a second. */
  look(): void {
    const { files, connection, checkpoints } = this.#ports;
    if (this.#change !== null) return;
    this.#note(files.look(() => `${checkpoints.passes} ${connection.checkpointProgress()}`));
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
    const { connection, files, log } = this.#ports;
    const problem = lostFiles(file.reason);
    this.#change = { file, problem };
    connection.rejectReads(problem);
    log?.error({ reason: file.reason }, 'the database is lost: nothing more is acknowledged');
    if (!file.isDatabaseIntact) files.setLogAside();
  }
}

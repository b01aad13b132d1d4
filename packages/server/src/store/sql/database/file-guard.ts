import type { Problem } from '@millrace/core';
import type { Checkpoints } from './checkpoints.ts';
import type { Connection } from './connection.ts';
import { lostFiles } from './failures.ts';
import type { FileChange, FileWatch } from './file-watch.ts';

interface FileGuardPorts {
  readonly connection: Connection;
  readonly checkpoints: Checkpoints;
  readonly files: FileWatch;
  readonly log: { error(details: object, message: string): void } | undefined;
}

/**
 * Ends all reading and acknowledging once the files of the database were deleted or replaced. The process continues to
 * run: as long as it does, the system keeps a deleted file, from which an operator can still copy the data.
 */
export class FileGuard {
  readonly #ports: FileGuardPorts;
  #change: { readonly file: FileChange; readonly problem: Problem } | null = null;

  constructor(ports: FileGuardPorts) {
    this.#ports = ports;
    // The state to compare with, before any other program can write.
    this.look();
  }

  /** Called before each acknowledgement: the reason why there must be none. */
  check(): Problem | null {
    if (this.#change === null) this.#note(this.#ports.files.missing());
    return this.#change?.problem ?? null;
  }

  /** Called several times a second. */
  look(): void {
    const { files, connection, checkpoints } = this.#ports;
    if (this.#change !== null) return;
    this.#note(files.look(() => `${checkpoints.passes} ${connection.checkpointProgress()}`));
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

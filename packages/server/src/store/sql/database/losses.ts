import type { Problem } from '@millrace/core';
import type { Checkpoints } from './checkpoints.ts';
import type { Connection } from './connection.ts';
import { lostFiles } from './failures.ts';
import type { FileLoss, FileWatch } from './file-watch.ts';

interface LossPorts {
  readonly connection: Connection;
  readonly checkpoints: Checkpoints;
  readonly files: FileWatch;
  readonly log: { error(details: object, message: string): void } | undefined;
}

/**
 * Ends all reading and acknowledging once the files of the database were deleted or replaced. The process continues to
 * run: as long as it does, the system keeps a deleted file, from which an operator can still copy the data.
 */
export class Losses {
  readonly #ports: LossPorts;
  #loss: { readonly file: FileLoss; readonly problem: Problem } | null = null;

  constructor(ports: LossPorts) {
    this.#ports = ports;
    // The state to compare with, before any other program can write.
    this.look();
  }

  /** Called before each acknowledgement: the reason why there must be none. */
  check(): Problem | null {
    if (this.#loss === null) this.#note(this.#ports.files.missing());
    return this.#loss?.problem ?? null;
  }

  /** Called several times a second. */
  look(): void {
    const { files, connection, checkpoints } = this.#ports;
    if (this.#loss !== null) return;
    this.#note(files.look(() => `${checkpoints.passes} ${connection.checkpointProgress()}`));
  }

  /** False if closing would write the log into a file that is not its database. */
  get mayClose(): boolean {
    return this.#loss?.file.isDatabaseIntact ?? true;
  }

  #note(file: FileLoss | null): void {
    if (file === null) return;
    const { connection, files, log } = this.#ports;
    const problem = lostFiles(file.reason);
    this.#loss = { file, problem };
    connection.rejectReads(problem);
    log?.error({ reason: file.reason }, 'the database is lost: nothing more is acknowledged');
    if (!file.isDatabaseIntact) files.setLogAside();
  }
}

import type { Instant } from '@millrace/core';
import type { SecretKeyRecord } from './credentials.ts';

/** A backup cannot be made or restored, for a reason that the operator can fix. The message is one line. */
export class BackupError extends Error {}

/** What a backup says about itself. */
export interface BackupManifest {
  readonly createdAt: Instant;
  /** The number of the newest migration of its database. */
  readonly schemaVersion: number;
  /** How many objects of each kind it has, by the name of the kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** The ids of the keys that its secrets need. */
  readonly keyIds: readonly string[];
}

/** A copy that was made and verified, and takes effect only with `keep`. */
interface Draft {
  readonly manifest: BackupManifest;
  /** Deletes it. */
  discard(): void;
}

/** A backup under a temporary name. */
export interface BackupDraft extends Draft {
  readonly bytes: number;
  /** Gives it its name. @throws BackupError if a file has that name by now */
  keep(): void;
}

/** A copy of a backup beside the database that it is to replace. */
export interface RestoreDraft extends Draft {
  readonly keys: readonly SecretKeyRecord[];
  /** Replaces the database; returns the path to which the one before it was moved, or null if there was none. */
  keep(): string | null;
}

/** Copies whole databases. */
export interface Backups {
  /**
   * Copies a database, which a service may be using: the state of one moment, in one file.
   * @throws BackupError
   */
  copy(order: { database: string; target: string; at: Instant; signal?: AbortSignal }): Promise<BackupDraft>;
  /**
   * Copies a backup beside the database. The caller has locked the database.
   * @throws BackupError, NewerDatabase
   */
  prepareRestore(order: { backup: string; database: string }): RestoreDraft;
  /**
   * Completes a replacement that was interrupted. Returns false if there was none. The caller has locked the database.
   */
  finishRestore(database: string): boolean;
  /** True if a replacement was interrupted after it took effect. */
  isRestorePending(database: string): boolean;
  /** True if there is a database, or a log of one. */
  exists(database: string): boolean;
}

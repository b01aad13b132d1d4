import type { Instant } from '@millrace/core';

/** Runs that are not kept for ever. */
export interface RetentionStore {
  /** How many runs of each workflow have ended, those in the trash included. */
  endedRuns(): Promise<readonly { readonly workflowId: number; readonly ended: number }[]>;
  /**
   * Looks at some of the oldest runs of a workflow, and removes of those that have ended the ones that are too old or too
   * many, with all they had. A run stays whose parent has not ended, and one whose idempotency key still stands for it.
   */
  prune(params: Pruning): Promise<Pruned>;
  /** Forgets graphs of versions that no run of a workflow names any more, up to so many; true when there may be more. */
  pruneVersions(params: { workflowId: number; limit: number }): Promise<boolean>;
  /** Gives free pages of the file back to the system, up to so many; true when there are more to give. */
  compact(params: { pages: number }): Promise<boolean>;
}

/** Which runs to remove. */
export interface Pruning {
  readonly workflowId: number;
  /** Those that ended before this are too old; null when none is. */
  readonly endedBefore: Instant | null;
  /** So many are too many: the oldest. */
  readonly excess: number;
  /** Idempotency keys from before this stand for nothing any more. */
  readonly keysSince: Instant;
  /** How many to look at: the time that one transaction takes. */
  readonly limit: number;
  /** Where to go on; null at the beginning. */
  readonly after: RunPlace | null;
}

/** A place among the runs of a workflow, oldest first. */
export interface RunPlace {
  readonly acceptedAt: Instant;
  readonly id: string;
}

/** What was removed, and where to go on; null at the end. */
export interface Pruned {
  readonly removed: number;
  readonly next: RunPlace | null;
}

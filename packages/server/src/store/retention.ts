import type { Instant } from '@millrace/core';

/** Deletion of old runs. */
export interface RetentionStore {
  /** The number of ended runs of each workflow, including workflows in the trash. */
  endedRuns(): Promise<readonly { readonly workflowId: number; readonly ended: number }[]>;
  /**
   * Examines some of the oldest runs of a workflow, and deletes those that have ended and are too old or exceed the
   * number, with all their data. Does not delete a run whose parent has not ended, or whose idempotency key is still
   * valid.
   */
  prune(params: Pruning): Promise<Pruned>;
  /** Deletes up to this many graphs of versions that no run of a workflow refers to; true if there may be more. */
  pruneVersions(params: { workflowId: number; limit: number }): Promise<boolean>;
  /**
   * Examines the sets of variables after this id, and deletes those that no run reads any more with the values that only
   * they contain. Returns the id after which to continue; null at the end.
   */
  pruneVariables(params: { afterId: number; limit: number }): Promise<number | null>;
  /** Returns up to this many free pages of the file to the system; true if there are more. */
  compact(params: { pages: number }): Promise<boolean>;
}

/** Which runs to delete. */
export interface Pruning {
  readonly workflowId: number;
  /** Runs that ended before this time are too old; null if no age limit applies. */
  readonly endedBefore: Instant | null;
  /** The number of runs over the limit: the oldest ones. */
  readonly excess: number;
  /** Runs that ended at this time or later are not deleted for their number. */
  readonly recentSince: Instant;
  /** Idempotency keys from before this time are no longer valid. */
  readonly keysSince: Instant;
  /** How many to examine: bounds the time of one transaction. */
  readonly limit: number;
  /** Where to continue; null at the beginning. */
  readonly after: RunPlace | null;
}

/** A position among the runs of a workflow, oldest first. */
export interface RunPlace {
  readonly acceptedAt: Instant;
  readonly id: string;
}

/** The number of deleted runs, and where to continue; null at the end. */
export interface Pruned {
  readonly removed: number;
  readonly next: RunPlace | null;
}

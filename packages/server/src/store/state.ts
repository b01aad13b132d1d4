import type { Instant, Json, StateEntry, StateKey } from '@millrace/core';

/** The values that persist between runs, as people read and change them. Steps change them by `executions.append`. */
export interface StateStore {
  /** Null when there is no value, or it has expired. */
  read(params: StateKey & { workflowId: number; at: Instant }): Promise<StateEntry | null>;
  write(params: StateKey & { workflowId: number; value: Json; at: Instant }): Promise<void>;
  remove(params: StateKey & { workflowId: number; at: Instant }): Promise<void>;
}

import type { Instant } from '@millrace/core';

/** The YAML texts of workflows as their editors wrote them. A text may be older than the graph of its workflow. */
export interface WorkflowTextStore {
  /** Null if no text was stored. */
  read(workflowId: number): Promise<string | null>;
  write(params: { workflowId: number; text: string; at: Instant }): Promise<void>;
}

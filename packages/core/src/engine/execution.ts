import type { ModelUsage } from '../component/model.ts';
import type { Json } from '../json.ts';
import type { Instant } from '../time.ts';
import type { Failure } from './journal/history.ts';

export const executionStatuses = [
  'pending',
  'running',
  'waiting',
  'interrupted',
  'completed',
  'failed',
  'cancelled',
] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

/** A run as the API lists it. */
export interface Execution {
  /** UUIDv7. */
  readonly id: string;
  readonly workflowId: number;
  readonly workflowSlug: string;
  readonly workflowVersion: number;
  readonly status: ExecutionStatus;
  readonly failure: Failure | null;
  readonly triggerNodeId: string;
  readonly parentExecutionId: string | null;
  /** The execution whose results it began with. */
  readonly replayOf: string | null;
  readonly acceptedAt: Instant;
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
  /** What the model calls of its steps took. */
  readonly usage: ModelUsage;
}

/** What started a run: kept as it came, and what the trigger node turns into its outputs. */
export interface Trigger {
  /** The JSON payload. */
  readonly payload: Json;
  /** The payload's text: of a chat message or of `execute/` with `text`; else empty. */
  readonly text: string;
  /** Request headers and query of a webhook, without anything secret. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Of a chat message: which conversation it belongs to. */
  readonly sessionId?: string;
}

export function isEnded(status: ExecutionStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

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
  /** The node whose failure ended it, or that it was at when it ended. */
  readonly errorNodeId: string | null;
  readonly triggerNodeId: string;
  readonly parentExecutionId: string | null;
  /** The execution whose results it reuses. */
  readonly replayOf: string | null;
  /** Whether it is recorded, or gets recorded answers; null also for the runs that such a run starts. */
  readonly recording: 'recorded' | 'replayed' | null;
  /** The last node to run, for a run of only the nodes before it. */
  readonly toNodeId: string | null;
  readonly acceptedAt: Instant;
  readonly startedAt: Instant | null;
  readonly completedAt: Instant | null;
  /** The usage of its steps' model calls. */
  readonly usage: ModelUsage;
}

/** The query of a request. A repeated parameter has the list of its values. */
export type QueryParameters = Readonly<Record<string, string | readonly string[]>>;

/** The event that started a run: stored as received; the trigger node converts it to its outputs. */
export interface Trigger {
  /** The JSON payload. */
  readonly payload: Json;
  /** The payload's text: the chat message, or `text` of `execute/`; else empty. */
  readonly text: string;
  /** Request headers and query of a webhook, without secrets. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: QueryParameters;
  /** The conversation of a chat message. */
  readonly sessionId?: string;
}

export function isEnded(status: ExecutionStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

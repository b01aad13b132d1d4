import { type ErrorCode, type ExecutionStatus, isObject, type Json, parseInstant, type Trigger } from '@millrace/core';
import type { OwnedExecution } from '../../executions.ts';
import type { RunRecording } from '../../recordings.ts';
import { type Bit, parseInstantOrNull, parseJsonOrNull } from '../database/columns.ts';

/** The columns of a run as the API shows it, including its workflow's slug. */
export interface ExecutionRow {
  readonly id: string;
  readonly workflow_id: number;
  readonly owner_id: number;
  readonly slug: string;
  readonly version: number;
  readonly status: ExecutionStatus;
  readonly error_code: ErrorCode | null;
  readonly error_message: string | null;
  readonly error_node_id: string | null;
  readonly trigger_node_id: string;
  readonly parent_execution_id: string | null;
  readonly replay_of: string | null;
  readonly to_node_id: string | null;
  readonly is_manual: Bit;
  readonly recorded_in: string | null;
  readonly answered_by: string | null;
  readonly accepted_at: string;
  readonly started_at: string | null;
  readonly first_started_at: string | null;
  readonly completed_at: string | null;
  readonly llm_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
}

/** The column names for a SELECT over `executions AS e JOIN workflows AS w`. */
export const executionColumns = [
  'e.id',
  'e.workflow_id',
  'e.owner_id',
  'w.slug',
  'e.version',
  'e.status',
  'e.error_code',
  'e.error_message',
  'e.error_node_id',
  'e.trigger_node_id',
  'e.parent_execution_id',
  'e.replay_of',
  'e.to_node_id',
  'e.is_manual',
  'e.recorded_in',
  'e.answered_by',
  'e.accepted_at',
  'e.started_at',
  'e.first_started_at',
  'e.completed_at',
  'e.llm_calls',
  'e.input_tokens',
  'e.output_tokens',
  'e.cost_usd',
] as const;

/** Converts a row to a run. */
export function toExecution(row: ExecutionRow): OwnedExecution {
  const recordedIn = recordingOf(row);
  const { error_code: code, error_message: message } = row;
  return {
    id: row.id,
    workflowId: row.workflow_id,
    ownerId: row.owner_id,
    workflowSlug: row.slug,
    workflowVersion: row.version,
    status: row.status,
    failure: code === null || message === null ? null : { code, message },
    errorNodeId: row.error_node_id,
    triggerNodeId: row.trigger_node_id,
    parentExecutionId: row.parent_execution_id,
    replayOf: row.replay_of,
    toNodeId: row.to_node_id,
    isManual: row.is_manual === 1,
    recordedIn,
    recording: recordedIn?.id !== row.id ? null : recordedIn.isReplayed ? 'replayed' : 'recorded',
    acceptedAt: parseInstant(row.accepted_at),
    startedAt: parseInstantOrNull(row.first_started_at ?? row.started_at),
    completedAt: parseInstantOrNull(row.completed_at),
    usage: {
      calls: row.llm_calls,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      costUsd: row.cost_usd,
    },
  };
}

/** The recording in which a run takes part. */
export function recordingOf(row: Pick<ExecutionRow, 'recorded_in' | 'answered_by'>): RunRecording | null {
  const id = row.answered_by ?? row.recorded_in;
  return id === null ? null : { id, isReplayed: row.answered_by !== null };
}

/** The columns of `triggers`. */
export interface TriggerRow {
  readonly payload: string;
  readonly text: string;
  readonly headers: string | null;
  readonly query: string | null;
  readonly session_id: string | null;
}

/** The columns of `triggers` as parameters, in this order. */
export type TriggerParams = [
  payload: string,
  text: string,
  headers: string | null,
  query: string | null,
  sessionId: string | null,
];

/**
 * Converts a trigger to parameters. The text of a chat message is stored once, in the payload: only triggers of chats have
 * the id of a conversation.
 */
export function triggerParams({ payload, text, headers, query, sessionId }: Trigger): TriggerParams {
  const isInPayload = sessionId !== undefined && chatTextIn(payload) === text;
  return [
    JSON.stringify(payload),
    isInPayload ? '' : text,
    headers === undefined ? null : JSON.stringify(headers),
    query === undefined ? null : JSON.stringify(query),
    sessionId ?? null,
  ];
}

/** The text of a chat message in its payload. */
export function chatTextIn(payload: Json): string {
  return isObject(payload) && typeof payload.text === 'string' ? payload.text : '';
}

/** The text of a turn in a chat: earlier versions stored it with the turn. Empty if the payload is damaged. */
export function turnText({ text, payload }: { readonly text: string; readonly payload: string }): string {
  if (text !== '') return text;
  try {
    return chatTextIn(JSON.parse(payload) as Json);
  } catch {
    return '';
  }
}

/** Converts a row to a trigger, without the parts that it did not have. */
export function toTrigger(row: TriggerRow): Trigger {
  const headers = parseJsonOrNull<Record<string, string>>(row.headers);
  const query = parseJsonOrNull<Record<string, string>>(row.query);
  const payload = JSON.parse(row.payload) as Json;
  return {
    payload,
    text: row.text === '' && row.session_id !== null ? chatTextIn(payload) : row.text,
    ...(headers !== null && { headers }),
    ...(query !== null && { query }),
    ...(row.session_id !== null && { sessionId: row.session_id }),
  };
}

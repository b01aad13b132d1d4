import { answerOf, type Schemas } from '@millrace/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

export type Execution = Schemas['Execution'];
export type ExecutionDetail = Schemas['ExecutionDetail'];
export type ExecutionLog = Schemas['ExecutionLog'];
export type ExecutionStatus = Execution['status'];

/** Which executions a list shows. */
export interface ExecutionFilter {
  readonly workflow_slug?: string;
  readonly status?: ExecutionStatus;
  /** A text in the payload, the output or an error. */
  readonly q?: string;
  /** Accepted at this time or later. */
  readonly since?: string;
  /** Accepted at this time or earlier. */
  readonly until?: string;
  readonly limit: number;
  readonly offset: number;
}

/** One page of executions, newest first. */
export function executionsQuery(filter: ExecutionFilter) {
  return queryOptions({
    queryKey: ['executions', 'list', filter],
    queryFn: () => answerOf(client.GET('/api/v1/executions/', { params: { query: { ...filter } } })),
    // Other executions start all the time, and no event reports those of all workflows.
    refetchInterval: 5000,
    placeholderData: (previous) => previous,
  });
}

/** An execution with the logs of its steps. */
export function executionQuery(id: string) {
  return queryOptions({
    queryKey: ['executions', 'detail', id],
    queryFn: () =>
      answerOf(client.GET('/api/v1/executions/{execution_id}/', { params: { path: { execution_id: id } } })),
    // To compare megabytes of values with those before takes longer than to draw the few that are visible.
    structuralSharing: false,
  });
}

/** One log entry with its complete input and output: the detail shortens large values. */
export function executionLogQuery(id: string, log: number) {
  return queryOptions({
    queryKey: ['executions', 'log', id, log],
    queryFn: async (): Promise<ExecutionLog> => {
      const params = { path: { execution_id: id }, query: { log } };
      const detail = await answerOf(client.GET('/api/v1/executions/{execution_id}/', { params }));
      const [entry] = detail.logs;
      if (entry === undefined) throw new Error('The log entry does not exist.');
      return entry;
    },
    structuralSharing: false,
    // What has ended does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** How to start a workflow. */
export interface StartRequest {
  /** Undefined for the default payload of the trigger. */
  readonly payload?: unknown;
  /** The message, for a chat trigger. */
  readonly text?: string;
  /** Undefined if the workflow has one trigger. */
  readonly trigger?: string | undefined;
  /** The last node to run; undefined for all nodes. */
  readonly toNode?: string;
  /** Whether what it exchanges with the outside is recorded. */
  readonly record?: boolean;
  /** The recorded execution whose answers it gets, instead of those of the outside. */
  readonly cassette?: string;
}

/** Starts an execution of the newest version of a workflow. */
export function execute(
  slug: string,
  { payload, text, trigger, toNode, record = false, cassette }: StartRequest = {},
): Promise<{ readonly execution_id: string }> {
  return answerOf(
    client.POST('/api/v1/workflows/{slug}/execute/', {
      params: { path: { slug } },
      body: {
        version: 'draft',
        ...(payload !== undefined && { payload: payload as Schemas['Json'] }),
        ...(text !== undefined && { text }),
        ...(trigger !== undefined && { trigger_node_id: trigger }),
        ...(toNode !== undefined && { to_node: toNode }),
        ...(record && { record }),
        ...(cassette !== undefined && { cassette }),
      },
    }),
  );
}

/** What a recorded execution exchanged with the outside. */
export function cassetteOf(id: string): Promise<Schemas['Cassette']> {
  const params = { path: { execution_id: id } };
  return answerOf(client.GET('/api/v1/executions/{execution_id}/cassette/', { params }));
}

/** Requests the end of an execution. */
export async function cancelExecution(id: string): Promise<void> {
  await answerOf(client.POST('/api/v1/executions/{execution_id}/cancel/', { params: { path: { execution_id: id } } }));
}

/** Continues a failed execution from the failed step. */
export async function retryExecution(id: string): Promise<void> {
  const params = { path: { execution_id: id } };
  await answerOf(client.POST('/api/v1/executions/{execution_id}/retry/', { params, body: {} }));
}

/** From where to replay an execution. */
export interface ReplayRequest {
  readonly fromNode: string;
  /** By node id, the output ports with other values. */
  readonly overrides: Readonly<Record<string, unknown>>;
  /** The version to run; null for that of the execution. */
  readonly version: number | null;
  /** The last node to run; undefined for all nodes. */
  readonly toNode?: string;
}

/** Starts an execution that reuses the results of another one up to a node. */
export function replayExecution(
  id: string,
  { fromNode, toNode, overrides, version }: ReplayRequest,
): Promise<{ readonly execution_id: string }> {
  return answerOf(
    client.POST('/api/v1/executions/{execution_id}/replay/', {
      params: { path: { execution_id: id } },
      body: {
        from_node: fromNode,
        ...(toNode !== undefined && { to_node: toNode }),
        overrides: overrides as Record<string, Schemas['Json']> as never,
        version,
      },
    }),
  );
}

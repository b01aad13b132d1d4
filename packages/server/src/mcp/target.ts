import type { McpServer, OutboundRequest } from '@millrace/core';

/** An answer to a request, with its text, from which secrets are removed. */
export interface TextAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends a request of a connection, with the credential of its node. @throws StepError */
export type SendText = (request: OutboundRequest, signal: AbortSignal) => Promise<TextAnswer>;

/** The server that a node of an execution uses. */
export interface McpTarget {
  readonly executionId: string;
  readonly nodeId: string;
  readonly server: McpServer;
  readonly send: SendText;
}

import type { McpServer, Meter, OutboundRequest, OutboundResponse, SlicedWork } from '@millrace/core';

/** Sends a request of a connection, with the credential of its node, and removes secrets. @throws StepError */
type Send = (request: OutboundRequest, signal: AbortSignal) => Promise<OutboundResponse>;

/** The server that a node of an execution uses. */
export interface McpTarget {
  readonly executionId: string;
  readonly nodeId: string;
  /** The owner of the workflow: owners share the programs. */
  readonly ownerId: number;
  readonly server: McpServer;
  readonly send: Send;
  /** Reads what the server sent, in slices. A stall of what follows is attributed to the user of the connection. */
  inSlices<Result>(work: (meter: Meter) => SlicedWork<Result>, signal: AbortSignal): Promise<Result>;
}

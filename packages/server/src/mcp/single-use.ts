import type { McpPort, McpServer, OutboundRequest, OutboundResponse } from '@millrace/core';
import { finishedText, runThrough } from '@millrace/core';
import type { McpConnections } from './connections.ts';

/** A node that uses a server outside of an execution. */
export interface NodeServer {
  readonly workflowId: number;
  readonly nodeId: string;
  readonly credentialId: number | null;
  readonly server: McpServer;
}

interface SingleUseParts {
  readonly connections: McpConnections;
  readonly http: (request: OutboundRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  readonly toolRequest: (
    call: Omit<NodeServer, 'server'> & {
      readonly variables: ReadonlyMap<string, string>;
      readonly request: OutboundRequest;
    },
    signal: AbortSignal,
  ) => Promise<OutboundResponse>;
}

/** Connects to a server for one use. The connection belongs to no execution, and ends with the use. */
export function createSingleUse({ connections, http, toolRequest }: SingleUseParts) {
  let uses = 0;
  return async function use<Result>(
    { server, ...node }: NodeServer,
    signal: AbortSignal,
    act: (port: McpPort) => Promise<Result>,
  ): Promise<Result> {
    uses += 1;
    // No execution has such an id.
    const executionId = `use ${uses}`;
    const target = {
      executionId,
      nodeId: node.nodeId,
      server,
      async send(request: OutboundRequest, stop: AbortSignal) {
        const call = { ...node, variables: new Map<string, string>(), request };
        const answer = await (node.credentialId === null ? http(request, stop) : toolRequest(call, stop));
        const text = runThrough(finishedText(answer.body.text()));
        return { status: answer.status, headers: answer.headers, text };
      },
    };
    try {
      return await act(connections.open(target, signal));
    } finally {
      connections.leave(executionId);
    }
  };
}

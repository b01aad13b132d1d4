import type { McpPort, McpServer, OutboundRequest, OutboundResponse, SlicedWork } from '@millrace/core';
import { Meter } from '@millrace/core';
import type { Clock, Timers } from '../ground/clock.ts';
import { Turns } from '../ground/turns.ts';
import type { McpConnections } from './connections.ts';

/** A node that uses a server outside of an execution. */
export interface NodeServer {
  readonly workflowId: number;
  readonly ownerId: number;
  readonly nodeId: string;
  readonly credentialId: number | null;
  readonly server: McpServer;
}

interface SingleUseParts {
  readonly connections: McpConnections;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers: Pick<Timers, 'soon'>;
  readonly http: (request: OutboundRequest, signal: AbortSignal) => Promise<OutboundResponse>;
  readonly toolRequest: (
    call: Omit<NodeServer, 'server' | 'ownerId'> & {
      readonly variables: ReadonlyMap<string, string>;
      readonly request: OutboundRequest;
    },
    signal: AbortSignal,
  ) => Promise<OutboundResponse>;
}

/** Connects to a server for one use. The connection belongs to no execution, and ends with the use. */
export function createSingleUse({ connections, clock, timers, http, toolRequest }: SingleUseParts) {
  const turns = new Turns({ clock, timers });
  let uses = 0;
  return async function use<Result>(
    { server, ownerId, ...node }: NodeServer,
    signal: AbortSignal,
    act: (port: McpPort) => Promise<Result>,
  ): Promise<Result> {
    uses += 1;
    // No execution has such an id.
    const executionId = `use ${uses}`;
    const target = {
      executionId,
      nodeId: node.nodeId,
      ownerId,
      server,
      send(request: OutboundRequest, stop: AbortSignal) {
        const call = { ...node, variables: new Map<string, string>(), request };
        return node.credentialId === null ? http(request, stop) : toolRequest(call, stop);
      },
      inSlices: <Read>(work: (meter: Meter) => SlicedWork<Read>) =>
        turns.finish(work(new Meter(() => clock.monotonic()))),
    };
    try {
      return await act(connections.open(target, signal));
    } finally {
      connections.leave(executionId);
    }
  };
}

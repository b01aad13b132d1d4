import type { McpPort } from '@millrace/core';
import { OwnerPlaces } from '../ground/owner-places.ts';
import type { ConnectionParts, McpConnection } from './connection.ts';
import type { McpTarget } from './target.ts';

/** Programs at once: each is a process with the memory that it takes. */
const maxPrograms = 32;

/** The connections to MCP servers: one for each execution, node and server, while this process has the execution. */
export interface McpConnections {
  open(target: McpTarget, signal: AbortSignal): McpPort;
  /** Closes those of an execution. */
  leave(executionId: string): void;
  /** Closes all. */
  close(): Promise<void>;
}

export function createMcpConnections(given: Omit<ConnectionParts, 'places'>): McpConnections {
  const parts = { ...given, places: new OwnerPlaces(maxPrograms) };
  const known = new Map<string, Map<string, Promise<McpConnection>>>();

  function connectionTo(target: McpTarget): Promise<McpConnection> {
    const { executionId, nodeId, server } = target;
    const own = known.get(executionId) ?? new Map<string, Promise<McpConnection>>();
    known.set(executionId, own);
    const key = JSON.stringify([nodeId, server]);
    const connection = own.get(key) ?? connectionOf(target, parts);
    own.set(key, connection);
    return connection;
  }

  async function closeAll(executionId: string): Promise<void> {
    const own = known.get(executionId);
    known.delete(executionId);
    // A server that does not take its leave is of no interest any more.
    await Promise.allSettled([...(own?.values() ?? [])].map(async (connection) => (await connection).close()));
  }

  return {
    open: (target, signal) => ({
      tools: async () => (await connectionTo(target)).tools(signal),
      call: async (tool, args) => (await connectionTo(target)).call(tool, args, signal),
    }),
    leave: (executionId) => {
      if (known.has(executionId)) void closeAll(executionId);
    },
    close: async () => {
      await Promise.all([...known.keys()].map(closeAll));
    },
  };
}

/** The library is loaded with the first connection, so a service that has none does not load it. */
async function connectionOf(target: McpTarget, parts: ConnectionParts): Promise<McpConnection> {
  const { McpConnection } = await import('./connection.ts');
  return new McpConnection(target, parts);
}

import type { McpPort, McpServer, StepError } from '@millrace/core';
import { onTestFinished } from 'vitest';
import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { createMcpConnections } from '../../src/mcp/connections.ts';
import type { McpPrograms } from '../../src/mcp/programs.ts';
import { createSingleUse } from '../../src/mcp/single-use.ts';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { createSchemaIssue } from '../../src/services/validation/schema-errors.ts';
import { LoopWatch } from '../stalls/loop-watch.ts';

/** Milliseconds of processor time for which nothing else may happen. */
export const turnMs = 250;

/** Uses a server in real time, and reports the error, the result and the longest turn of the event loop. */
export async function watched(
  server: McpServer,
  act: (port: McpPort) => Promise<unknown>,
  programs: McpPrograms = new Map(),
) {
  const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  const ports = { clock: systemClock, timers: systemTimers };
  const connections = createMcpConnections({ ...ports, schemaIssue: createSchemaIssue(), programs });
  onTestFinished(async () => {
    await connections.close();
    await outbound.close();
  });
  const use = createSingleUse({
    ...ports,
    connections,
    http: outbound.send,
    toolRequest: () => Promise.reject(new Error('there are no credentials')),
  });
  const node = { workflowId: 1, ownerId: 1, nodeId: 'wiki', credentialId: null, server };
  const watch = new LoopWatch();
  let result: unknown = null;
  const error = await use(node, new AbortController().signal, async (port) => {
    // The library is loaded with the first use.
    await port.tools().catch(() => undefined);
    watch.start();
    result = await act(port);
  }).catch((reason: StepError) => reason);
  watch.stop();
  return { code: error?.code, message: error?.message, longestMs: watch.longestMs, result };
}

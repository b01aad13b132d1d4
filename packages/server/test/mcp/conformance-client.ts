// A program that the protocol's own suite starts with the address of its server: it uses the tools as an agent does.
import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { createMcpConnections } from '../../src/mcp/connections.ts';
import { createSingleUse } from '../../src/mcp/single-use.ts';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { createSchemaIssue } from '../../src/services/validation/schema-errors.ts';

const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
const schemaIssue = createSchemaIssue();
const connections = createMcpConnections({
  schemaIssue,
  clock: systemClock,
  timers: systemTimers,
  programs: new Map(),
});
const use = createSingleUse({
  connections,
  clock: systemClock,
  timers: systemTimers,
  http: outbound.send,
  toolRequest: () => Promise.reject(new Error('this program has no credentials')),
});
const node = {
  workflowId: 1,
  ownerId: 1,
  nodeId: 'wiki',
  credentialId: null,
  server: { url: process.argv.at(-1) ?? '' },
};
await use(node, new AbortController().signal, async (port) => {
  for (const { name } of await port.tools()) await port.call(name, { a: 5, b: 3 });
});
await connections.close();
await outbound.close();

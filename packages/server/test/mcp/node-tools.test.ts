import { nodeTools } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { expect, test } from 'vitest';
import { addToolCredential } from '../support/requesting.ts';
import { McpAgent } from './mcp-agent.ts';
import { McpRemote, text } from './mcp-remote.ts';

const numbers = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

async function listing(mcp: JsonObject, credentialId?: number) {
  const agent = await McpAgent.start();
  const common = credentialId === undefined ? {} : { credential_id: credentialId };
  await agent.running.addWorkflow(agent.person.user, 'wf', {
    nodes: {
      wiki: ['mcp_client', mcp, common],
      calc: 'calculator',
      find: ['workflow_tool', { workflow: 'find' }],
      start: 'trigger_manual',
    },
  });
  const list = async (nodeId = 'wiki') =>
    nodeTools.parse((await agent.person.get(`/api/v1/workflows/wf/nodes/${nodeId}/tools/`)).body);
  return { agent, list };
}

test('a node lists the tools of its server now, with the digest that pins them', async () => {
  const server = await McpRemote.start({
    double: { description: 'Doubles.', parameters: numbers, act: () => text('') },
  });
  const { agent, list } = await listing({ url: server.url, effects: { double: 'pure' } });
  const { tools, digest, problem } = await list();
  expect(tools).toEqual([
    { name: 'wiki__double', description: 'Doubles.', parameters: numbers, effect: 'pure', target: 'double' },
  ]);
  expect(problem).toBeNull();
  server.tools.more = { act: () => text('') };
  const later = await list();
  expect(later.tools).toHaveLength(2);
  expect(later.digest).not.toBe(digest);
  const pinned = { url: server.url, pinned: digest ?? '' };
  await agent.running.changeNode('wf', 'wiki', { extra_config: pinned });
  expect(await list()).toMatchObject({
    tools: [{ name: 'wiki__double' }, { name: 'wiki__more' }],
    problem: { code: 'mcp_changed', message: expect.stringContaining(later.digest ?? '-') },
  });
});

test('a server that does not answer, or an address that only an execution knows, is a problem', async () => {
  const { agent, list } = await listing({ url: 'http://127.0.0.1:9/mcp', optional: true });
  expect(await list()).toMatchObject({ tools: [], digest: null, problem: { code: 'mcp_unavailable' } });
  await agent.running.changeNode('wf', 'wiki', { extra_config: { url: '{{ trigger.payload.url }}' } });
  expect(await list()).toMatchObject({ tools: [], problem: { code: 'config' } });
});

test('a server that is silent is given up after 15 seconds', async () => {
  const server = await McpRemote.start({});
  server.intercept = () => true;
  const { agent, list } = await listing({ url: server.url });
  const listed = list();
  await agent.running.until(() => server.remote.received.length > 0);
  agent.running.time.advance(15_000);
  expect(await listed).toMatchObject({
    problem: { code: 'mcp_unavailable', message: expect.stringContaining('15 s') },
  });
});

test('other tools have one tool of their own, and nodes that are none have nothing', async () => {
  const { list } = await listing({});
  expect(await list('calc')).toMatchObject({
    tools: [{ name: 'calc', effect: 'pure', target: null, parameters: { required: ['expression'] } }],
    digest: null,
    problem: null,
  });
  expect(await list('find')).toMatchObject({ tools: [], problem: { code: 'subworkflow' } });
  expect(await list('start')).toEqual({ tools: [], digest: null, problem: null });
  expect((await list()).problem).toMatchObject({ code: 'config' });
});

test('only editors may list them, because the credential of the node is used', async () => {
  const server = await McpRemote.start({ double: { act: () => text('') } });
  const agent = await McpAgent.start();
  const token = 'a-secret-of-some-length';
  const auth = { scheme: 'bearer', token, allowed_hosts: [server.remote.origin] };
  const credential_id = await addToolCredential(agent.person, auth);
  await agent.running.addWorkflow(agent.person.user, 'wf', {
    nodes: { wiki: ['mcp_client', { url: server.url }, { credential_id }] },
  });
  const path = '/api/v1/workflows/wf/nodes/wiki/tools/';
  const viewer = await agent.running.addPerson('viewer');
  await agent.person.post('/api/v1/workflows/wf/collaborators/', { username: 'viewer', role: 'viewer' });
  expect((await viewer.get(path)).status).toBe(403);
  expect(server.remote.received).toEqual([]);
  expect((await agent.person.get(path)).status).toBe(200);
  for (const { headers } of server.remote.received) expect(headers.authorization).toBe(`Bearer ${token}`);
});

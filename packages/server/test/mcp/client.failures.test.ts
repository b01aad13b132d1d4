import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { Remote } from '../support/remote.ts';
import { addToolCredential } from '../support/requesting.ts';
import { errorOf, McpAgent } from './mcp-agent.ts';
import { McpRemote, text } from './mcp-remote.ts';

const call = { calls: [{ name: 'wiki__double', args: { n: 1 } }] };
const hello = { text: 'Hello.' };

function doubling(): Promise<McpRemote> {
  return McpRemote.start({ double: { act: ({ n }) => text(String(Number(n) * 2)) } });
}

function answer(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): true {
  response.writeHead(status, headers).end(body);
  return true;
}

describe('a server that does not answer', () => {
  const nowhere = 'http://127.0.0.1:9/mcp';

  test('fails the agent after further attempts, without a call of its model', async () => {
    const agent = await McpAgent.start();
    const run = await agent.run({ answers: [hello], mcp: { url: nowhere } });
    expect(errorOf(run)).toEqual(['mcp_unavailable', expect.stringContaining('The MCP server cannot be reached')]);
    expect(run.logs.filter(({ node_id }) => node_id === 'ai')).toHaveLength(3);
    expect(agent.providers.received).toEqual([]);
  });

  test('is missing if the node is optional', async () => {
    const agent = await McpAgent.start();
    const run = await agent.run({ answers: [hello], mcp: { url: nowhere, optional: true, tools: ['double'] } });
    expect(run).toMatchObject({ status: 'completed', final_output: 'Hello.' });
    expect(agent.offered).toEqual([]);
  });

  test('during a call is an error for the model, and the call is not repeated', async () => {
    const server = await doubling();
    server.intercept = ({ method }, response) => method === 'tools/call' && answer(response, 503, 'busy');
    const agent = await McpAgent.start();
    const run = await agent.run({ answers: [call, hello], mcp: { url: server.url } });
    expect(run.status).toBe('completed');
    expect(agent.lastMessage.content).toBe('Error mcp_unavailable: The MCP server answered with status 503: busy.');
    expect(server.calls).toEqual(['tools/list', 'tools/call double']);
  });
});

test.each([
  [401, 'mcp_unavailable', /status 401.*Set 'credential_id'/],
  [404, 'mcp_unavailable', /status 404/],
])('a server that answers with %i fails the agent with %s', async (status, code, message) => {
  const server = await doubling();
  server.intercept = (_message, response) => answer(response, status, 'no');
  const agent = await McpAgent.start();
  const run = await agent.run({ answers: [hello], mcp: { url: server.url } });
  expect(errorOf(run)).toEqual([code, expect.stringMatching(message)]);
});

test.each([
  ['no JSON', 'hello', 'application/json'],
  ['JSON that is no message', '{"a":1}', 'application/json'],
  ['a page', '<html></html>', 'text/html'],
  ['a stream without an answer', ': nothing\n\n', 'text/event-stream'],
])('an answer that is %s is an error for the model', async (_name, body, type) => {
  const server = await doubling();
  server.intercept = ({ method }, response) =>
    method === 'tools/call' && answer(response, 200, body, { 'content-type': type });
  const agent = await McpAgent.start();
  const run = await agent.run({ answers: [call, hello], mcp: { url: server.url } });
  expect(run.status).toBe('completed');
  expect(agent.lastMessage.content).toMatch(/^Error mcp_(error|unavailable): The (answer of the )?MCP server/);
});

test('a session that the server has ended is an error for the model, and the next call begins another one', async () => {
  const server = await doubling();
  let isLost = true;
  server.intercept = ({ method }, response) => {
    if (method !== 'tools/call' || !isLost) return false;
    isLost = false;
    return answer(response, 404, 'unknown session');
  };
  const agent = await McpAgent.start();
  const run = await agent.run({ answers: [call, call, hello], mcp: { url: server.url } });
  expect(run.status).toBe('completed');
  const results = run.logs.filter(({ node_id }) => node_id === 'wiki');
  expect(results).toMatchObject([
    { error_code: 'mcp_unavailable', error: expect.stringContaining('has ended its session') },
    { output: { result: '2' } },
  ]);
});

test('a redirect within the origin is followed, and one to another origin gets nothing', async () => {
  const server = await doubling();
  const other = await Remote.start();
  let to = `${server.remote.origin}/other`;
  let isRedirected = true;
  server.intercept = ({ method }, response) => {
    const goes = method === 'tools/call' && isRedirected;
    isRedirected = !goes;
    return goes && answer(response, 307, '', { location: to });
  };
  const agent = await McpAgent.start();
  await agent.run({ answers: [call, hello], mcp: { url: server.url } });
  expect(agent.lastMessage.content).toBe('2');
  to = `${other.origin}/mcp`;
  isRedirected = true;
  await agent.settled(await agent.again([call, hello]));
  expect(agent.lastMessage.content).toContain('Error http_blocked: The server redirected to another origin');
  expect(other.received).toEqual([]);
});

describe('a credential', () => {
  const token = 'a-secret-of-some-length';

  test('is sent with every request to its host, and is masked in what the server says', async () => {
    const server = await McpRemote.start({ double: { act: () => text(`The key is ${token}.`) } });
    const agent = await McpAgent.start();
    const auth = { scheme: 'bearer', token, allowed_hosts: [server.remote.origin] };
    const credentialId = await addToolCredential(agent.person, auth);
    await agent.run({ answers: [call, hello], mcp: { url: server.url }, credentialId });
    expect(agent.lastMessage.content).toBe('The key is ****.');
    expect(server.remote.received.length).toBeGreaterThan(2);
    for (const { headers } of server.remote.received) expect(headers.authorization).toBe(`Bearer ${token}`);
  });

  test('of another host fails the agent before anything is sent', async () => {
    const server = await doubling();
    const agent = await McpAgent.start();
    const auth = { scheme: 'bearer', token, allowed_hosts: ['https://other.example'] };
    const credentialId = await addToolCredential(agent.person, auth);
    const run = await agent.run({ answers: [hello], mcp: { url: server.url }, credentialId });
    expect(errorOf(run)[0]).toBe('credential_origin');
    expect(server.remote.received).toEqual([]);
  });
});

test('requests begin no stream of the server, and declare nothing that a server could ask for', async () => {
  const server = await doubling();
  server.legacyOnly = true;
  const agent = await McpAgent.start();
  await agent.run({ answers: [call, hello], mcp: { url: server.url } });
  expect(server.remote.received.filter(({ method }) => method === 'GET')).toEqual([]);
  const messages = server.remote.received.map(({ body }) => JSON.parse(body.toString()));
  const handshake = messages.find(({ method }) => method === 'initialize');
  expect(handshake.params.capabilities).toEqual({});
});

test('a run that ends closes its session', async () => {
  const server = await doubling();
  server.legacyOnly = true;
  server.intercept = ({ method }, response) => {
    if (method === 'initialize') response.setHeader('mcp-session-id', 'one');
    return method === undefined && answer(response, 204, '');
  };
  const agent = await McpAgent.start();
  await agent.run({ answers: [call, hello], mcp: { url: server.url } });
  await agent.running.until(() => server.remote.received.some(({ method }) => method === 'DELETE'));
  const last = server.remote.received.at(-1);
  expect([last?.method, last?.headers['mcp-session-id']]).toEqual(['DELETE', 'one']);
});

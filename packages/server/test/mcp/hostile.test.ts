import type { McpPort } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { Remote } from '../support/remote.ts';
import { answerWith, hostileLists, hostileResults, hostileStreams } from './hostile-answers.ts';
import { errorOf, McpAgent } from './mcp-agent.ts';
import { turnMs, watched } from './watched-use.ts';

/** Uses a server of the given answers. */
async function used(answers: Parameters<typeof answerWith>[1], act: (port: McpPort) => Promise<unknown>) {
  const remote = await Remote.start();
  answerWith(remote, answers);
  return { remote, ...(await watched({ url: `${remote.origin}/mcp` }, act)) };
}

const list = (port: McpPort) => port.tools();
const call = (port: McpPort) => port.call('t', {});
const errors = /^(mcp_error|mcp_unavailable|work_limit)$/;

describe('a hostile server holds the event loop with no', () => {
  test.each(Object.entries(hostileLists))('list of tools: %s', async (_name, result) => {
    const { code, message, longestMs } = await used({ 'tools/list': { result: result() } }, list);
    expect(code).toBe('mcp_error');
    expect(message?.length).toBeLessThan(1_200);
    expect(longestMs).toBeLessThan(turnMs);
  });

  test.each(Object.entries(hostileResults))('result of a call: %s', async (_name, result) => {
    const { code, message, longestMs } = await used({ 'tools/call': { result: result() } }, call);
    expect(code).toBe('mcp_error');
    expect(message?.length).toBeLessThan(1_200);
    expect(longestMs).toBeLessThan(turnMs);
  });

  test.each(Object.entries(hostileStreams))('stream: %s', async (_name, stream) => {
    const { code, longestMs } = await used({ 'tools/list': { stream: stream() } }, list);
    expect(code).toMatch(errors);
    expect(longestMs).toBeLessThan(turnMs);
  });

  test('handshake', async () => {
    const initialize = { result: hostileLists['empty objects for tools']?.() ?? '' };
    const { code, longestMs } = await used({ initialize }, list);
    expect(code).toBe('mcp_error');
    expect(longestMs).toBeLessThan(turnMs);
  });

  test('large result that is valid', async () => {
    const rows = `{"content":[],"structuredContent":{"rows":[${'{"a":1,"b":"x"},'.repeat(60_000)}{}]}}`;
    const { result, longestMs } = await used({ 'tools/call': { result: rows } }, call);
    expect((result as { structured: { rows: readonly unknown[] } }).structured.rows).toHaveLength(60_001);
    expect(longestMs).toBeLessThan(turnMs);
  });
});

test('messages that a server begins on its own are not answered, and its answer is used', async () => {
  const own = 'data: {"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}\r\n\r\n';
  const answer = 'event: message\ndata: {"jsonrpc":"2.0","id":ID,\ndata: "result":{"content":[]}}\n\n';
  const { code, result, remote } = await used({ 'tools/call': { stream: own.repeat(900) + answer } }, call);
  expect(code).toBeUndefined();
  expect(result).toMatchObject({ content: [] });
  const sent = remote.received.map(({ body }) => JSON.parse(body.toString() || '{}'));
  expect(sent.filter(({ error }) => error !== undefined)).toEqual([]);
});

test('a hostile list of tools fails the agent, and is a problem of the node', async () => {
  const remote = await Remote.start();
  answerWith(remote, { 'tools/list': { result: hostileLists['a schema of 500,000 levels']?.() ?? '' } });
  const agent = await McpAgent.start();
  const run = await agent.run({ answers: [{ text: 'Hello.' }], mcp: { url: `${remote.origin}/mcp` } });
  const message = 'The answer of the MCP server is nested deeper than 64 levels.';
  expect(errorOf(run)).toEqual(['mcp_error', message]);
  const { status, body } = await agent.person.get('/api/v1/workflows/wf/nodes/wiki/tools/');
  expect([status, body]).toEqual([200, { tools: [], digest: null, problem: { code: 'mcp_error', message } }]);
});

test('a stream that asks to be continued at once is continued once a second', async () => {
  const remote = await Remote.start();
  const stream = 'id: 1\nretry: 0\ndata: \n\n';
  answerWith(remote, { 'tools/list': { stream } });
  const posted = remote.answer;
  remote.answer = (request, response) => {
    if (request.method === 'POST') posted(request, response);
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
  };
  const agent = await McpAgent.start();
  await agent.begin({ answers: [{ text: 'Hello.' }], mcp: { url: `${remote.origin}/mcp` } });
  const continued = () => remote.received.filter(({ headers }) => headers['last-event-id'] === '1').length;
  const { running } = agent;
  await running.until(() => remote.received.some(({ body }) => body.includes('tools/list')));
  for (let seconds = 1; seconds <= 3; seconds += 1) {
    const before = running.time.pending;
    await running.until(() => running.time.pending >= before);
    running.time.advance(999);
    expect(continued()).toBeLessThan(seconds);
    await running.until(() => {
      running.time.advance(1);
      return continued() >= seconds;
    });
  }
});

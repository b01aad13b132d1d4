import { join } from 'node:path';
import type { JsonObject } from '@millrace/core';
import { expect, test } from 'vitest';
import { scripted } from '../support/scripted-model.ts';
import { tested } from '../workflow-tests/tested-files.ts';
import { type Detail, McpAgent } from './mcp-agent.ts';
import { McpRemote, text } from './mcp-remote.ts';

const everything = join(
  import.meta.dirname,
  '../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const numbers = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

function call(name: string, args: object = {}) {
  return { calls: [{ name: `wiki__${name}`, args }] };
}

/** What the steps did, without what differs between runs. */
function stepsOf({ logs }: Detail) {
  return logs.map(({ node_id, frame, output, error_code }) => ({ node_id, frame, output, error_code }));
}

async function start(agent: McpAgent, body: object): Promise<Detail> {
  const started = await agent.person.post('/api/v1/workflows/wf/execute/', { payload: 'go', ...body });
  expect(started.status, started.text).toBe(200);
  return agent.settled((started.body as { execution_id: string }).execution_id);
}

/** Records a run, runs it again with the answers, and returns both. */
async function again(agent: McpAgent, conversation: Parameters<McpAgent['run']>[0]) {
  await agent.run(conversation);
  agent.providers.answersWith(scripted(conversation.answers));
  const first = await start(agent, { record: true });
  const { body } = await agent.person.get(`/api/v1/executions/${first.execution_id}/cassette/`);
  const received = agent.providers.received.length;
  const second = await start(agent, { cassette: first.execution_id });
  expect(agent.providers.received).toHaveLength(received);
  expect(stepsOf(second)).toEqual(stepsOf(first));
  return { first, cassette: body as { mcp: readonly JsonObject[] } };
}

test('the tools of a server and its answers are recorded, and given again without a connection', async () => {
  const server = await McpRemote.start({
    double: { description: 'Doubles.', parameters: numbers, act: ({ n }) => text(String(Number(n) * 2)) },
    find: { act: () => ({ ...text('Nothing found.'), isError: true }) },
  });
  const agent = await McpAgent.start();
  const answers = [call('double', { n: 21 }), call('find'), { text: 'It is 42.' }];
  const { first, cassette } = await again(agent, { answers, mcp: { url: server.url } });
  expect(first).toMatchObject({ status: 'completed', final_output: 'It is 42.' });
  expect(cassette.mcp).toMatchObject([
    { node: 'wiki', tools: [{ name: 'double', description: 'Doubles.', parameters: numbers }, { name: 'find' }] },
    { node: 'wiki', tool: 'double', arguments: { n: 21 }, content: [{ type: 'text', text: '42' }] },
    { node: 'wiki', tool: 'find', content: [{ text: 'Nothing found.' }], is_error: true },
  ]);
  // Two runs called it, not the third.
  expect(server.calls).toHaveLength(6);
  const exported = await agent.person.get('/api/v1/workflows/wf/export/');
  const { yaml_str: yaml } = exported.body as { yaml_str: string };
  const one = { name: 'as recorded', payload: 'go', ...cassette, expect: { final_output: 'It is 42.' } };
  const file = JSON.stringify({ workflow: 'flow.yaml', tests: [one] });
  const { code, out } = await tested({ 'flow.yaml': yaml, 'flow.test.yaml': file });
  expect({ code, out }).toMatchObject({ code: 0 });
});

test('so are those of a program of the operator', async () => {
  const program = { command: process.execPath, args: [everything, 'stdio'], env: {} };
  const agent = await McpAgent.start(new Map([['all', program]]));
  const { first, cassette } = await again(agent, {
    answers: [call('echo', { message: 'Hi' }), { text: 'Done.' }],
    mcp: { server: 'all', tools: ['echo'] },
  });
  expect(first).toMatchObject({ status: 'completed', final_output: 'Done.' });
  expect(cassette.mcp.at(-1)).toMatchObject({ tool: 'echo', content: [{ text: 'Echo: Hi' }] });
});

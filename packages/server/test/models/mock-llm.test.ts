import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credential, executionDetail } from '@millrace/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutboundClient } from '../../src/outbound/client.ts';
import { freePort } from '../support/free-port.ts';
import { hurried, type Member, WholeApp } from '../support/whole-app.ts';

const root = join(import.meta.dirname, '../../../..');
const program = join(root, 'node_modules/@dwmkerr/mock-llm/dist/main.js');
const folder = mkdtempSync(join(tmpdir(), 'millrace-mock-llm-'));

const path = '/v1/chat/completions';
const isLast = (text: string) => `contains(body.messages[-1].content || '', '${text}')`;
const call = (id: string, name: string, args: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

function answer(message: object, finish_reason = 'stop'): object {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }];
  const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
  return { status: 200, content: JSON.stringify({ object: 'chat.completion', choices, usage }) };
}

function failure(status: number, error: object): object {
  return { status, content: JSON.stringify({ error }) };
}

/** Of the rules that match a request, the last one answers it. */
const rules = [
  { path, match: '@', response: answer({ content: 'You said: {{jmes request body.messages[-1].content}}' }) },
  {
    path,
    match: isLast('both sums'),
    response: answer(
      {
        content: null,
        tool_calls: [call('a', 'calc', { expression: '6 * 7' }), call('b', 'calc', { expression: '1 / 0' })],
      },
      'tool_calls',
    ),
  },
  {
    path,
    match: "body.messages[-1].role == 'tool'",
    response: answer({
      content: 'First {{jmes request body.messages[-2].content}}, tools {{jmes request length(body.tools)}}',
    }),
  },
  {
    path,
    match: isLast('wrong key'),
    response: failure(401, {
      message: 'Incorrect API key provided.',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    }),
  },
  { path, match: isLast('too fast'), sequence: 0, response: failure(429, { message: 'Rate limit reached' }) },
];

/** The mock, in a process of its own. Its configuration is JSON, which is YAML. */
async function startMock(): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const config = join(folder, 'mock-llm.yaml');
  writeFileSync(config, JSON.stringify({ streaming: { chunkSize: 5, chunkIntervalMs: 1 }, rules }));
  const env = { HOST: '127.0.0.1', PORT: String(port) };
  const child = spawn(process.execPath, [program, '--config', config], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  // It logs every request, which must be read.
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => String(chunk).includes('running on') && resolve());
    child.on('exit', (code) => reject(new Error(`mock-llm ended with code ${code}`)));
  });
  const stop = async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { url: `http://127.0.0.1:${port}/v1`, stop };
}

let mock: Awaited<ReturnType<typeof startMock>>;
let app: WholeApp;
let api: Member;
beforeAll(async () => {
  mock = await startMock();
  const outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
  app = await WholeApp.start(hurried, { host: '127.0.0.1', outbound });
  api = await app.member('owner');
  const detail = { api_key: 'sk-a-key-of-the-mock', base_url: mock.url };
  const body = { name: 'Mock', credential_type: 'llm', detail };
  credential.parse((await api.post('/api/v1/credentials/', body)).body);
  const yaml_str = `name: Talk
slug: talk
nodes:
  - {id: start, type: trigger_chat}
  - {id: ai, type: agent, system_prompt: Use your tools.}
  - {id: model, type: ai_model, credential: Mock, model_name: small}
  - {id: calc, type: calculator}
edges:
  - start -> ai
  - model -llm-> ai
  - calc -tool-> ai
`;
  expect((await api.post('/api/v1/workflows/import/', { yaml_str })).text).toContain('talk');
});
afterAll(async () => {
  await app.close();
  await mock.stop();
  rmSync(folder, { recursive: true });
});

async function say(text: string) {
  const { body } = await api.post('/api/v1/workflows/talk/chat/', { text });
  const { execution_id: id } = body as { execution_id: string };
  return executionDetail.parse((await api.get(`/api/v1/executions/${id}/`)).body);
}

test('an agent calls two tools at once, one of which fails, and gets both results', async () => {
  const run = await say('Please do both sums.');
  expect(run, run.error_message ?? '').toMatchObject({ status: 'completed', llm_calls: 2, total_tokens: 28 });
  expect(run.final_output).toBe('First 42, tools 1');
  expect(run.logs.filter(({ node_id }) => node_id === 'calc').map(({ status }) => status)).toEqual([
    'success',
    'failed',
  ]);
});

test('an agent asks again after status 429', async () => {
  const run = await say('Am I too fast?');
  expect(run, run.error_message ?? '').toMatchObject({ status: 'completed', final_output: 'You said: Am I too fast?' });
  expect(run.logs.filter(({ node_id }) => node_id === 'model').map(({ status }) => status)).toContain('failed');
});

test('a wrong key fails the run, and the error says what to check', async () => {
  const run = await say('I have a wrong key.');
  expect(run).toMatchObject({ status: 'failed', error_message: expect.stringContaining('check the API key') });
});

test('an answer in pieces is streamed to the chat', async () => {
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
  const payload = JSON.stringify({ text: 'Stream this, please.' });
  const { text } = await api.inject({ method: 'POST', url: '/api/v1/workflows/talk/chat/', headers, payload });
  const tokens = [...text.matchAll(/^event: token\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data).text);
  expect(tokens.join('')).toBe('You said: Stream this, please.');
  expect(text).toContain('event: answer');
});

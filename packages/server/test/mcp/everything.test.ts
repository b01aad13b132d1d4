import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { McpAgent } from './mcp-agent.ts';

const root = join(import.meta.dirname, '../../../..');
const program = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** The reference server, with its sessions, in a process of its own. */
async function startEverything(): Promise<string> {
  const port = await freePort();
  const loopback = join(import.meta.dirname, 'loopback.mjs');
  const child = spawn(process.execPath, ['--import', loopback, program, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child.stderr, 'data');
  child.stderr.resume();
  return `http://127.0.0.1:${port}/mcp`;
}

const call = (name: string, args: object = {}) => ({ calls: [{ name: `all__${name}`, args }] });

test('the reference server offers its tools, keeps its session, and gets no answers to its questions', async () => {
  const url = await startEverything();
  const agent = await McpAgent.start();
  const answers = [
    call('echo', { message: 'Hello' }),
    call('get-sum', { a: 2, b: 3 }),
    call('get-structured-content', { location: 'New York' }),
    call('get-tiny-image'),
    call('trigger-long-running-operation', { duration: 0.2, steps: 2 }),
    { text: 'Done.' },
  ];
  const run = await agent.run({ answers, mcp: { url }, nodeId: 'all' });
  expect(run, run.error_message ?? '').toMatchObject({ status: 'completed', final_output: 'Done.' });
  const results = run.logs.filter(({ node_id }) => node_id === 'all').map(({ output }) => output);
  expect(results).toEqual([
    { result: 'Echo: Hello' },
    { result: 'The sum of 2 and 3 is 5.' },
    { result: { temperature: expect.any(Number), conditions: expect.any(String), humidity: expect.any(Number) } },
    { result: expect.arrayContaining([{ type: 'image', mimeType: 'image/png', size: expect.any(Number) }]) },
    { result: expect.stringContaining('completed') },
  ]);
  const names = agent.offered.map(({ name }) => name);
  expect(names).toContain('all__echo');
  // It offers these only to clients that answer its questions.
  expect(names.filter((name) => /sampling|elicitation|roots/.test(String(name)))).toEqual([]);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Meter, runThrough, type SlicedWork } from '@millrace/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock, systemTimers } from '../../src/ground/clock.ts';
import { createMcpConnections } from '../../src/mcp/connections.ts';
import { type McpProgram, readMcpPrograms } from '../../src/mcp/programs.ts';
import { errorOf, McpAgent } from './mcp-agent.ts';

const root = join(import.meta.dirname, '../../../..');
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

function program(args: readonly string[], env: Record<string, string> = {}): McpProgram {
  return { command: process.execPath, args, env };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const call = (name: string, args: object = {}) => ({ calls: [{ name: `all__${name}`, args }] });
const hello = { text: 'Hello.' };

test('a program of the operator offers its tools, with its own environment only', async () => {
  const agent = await McpAgent.start(new Map([['all', program([everything, 'stdio'], { GREETING: 'hello' })]]));
  const answers = [call('echo', { message: 'Hi' }), call('get-env'), { text: 'Done.' }];
  const run = await agent.run({ answers, mcp: { server: 'all' }, nodeId: 'all' });
  expect(run, run.error_message ?? '').toMatchObject({ status: 'completed', final_output: 'Done.' });
  const [echo, env] = run.logs.filter(({ node_id }) => node_id === 'all').map(({ output }) => output);
  expect(echo).toEqual({ result: 'Echo: Hi' });
  const names = Object.keys(JSON.parse((env as { result: string }).result));
  expect(names).toContain('GREETING');
  for (const name of names) expect(name).toMatch(/^(GREETING|HOME|LOGNAME|PATH|SHELL|TERM|USER)$/);
});

test.each([
  ['a name that the operator has not entered', 'none', 'config', "'server' names 'none'"],
  ['a program that does not exist', 'gone', 'mcp_unavailable', 'cannot be started: ENOENT'],
  ['a program that ends at once', 'short', 'mcp_unavailable', 'ended the connection'],
])('%s fails the agent', async (_about, server, code, message) => {
  const programs = new Map([
    ['gone', { command: '/no/such/program', args: [], env: {} }],
    ['short', program(['--eval', ''])],
  ]);
  const agent = await McpAgent.start(programs);
  const run = await agent.run({ answers: [hello], mcp: { server }, nodeId: 'all' });
  expect(errorOf(run)).toEqual([code, expect.stringContaining(message)]);
});

test('a program that ends during a call is an error for the model, the next call starts it again, and the run ends it', async () => {
  const script = `
    import { createInterface } from 'node:readline';
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') {
        const serverInfo = { name: 'fragile', version: '1' };
        send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
      } else if (method === 'tools/list') {
        const inputSchema = { type: 'object', properties: { dies: { type: 'boolean' } } };
        send({ id, result: { tools: [{ name: 'work', inputSchema }] } });
      } else if (method === 'tools/call') {
        if (params.arguments.dies) process.exit(1);
        send({ id, result: { content: [{ type: 'text', text: String(process.pid) }] } });
      } else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown' } });
    });`;
  const agent = await McpAgent.start(new Map([['all', program(['--input-type=module', '--eval', script])]]));
  const answers = [call('work', { dies: true }), call('work', { dies: false }), { text: 'Done.' }];
  const run = await agent.run({ answers, mcp: { server: 'all' }, nodeId: 'all' });
  expect(run.status).toBe('completed');
  const calls = run.logs.filter(({ node_id }) => node_id === 'all');
  expect(calls).toMatchObject([{ error_code: 'mcp_unavailable' }, { output: { result: expect.any(String) } }]);
  const pid = Number((calls[1]?.output as { result: string }).result);
  await agent.running.until(() => !isRunning(pid));
});

test('one owner has at most 24 programs at once, and others have more', async () => {
  const connections = createMcpConnections({
    clock: systemClock,
    timers: systemTimers,
    schemaIssue: () => null,
    // It ends without a word.
    programs: new Map([['mute', { command: '/bin/sleep', args: ['3'], env: {} }]]),
  });
  onTestFinished(() => connections.close());
  const use = (ownerId: number, executionId: string): Promise<string> => {
    const target = {
      executionId,
      nodeId: 'mute',
      ownerId,
      server: { name: 'mute' },
      send: () => Promise.reject(new Error('there is no other server')),
      inSlices: async <Read>(work: (meter: Meter) => SlicedWork<Read>) => runThrough(work(new Meter(() => 0))),
    };
    const tools = connections.open(target, new AbortController().signal).tools();
    return tools.then(String, (error: Error) => error.message);
  };
  const ended = expect.stringContaining('ended the connection');
  const full = expect.stringContaining('As many programs of MCP servers are running as');
  const own = Array.from({ length: 24 }, (_, run) => use(1, `1/${run}`));
  expect(await use(1, '1/24')).toEqual(full);
  const others = Array.from({ length: 6 }, (_, run) => use(2, `2/${run}`));
  expect(await use(2, '2/6')).toEqual(full);
  expect(await Promise.all([...own, ...others])).toEqual(Array.from({ length: 30 }, () => ended));
  expect(await use(1, '1/25')).toEqual(ended);
}, 60_000);

test('a node needs exactly one of url and server', async () => {
  const agent = await McpAgent.start();
  for (const mcp of [{}, { url: 'http://127.0.0.1:9/mcp', server: 'all' }]) {
    const run = await agent.run({ answers: [hello], mcp, nodeId: 'all' }).catch(() => null);
    await agent.person.delete('/api/v1/workflows/wf/');
    expect(run).toBeNull();
  }
});

describe('the file of the operator', () => {
  const read = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-mcp-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'servers.json');
    writeFileSync(file, text);
    return readMcpPrograms(file);
  };

  test('names programs with their arguments and environment', () => {
    const all = { command: '/usr/bin/all', args: ['-x'], env: { KEY: 'value' } };
    const programs = read(JSON.stringify({ all, plain: { command: '/usr/bin/plain' } }));
    expect(Object.fromEntries(programs)).toEqual({ all, plain: { command: '/usr/bin/plain', args: [], env: {} } });
  });

  test.each([
    ['{', /is not JSON$/],
    ['{"a b": {"command": "/x"}}', /must be a name/],
    ['{"a": {"command": "x"}}', /a\.command: must be the absolute path/],
    ['{"a": {"command": "/x", "arg": []}}', /is not valid: a: /],
  ])('is rejected with its first error: %s', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test('must exist', () => {
    expect(() => readMcpPrograms('/no/such/file')).toThrow('/no/such/file cannot be read');
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StepError } from '@millrace/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readCommandList } from './command-list.ts';
import { createCommands, type RunCommand } from './commands.ts';

const node = { path: process.execPath, options: ['-e', '--title='], network: true };

function commandsOf(list: object): RunCommand {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-commands-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'commands.json');
  writeFileSync(file, JSON.stringify(list));
  return createCommands(readCommandList(file));
}

/** Runs a script of Node as a command. */
function run(script: string, more: { input?: unknown; args?: string[]; list?: object; signal?: AbortSignal } = {}) {
  const { input = null, args = [], list = {}, signal = new AbortController().signal } = more;
  const request = { name: 'node', args: ['-e', script, ...args], input: input as null };
  return commandsOf({ node: { ...node, ...list } })(request, { ownerId: 1, signal });
}

describe('a command', () => {
  test('gets its arguments as they are, its input, an empty environment and an empty folder', async () => {
    const script = `
      const { readdirSync, readFileSync } = require('node:fs');
      const keys = Object.keys(process.env);
      console.log(JSON.stringify([process.argv.slice(1), keys, readdirSync('.'), readFileSync(0, 'utf8')]));`;
    const args = ['$(id)', '; id', `'quotes"`, '*'];
    const result = await run(script, { args, input: { a: 1 } });
    expect(JSON.parse(result.stdout)).toEqual([args, [], [], '{"a":1}']);
    expect(result).toMatchObject({ exitCode: 0, stderr: '', cut: false });
  });

  test('returns the code and the output of a program that fails', async () => {
    const result = await run("console.error('no paper'); process.exit(3)", { input: 'x'.repeat(1_000_000) });
    expect(result).toEqual({ exitCode: 3, stdout: '', stderr: 'no paper\n', cut: false });
  });

  test('returns the first MiB of a longer output', async () => {
    const result = await run("process.stdout.write('x'.repeat(3_000_000))");
    expect([result.stdout.length, result.cut]).toEqual([1_048_576, true]);
  });

  test('is killed with its children after its time', async () => {
    const script = "require('node:child_process').spawnSync(process.execPath, ['-e', 'setTimeout(() => 0, 60000)'])";
    await expect(run(script, { list: { seconds: 0.3 } })).rejects.toMatchObject({ code: 'step_timeout' });
  });

  test('is killed when its step is cancelled', async () => {
    const abort = new AbortController();
    const running = run('setTimeout(() => 0, 60000)', { signal: abort.signal });
    abort.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
  });

  test('has no network unless the operator allows it', async () => {
    const script = "console.log(Object.keys(require('node:os').networkInterfaces()).length)";
    const confined = run(script, { list: { network: false } });
    // A machine without namespaces must not run it at all.
    const outcome = await confined.then(
      ({ stdout }) => stdout,
      (error: { code: string }) => error.code,
    );
    expect(['0\n', 'command_denied']).toContain(outcome);
  });
});

test('only the commands and options of the list are run', async () => {
  const commands = commandsOf({ node });
  const caller = { ownerId: 1, signal: new AbortController().signal };
  const attempt = (name: string, args: string[]) => commands({ name, args, input: null }, caller);
  await expect(attempt('nod', [])).rejects.toMatchObject({
    code: 'command_denied',
    message: "The operator does not allow the command 'nod'. Did you mean 'node'?",
  });
  await expect(attempt('node', ['-p', '1'])).rejects.toThrow("the option '-p': allowed are -e, --title=");
  await expect(attempt('node', ['--title'])).rejects.toMatchObject({ code: 'command_denied' });
  await expect(attempt('node', ['--title=x', '-e', '0'])).resolves.toMatchObject({ exitCode: 0 });
  await expect(createCommands(new Map())({ name: 'node', args: [], input: null }, caller)).rejects.toThrow(
    'MILLRACE_COMMANDS',
  );
  const missing = commandsOf({ gone: { path: '/no/such/program', network: true } });
  await expect(missing({ name: 'gone', args: [], input: null }, caller)).rejects.toThrow('(ENOENT)');
});

test('a command with arguments that are too long for the system fails', async () => {
  const message =
    "The command 'node' could not be started (E2BIG). Its arguments are too long: pass large values as 'input'.";
  await expect(run('0', { args: ['x'.repeat(400_000)] })).rejects.toMatchObject({ code: 'command_failed', message });
});

test('the owners of workflows take turns, and the one with most waiting commands loses places', async () => {
  const commands = commandsOf({ node });
  const stopping = new AbortController();
  const order: string[] = [];
  const start = (ownerId: number, script = '0') =>
    commands({ name: 'node', args: ['-e', script], input: null }, { ownerId, signal: stopping.signal }).then(
      () => order.push(`ran ${ownerId}`),
      ({ code, message }: StepError) => order.push(`${code} ${ownerId}: ${message}`),
    );
  const busy = new AbortController();
  const places = Array.from({ length: 4 }, () =>
    commands(
      { name: 'node', args: ['-e', 'setTimeout(() => 0, 60000)'], input: null },
      { ownerId: 1, signal: busy.signal },
    ).catch(() => 'ended'),
  );
  const flood = Array.from({ length: 100 }, () => start(1));
  const late = start(2);
  await flood.at(-1);
  expect(order).toEqual(['command_failed 1: 100 commands wait already: try again later.']);
  busy.abort(new Error('over'));
  await Promise.all(places);
  await late;
  // Four places became free at once.
  expect(order.indexOf('ran 2')).toBeLessThan(8);
  stopping.abort(new Error('over'));
  await Promise.all(flood);
});

test('a file of commands with an error says where it is', () => {
  expect(() => readCommandList('/no/such/file.json')).toThrow('cannot be read (ENOENT)');
  expect(() => commandsOf({ wc: { path: 'wc' } })).toThrow('wc.path must be the absolute path of a program');
  expect(() => commandsOf({ wc: { path: '/usr/bin/wc', options: ['w'] } })).toThrow("must begin with '-'");
  expect(() => commandsOf({ wc: { path: '/usr/bin/wc', shell: true } })).toThrow('wc');
});

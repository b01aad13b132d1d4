import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** Replaces npm, which would need the network: records that it ran, and installs nothing or fails. */
const fakeNpm = `
const { appendFileSync, existsSync, mkdirSync } = require('node:fs');
appendFileSync('npm.log', process.argv[2] + '\\n');
if (existsSync('no-network')) { console.error('npm error network'); process.exit(1); }
mkdirSync('node_modules', { recursive: true });
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-bootstrap-'));
  mkdirSync(join(root, 'packages/core'), { recursive: true });
  for (const file of ['bootstrap.mjs', 'install-lock.mjs', 'web-build.mjs'])
    cpSync(join(import.meta.dirname, file), join(root, 'scripts', file));
  for (const file of ['package.json', 'package-lock.json', 'packages/core/package.json']) write(file, '{}');
  write('npm-cli.js', fakeNpm);
  write('program.cjs', "console.log('ran', process.argv[2]);\nprocess.exit(3);\n");
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  writeFileSync(join(root, file), text);
}

function start(...args: string[]): ChildProcess {
  return startWith({}, ...args);
}

function startWith(environment: NodeJS.ProcessEnv, ...args: string[]): ChildProcess {
  const env = { PATH: process.env.PATH, npm_execpath: join(root, 'npm-cli.js'), ...environment };
  return spawn(process.execPath, [join(root, 'scripts/bootstrap.mjs'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function outcome(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

function installs(): number {
  return existsSync(join(root, 'npm.log'))
    ? (readFileSync(join(root, 'npm.log'), 'utf8').match(/^ci$/gm)?.length ?? 0)
    : 0;
}

test('the first start installs and prints that, runs the file with its arguments and returns its exit code', async () => {
  const first = await outcome(start('program.cjs', 'fast'));
  expect(first).toEqual({ code: 3, out: 'ran fast\n', err: 'millrace: installing the dependencies…\n' });
});

test('a second start installs and prints nothing', async () => {
  await outcome(start('program.cjs'));
  expect((await outcome(start('program.cjs'))).err).toBe('');
  expect(installs()).toBe(1);
});

test.each([
  'package-lock.json',
  'package.json',
  'packages/core/package.json',
])('a change of %s installs again', async (file) => {
  await outcome(start('program.cjs'));
  appendFileSync(join(root, file), '\n');
  expect((await outcome(start('program.cjs'))).err).toBe('millrace: the dependencies changed: installing them…\n');
  expect(installs()).toBe(2);
});

test('a failed install prints the reason, starts nothing, and is retried by the next start', async () => {
  write('no-network', '');
  const failed = await outcome(start('program.cjs'));
  expect(failed).toMatchObject({ code: 1, out: '' });
  expect(failed.err).toContain('npm error network');
  expect(failed.err).toContain('run the same command again');
  rmSync(join(root, 'no-network'));
  expect(await outcome(start('program.cjs'))).toMatchObject({ code: 3 });
});

test('of two concurrent starts, only one installs', async () => {
  const both = await Promise.all([outcome(start('program.cjs')), outcome(start('program.cjs'))]);
  expect(both.map(({ code }) => code)).toEqual([3, 3]);
  expect(installs()).toBe(1);
});

test('the lock of a dead process does not block the next start', async () => {
  const dead = spawn(process.execPath, ['--version']);
  await once(dead, 'exit');
  mkdirSync(join(root, '.node'));
  write('.node/install.lock', String(dead.pid));
  expect(await outcome(start('program.cjs'))).toMatchObject({ code: 3 });
});

/** Removes process replacement from Node, as in older versions. */
const withoutExecve = { NODE_OPTIONS: '--import=data:text/javascript,delete(process.execve)' };

test.each([
  ['that took the place of this one', {}],
  ['that runs beside this one, where Node knows no better', withoutExecve],
])('SIGTERM reaches the program %s, and its exit code is returned', async (_where, environment) => {
  write(
    'waits.cjs',
    "process.on('SIGTERM', () => process.exit(7));\nsetInterval(() => {}, 1000);\nconsole.log('up');\n",
  );
  const child = startWith(environment, 'waits.cjs');
  const ended = outcome(child);
  if (child.stdout) await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 7 });
});

test('the program replaces the process that prepared it', async () => {
  write('says.cjs', 'console.log(process.pid, process.cwd());\n');
  const child = start('says.cjs');
  expect(await outcome(child)).toMatchObject({ code: 0, out: `${child.pid} ${realpathSync(root)}\n` });
});

test('a program that a signal ended is reported like in shells', async () => {
  write('dies.cjs', "process.kill(process.pid, 'SIGKILL');\n");
  const child = start('dies.cjs');
  await outcome(child);
  expect(child.signalCode).toBe('SIGKILL');
  expect(await outcome(startWith(withoutExecve, 'dies.cjs'))).toMatchObject({ code: 137 });
});

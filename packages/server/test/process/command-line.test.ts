import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { processEnvironment, ServiceProcess } from '../durable/service-process.ts';
import { promisedMs } from '../support/by-the-clock.ts';

const program = new URL('../../src/millrace.ts', import.meta.url).pathname;

let dataDir: string;
let service: ServiceProcess;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-command-'));
  service = await ServiceProcess.start(dataDir);
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function run(line: string, { input = '', directory = dataDir } = {}): SpawnSyncReturns<string> {
  const env = { ...processEnvironment, MILLRACE_DATA_DIR: directory };
  return spawnSync(process.execPath, [program, ...line.split(' ')], { env, input, encoding: 'utf8' });
}

/** The status of the service's response to a key. */
async function statusOf(key: string): Promise<number> {
  const answer = await fetch(`${service.url}/api/v1/auth/me/`, { headers: { authorization: `Bearer ${key}` } });
  return answer.status;
}

test('a key created by a command works at once in the running service, and is revoked within a second', async () => {
  expect(run('users create worker')).toMatchObject({ status: 0, stdout: '' });
  const key = run('keys create --user worker --name script').stdout.trim();
  expect(await statusOf(key)).toBe(200);
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws/?token=${key}`);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  const [id] = /^\d+(?= +worker +script)/m.exec(run('keys list').stdout) ?? [];
  expect(run(`keys revoke ${id}`).status).toBe(0);
  const revokedAt = performance.now();
  expect((await closed)[0]).toBe(1008);
  expect(performance.now() - revokedAt).toBeLessThan(promisedMs(1000));
  expect(await statusOf(key)).toBe(401);
});

test('a password from standard input works for login', async () => {
  const password = 'a long password';
  expect(run('users create Chris --admin --password-stdin', { input: `${password}\n` }).status).toBe(0);
  const answer = await service.call('POST', '/api/v1/auth/token/', { username: 'chris', password });
  expect(answer.status).toBe(200);
});

test('errors are reported without a stack, with exit code 1', () => {
  const { status, stdout, stderr } = run('keys revoke 999');
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe("API key not found. 'keys list' lists all keys.\n");
  const nowhere = run('users list', { directory: join(dataDir, 'nowhere') });
  expect([nowhere.status, nowhere.stderr]).toEqual([
    1,
    expect.stringMatching(/^No database at .*: set MILLRACE_DATA_DIR/),
  ]);
});

test('tests of workflows need no installation: the exit code shows whether they passed, failed, or could not be read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tests-'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('flow.yaml', 'name: Flow\ntrigger: manual\nsteps: [{id: say, type: template, template: Hi}]\n');
  const tests = (words: string) => `workflow: flow.yaml\ntests: [{name: t, expect: {final_output: ${words}}}]\n`;
  write('good.yaml', tests('Hi'));
  write('bad.yaml', tests('Ho'));
  const runTests = (...names: readonly string[]) =>
    run(`test ${names.map((name) => join(folder, name)).join(' ')}`, { directory: join(folder, 'nowhere') });
  try {
    expect(runTests('good.yaml')).toMatchObject({ status: 0, stderr: '' });
    const failed = runTests('good.yaml', 'bad.yaml');
    expect([failed.status, failed.stderr]).toEqual([1, '']);
    expect(failed.stdout).toMatch(/final_output\n +expected "Ho"\n +actual +"Hi"\n1 passed, 1 failed\n$/);
    const unread = runTests('none.yaml', 'bad.yaml');
    expect([unread.status, unread.stderr]).toEqual([2, `There is no file ${join(folder, 'none.yaml')}.\n`]);
    expect(run('test')).toMatchObject({ status: 1, stderr: 'Name at least one file.\n' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

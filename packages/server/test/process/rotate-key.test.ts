import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processEnvironment, type ServiceProcess } from '../durable/service-process.ts';
import { StartedServices } from './started-services.ts';

let dataDir: string;
const services = new StartedServices();
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-rotate-'));
});
afterEach(async () => {
  await services.stop();
  rmSync(dataDir, { recursive: true });
});

const start = (environment: Record<string, string> = {}): Promise<ServiceProcess> =>
  services.start(dataDir, environment);

/** The output of a command, or its error. */
async function millrace(args: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  const entry = new URL('../../src/millrace.ts', import.meta.url).pathname;
  const env = { ...processEnvironment, MILLRACE_DATA_DIR: dataDir, ...environment };
  const run = promisify(execFile)(process.execPath, [entry, ...args], { env });
  return run.then(
    ({ stdout }) => stdout,
    ({ code, stderr }: { code: number; stderr: string }) => `exit ${code}: ${stderr}`,
  );
}

const credentials = '/api/v1/credentials/';
const keyOfFile = () => readFileSync(join(dataDir, 'secret.key'), 'utf8').trim().split('\n').at(-1);

// Starts several processes one after another, each of which takes a second or more on a busy machine.
test('rotate-key changes the key while the service runs, which continues to read and write', async () => {
  const service = await start();
  const made = { name: 'Mine', credential_type: 'git', detail: { access_token: 'a-long-enough-token' } };
  await service.call('POST', credentials, made);
  const oldKey = keyOfFile();
  expect(await millrace(['rotate-key'])).toBe('1 secret was encrypted with the new key.\n');
  expect(keyOfFile()).not.toBe(oldKey);
  // Decrypts data encrypted with the new key, and encrypts with it.
  const change = (username: string) => service.call('PATCH', `${credentials}1/`, { detail: { username } });
  expect(await change('me')).toMatchObject({ status: 200, body: { detail: { access_token: 'a-lo****oken' } } });
  expect((await service.call('POST', credentials, { ...made, name: 'Other' })).status).toBe(201);
  await service.stop();
  const again = await start();
  expect(await again.call('PATCH', `${credentials}1/`, { detail: { username: '' } })).toMatchObject({ status: 200 });
  const newKey = 'a phrase of at least 32 characters, as asked';
  expect(await millrace(['rotate-key'], { MILLRACE_NEW_SECRET_KEY: newKey })).toMatch(/^2 secrets were encrypted/);
  expect(await again.call('PATCH', `${credentials}2/`, { name: 'Third' })).toMatchObject({ status: 200 });
  await again.stop();
  const last = await start({ MILLRACE_SECRET_KEY: newKey });
  expect(await last.call('PATCH', `${credentials}1/`, { detail: { username: 'us' } })).toMatchObject({ status: 200 });
});

test('the command line lists its commands, and reports what it cannot do', async () => {
  expect(await millrace([])).toContain('rotate-key\n      Encrypts all stored secrets with a new key');
  expect(await millrace(['rotate'])).toMatch(/^exit 1: Unknown command 'rotate'\. Commands: .*rotate-key.*\n$/);
  expect(await millrace(['rotate-key'])).toMatch(/^exit 1: No database at \S+: set MILLRACE_DATA_DIR .*\n$/);
});

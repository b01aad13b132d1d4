import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { finishRestore } from '../../src/store/sql/backup/pending-restore.ts';
import { processEnvironment, type ServiceProcess } from '../durable/service-process.ts';
import { StartedServices } from './started-services.ts';

const program = new URL('../../src/millrace.ts', import.meta.url).pathname;
/** Kills of each command; a release uses more. */
const kills = Number(process.env.BACKUP_KILLS ?? 4);

let folder: string;
let dataDir: string;
let services: StartedServices;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-backups-'));
  dataDir = join(folder, 'data');
  services = new StartedServices();
});
afterEach(async () => {
  await services.stop();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string) => join(folder, name);
const environmentOf = (directory: string) => ({ ...processEnvironment, MILLRACE_DATA_DIR: directory });

/** The exit code and the output of a command. */
function millrace(args: readonly string[], directory = dataDir): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: environmentOf(directory) }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
    );
  });
}

/** Kills a command after this time, unless it ends before. */
async function killed(args: readonly string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { env: environmentOf(dataDir), stdio: 'ignore' });
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  await ended;
  clearTimeout(timer);
}

async function withWebhook(): Promise<ServiceProcess> {
  const service = await services.start(dataDir);
  const yaml_str = 'name: In\nslug: in\ntrigger: webhook\nsteps: [{id: a, type: template, template: Hi}]\n';
  expect((await service.call('POST', '/api/v1/workflows/import/', { yaml_str })).status).toBe(201);
  return service;
}

/** Sends a webhook; resolves with the id of the acknowledged execution. */
async function send(service: ServiceProcess, n: number): Promise<string> {
  const { body } = await service.call('POST', '/api/v1/webhooks/in', { n, text: 'x'.repeat(2000) });
  return (body as { execution_id: string }).execution_id;
}

/** The texts of the variables of a database, which must be whole. */
function variablesOf(path: string): readonly string[] {
  const db = new Database(path);
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    return db.prepare<[], string>('SELECT name FROM variables ORDER BY name').pluck().all();
  } finally {
    db.close();
  }
}

// Requirement engine.storage.backup: a backup that is made while the service runs has everything that was acknowledged before it began, and can be restored into an empty folder
test('a backup during a burst of webhooks has every execution that was acknowledged before it began', async () => {
  const service = await withWebhook();
  const acknowledged: string[] = [];
  let isOver = false;
  const sender = async (): Promise<void> => {
    while (!isOver) acknowledged.push(await send(service, acknowledged.length));
  };
  const senders = Array.from({ length: 8 }, sender);
  await expect.poll(() => acknowledged.length).toBeGreaterThan(200);
  const before = [...acknowledged];
  const backup = await millrace(['backup', file('b.db'), '--key', file('b.key')]);
  const during = acknowledged.length - before.length;
  isOver = true;
  await Promise.all(senders);
  expect(backup).toMatchObject({ code: 0, text: expect.stringMatching(/: 2 users, 2 workflows, \d+ executions/) });
  // The service was not blocked.
  expect(during).toBeGreaterThan(20);
  await service.kill();
  const elsewhere = file('elsewhere');
  const restored = await millrace(['restore', file('b.db'), '--key', file('b.key')], elsewhere);
  expect(restored).toMatchObject({ code: 0 });
  const other = await services.start(elsewhere);
  const answers = await Promise.all(before.map((id) => other.call('GET', `/api/v1/executions/${id}/`)));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect((await other.call('GET', '/health/')).status).toBe(200);
});

// Requirement engine.storage.restore: a restore that is killed leaves the old or the new database, and never the log of one beside the other
describe('a kill -9', () => {
  beforeEach(async () => {
    const service = await withWebhook();
    const add = (name: string) => service.call('POST', '/api/v1/variables/', { name, value: 'v' });
    await add('old');
    expect((await millrace(['backup', file('b.db')])).code).toBe(0);
    await add('new');
    // The log remains.
    await service.kill();
  });

  test('of a backup leaves no file, or a whole one', async () => {
    const startedAt = performance.now();
    await millrace(['backup', file('whole.db')]);
    const usualMs = performance.now() - startedAt;
    for (let round = 0; round < kills; round += 1) {
      const target = file(`${round}.db`);
      await killed(['backup', target], Math.random() * usualMs);
      if (existsSync(target)) expect(variablesOf(target)).toEqual(['new', 'old']);
    }
  });

  test('of a restore leaves the old or the new database', async () => {
    const database = join(dataDir, 'millrace.db');
    const startedAt = performance.now();
    expect((await millrace(['restore', file('b.db'), '--force'])).code).toBe(0);
    const usualMs = performance.now() - startedAt;
    expect(variablesOf(database)).toEqual(['old']);
    const { code } = await millrace(['backup', file('other.db')]);
    expect(code).toBe(0);
    for (let round = 0; round < kills; round += 1) {
      const db = new Database(database);
      db.exec(`UPDATE variables SET name = 'round'`);
      db.close();
      await killed(['restore', file('b.db'), '--force'], usualMs * (0.3 + 0.7 * Math.random()));
      finishRestore(database);
      expect([['old'], ['round']]).toContainEqual(variablesOf(database));
      expect(existsSync(`${database}.restoring`)).toBe(false);
    }
  });
});

test('a restore needs a stopped service', async () => {
  await withWebhook();
  await millrace(['backup', file('b.db')]);
  const { code, text } = await millrace(['restore', file('b.db'), '--force']);
  expect([code, text]).toEqual([1, expect.stringMatching(/^Another Millrace already uses the data directory .*\n$/)]);
});

test('a disk that takes no more stops a backup and a restore, which change nothing', async () => {
  const service = await withWebhook();
  await millrace(['backup', file('b.db')]);
  await service.stop();
  const before = readFileSync(join(dataDir, 'millrace.db'));
  for (const args of [
    ['backup', file('c.db')],
    ['restore', file('b.db'), '--force'],
  ]) {
    // 100 blocks of 1 KiB are less than the database has.
    const script = `trap '' XFSZ; ulimit -f 100; exec "$0" "$@"`;
    const result = await new Promise((resolve) => {
      execFile(
        'sh',
        ['-c', script, process.execPath, program, ...args],
        { env: environmentOf(dataDir) },
        (error, _out, stderr) => resolve([error?.code, stderr]),
      );
    });
    expect(result).toEqual([1, expect.stringMatching(/^The backup was not (made|restored): .*\n$/)]);
  }
  expect(readdirSync(folder).sort()).toEqual(['b.db', 'data']);
  expect(readdirSync(dataDir).filter((name) => name.includes('restor'))).toEqual([]);
  expect(readFileSync(join(dataDir, 'millrace.db')).equals(before)).toBe(true);
});

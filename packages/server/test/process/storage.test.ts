import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import type { ServiceProcess } from '../durable/service-process.ts';
import { StartedServices } from './started-services.ts';

let folder: string;
let dataDir: string;
let services: StartedServices;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-storage-'));
  dataDir = join(folder, 'data');
  services = new StartedServices();
});
afterEach(async () => {
  await services.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = (name: string) => join(dataDir, name);
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

const start = (environment: Record<string, string> = {}): Promise<ServiceProcess> =>
  services.start(dataDir, environment);

const complaint = (environment: Record<string, string> = {}): Promise<string> =>
  services.complaint(dataDir, environment);

describe('a database that is a symbolic link', () => {
  test('works, also after a kill, with its log beside the file and its key beside the link', async () => {
    await withSecret();
    const file = join(folder, 'elsewhere', 'moved.db');
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 });
    renameSync(fileOf('millrace.db'), file);
    symlinkSync(file, fileOf('millrace.db'));
    const service = await start();
    expect((await service.call('POST', '/api/v1/variables/', { name: 'late', value: 1 })).status).toBe(201);
    expect([existsSync(`${file}-wal`), existsSync(fileOf('millrace.db-wal'))]).toEqual([true, false]);
    expect(existsSync(fileOf('secret.key'))).toBe(true);
    const another = await services.complaint(join(folder, 'other'), { MILLRACE_DATABASE_URL: `sqlite:${file}` });
    expect(another).toMatch(/^exit 1: Another Millrace already uses the database /);
    await service.kill();
    const { body } = await (await start()).call('GET', '/api/v1/variables/');
    expect(body).toMatchObject({ items: [{ name: 'late' }, { name: 'token' }] });
  });

  test('stops the start if its file does not exist, and creates nothing', async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    const file = join(folder, 'missing.db');
    symlinkSync(file, fileOf('millrace.db'));
    expect(await complaint()).toMatch(/^exit 1: The database \S+ is a link to a file that does not exist: mount /);
    expect(existsSync(file)).toBe(false);
  });
});

/** A data directory with a stored secret, after the service has stopped. */
async function withSecret(environment: Record<string, string> = {}): Promise<void> {
  const service = await start(environment);
  const secret = { name: 'token', value: 'a secret of the test', is_secret: true, allowed_hosts: ['crm.example'] };
  expect((await service.call('POST', '/api/v1/variables/', secret)).status).toBe(201);
  await service.stop();
}

// Requirement engine.storage.missing: an empty or missing database next to a key that has sealed secrets, or next to a log with data, stops the start with instructions
describe('a database that is missing or empty', () => {
  const lost = /^exit 1: The database \S+ is missing or empty, but secrets were stored under the key of \S+: restore /;

  test('is new beside a key that sealed nothing, as after a first start that was killed', async () => {
    await (await start()).kill();
    for (const suffix of ['', '-wal', '-shm']) rmSync(fileOf(`millrace.db${suffix}`));
    await start();
  });

  test('stops the start if secrets were stored under the key, and creates no file, until a backup is restored', async () => {
    await withSecret();
    copyFileSync(fileOf('millrace.db'), join(folder, 'backup'));
    rmSync(fileOf('millrace.db'));
    expect(await complaint()).toMatch(lost);
    expect(existsSync(fileOf('millrace.db'))).toBe(false);
    writeFileSync(fileOf('millrace.db'), '');
    expect(await complaint()).toMatch(lost);
    expect(await complaint({ MILLRACE_DATABASE_URL: `sqlite:${fileOf('misspelt.db')}` })).toMatch(lost);
    copyFileSync(join(folder, 'backup'), fileOf('millrace.db'));
    const restored = await start();
    expect((await restored.call('GET', '/api/v1/variables/')).body).toMatchObject({ total: 1 });
  });

  test('stops the start also if MILLRACE_SECRET_KEY gives the key', async () => {
    const key = { MILLRACE_SECRET_KEY: 'a phrase of at least 32 characters, as asked' };
    await withSecret(key);
    rmSync(fileOf('millrace.db'));
    expect(await complaint(key)).toMatch(lost);
    rmSync(fileOf('secret.key'));
    await start(key);
  });

  test('stops the start if its log has data, and the log remains', async () => {
    await (await start()).kill();
    rmSync(fileOf('secret.key'));
    const { size } = statSync(fileOf('millrace.db-wal'));
    const orphaned =
      /^exit 1: The database \S+ is missing or empty, but its log \S+-wal has data: put the database back /;
    for (const empty of [false, true]) {
      if (empty) writeFileSync(fileOf('millrace.db'), '');
      else rmSync(fileOf('millrace.db'));
      expect(await complaint()).toMatch(orphaned);
      expect(statSync(fileOf('millrace.db-wal')).size).toBe(size);
    }
  });
});

// Requirement engine.storage.private: files and folders that other users have access to are made private or rejected
describe('files that other users have access to', () => {
  test('are made private at the start, as is the data directory', async () => {
    await (await start({ MILLRACE_API_KEY: '' })).kill();
    const files = [
      'millrace.db',
      'millrace.db-wal',
      'millrace.db-shm',
      'millrace.db.lock',
      'millrace.lock',
      'admin.key',
    ];
    for (const file of files) chmodSync(fileOf(file), 0o666);
    chmodSync(dataDir, 0o777);
    await start();
    expect(modeOf(dataDir)).toBe('700');
    for (const file of files) expect([file, modeOf(fileOf(file))]).toEqual([file, '600']);
  });

  test('an empty data directory is made private', async () => {
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    await start();
    expect(modeOf(dataDir)).toBe('700');
  });

  test('a data directory with files of other programs stops the start and is not changed', async () => {
    mkdirSync(dataDir);
    writeFileSync(fileOf('report.txt'), '');
    chmodSync(dataDir, 0o755);
    expect(await complaint()).toMatch(
      /^exit 1: Other users have access to the data directory \S+ \(mode 755\), and it has other files: set MILLRACE_DATA_DIR /,
    );
    expect(modeOf(dataDir)).toBe('755');
  });

  test('a database in a folder that other users may write to stops the start', async () => {
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    expect(await complaint({ MILLRACE_DATABASE_URL: `sqlite:${join(shared, 'm.db')}` })).toMatch(
      /^exit 1: Other users may write to the folder of the database, \S+ \(mode 777\): chmod 700 it, /,
    );
  });
});

// Requirement engine.storage.copied-without-log: a start on a database that was copied from a running service without its log reports that
describe('a database whose log is missing', () => {
  const missing = 'the log of the database is missing';
  const logOf = ({ logged }: ServiceProcess) => logged.join('');

  test('is reported by the start if the file was copied while the service ran, once', async () => {
    await start();
    const copy = join(folder, 'copy');
    mkdirSync(copy, { mode: 0o700 });
    for (const name of ['millrace.db', 'secret.key']) copyFileSync(fileOf(name), join(copy, name));
    const first = await services.start(copy);
    await expect.poll(() => logOf(first)).toContain(missing);
    expect((await first.call('GET', '/health/')).status).toBe(200);
    await first.stop();
    const second = await services.start(copy);
    await second.stop();
    expect(logOf(second)).not.toContain(missing);
  });

  test('is not reported after a stop, a kill, or a command that wrote the log into the file after a kill', async () => {
    await (await start()).stop();
    await (await start()).kill();
    const afterKill = await start();
    await afterKill.kill();
    expect(logOf(afterKill)).not.toContain(missing);
    await openSqliteStore({ path: fileOf('millrace.db') }).close();
    expect(existsSync(fileOf('millrace.db-wal'))).toBe(false);
    const afterCommand = await start();
    await afterCommand.stop();
    expect(logOf(afterCommand)).not.toContain(missing);
  });
});

describe('if the files of the database change while the service runs', () => {
  const write = (service: ServiceProcess, name: string) =>
    service.call('POST', '/api/v1/variables/', { name, value: 'some text' });

  test.each([
    ['the database is deleted', () => rmSync(fileOf('millrace.db')), 'The file of the database was deleted'],
    ['the log is deleted', () => rmSync(fileOf('millrace.db-wal')), 'The log of the database was deleted'],
    [
      'a backup is moved over the database',
      () => {
        copyFileSync(fileOf('millrace.db'), join(folder, 'backup'));
        renameSync(join(folder, 'backup'), fileOf('millrace.db'));
      },
      'The file of the database was deleted or replaced',
    ],
  ])('%s: no later call is acknowledged, and /health/ is 503 with the reason', async (_what, change, reason) => {
    const service = await start();
    expect((await write(service, 'before')).status).toBe(201);
    change();
    expect(await write(service, 'after')).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining(reason) },
    });
    expect(await service.call('GET', '/health/')).toMatchObject({
      status: 503,
      body: { status: 'unavailable', reason: expect.stringContaining(reason) },
    });
    expect((await service.call('GET', '/api/v1/variables/')).status).toBe(503);
    expect((await write(service, 'later')).status).toBe(503);
  });

  test('a deleted log loses nothing: a normal stop writes it into the database', async () => {
    const service = await start();
    await write(service, 'in_log');
    rmSync(fileOf('millrace.db-wal'));
    await expect.poll(async () => (await service.call('GET', '/health/')).status, { timeout: 20_000 }).toBe(503);
    await service.stop();
    const restarted = await start();
    expect((await restarted.call('GET', '/api/v1/variables/')).body).toMatchObject({ items: [{ name: 'in_log' }] });
    await restarted.stop();
    // On a slow machine it may log that it waited, but nothing about its files.
    expect(restarted.logged.join('')).not.toMatch(/database|file|-wal/i);
  });
});

import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/ground/config.ts';
import { type Service, startService } from '../../src/process/start.ts';
import { StartError } from '../../src/process/start-error.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { damageTable } from '../support/damaged-table.ts';

const key = 'mr_a-key-for-tests-that-nothing-else-ever-uses-000';
const pageBytes = 4096;

const umask = process.umask();
let folder: string;
/** The data directory of a service that was used and stopped. */
let whole: string;
let content: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-damage-'));
  whole = join(folder, 'whole');
  const { url, service } = await start(whole);
  await use(url);
  await service.stop();
  content = readFileSync(join(whole, 'millrace.db'));
});
afterAll(() => {
  // The service makes it private.
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly service: Service;
  readonly url: string;
  readonly lines: readonly string[];
}

async function start(dataDir: string): Promise<Started> {
  const lines: string[] = [];
  const config = readConfig({ MILLRACE_DATA_DIR: dataDir, MILLRACE_API_KEY: key, MILLRACE_PORT: '0' });
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const service = await startService(config, log);
  const url = /http:\/\/\S+:\d+/.exec(service.greeting[0] ?? '')?.[0] ?? '';
  return { service, url, lines };
}

async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** Fills many tables: workflows, executions that ended and that wait, variables with a secret, and free pages. */
async function use(url: string): Promise<void> {
  const step = (id: string, rest: string) => `  - {id: ${id}, ${rest}}\n`;
  const flow = (slug: string, steps: string) => `name: ${slug}\nslug: ${slug}\ntrigger: webhook\nsteps:\n${steps}`;
  const yaml = [
    flow('short', step('a', 'type: transform, fields: {out: "{{ trigger.payload }}"}')),
    flow('waits', step('a', 'type: wait, callback: true')),
    flow('bulky', step('a', 'type: transform, fields: {out: "{{ trigger.payload }}"}')),
  ];
  for (const yaml_str of yaml) {
    const { status, body } = await call(url, 'POST', '/api/v1/workflows/import/', { yaml_str });
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  for (let time = 0; time < 30; time += 1) {
    await call(url, 'POST', '/api/v1/webhooks/short', { n: time, text: 'x'.repeat(time * 100) });
    if (time < 5) await call(url, 'POST', '/api/v1/webhooks/waits', { n: time });
    if (time < 3) await call(url, 'POST', '/api/v1/webhooks/bulky', { text: 'y'.repeat(60_000) });
    await call(url, 'POST', '/api/v1/variables/', { name: `name_${time}`, value: `value ${time}` });
  }
  await call(url, 'DELETE', '/api/v1/workflows/bulky/');
}

/** A copy of the data directory with a damaged database. */
function damagedCopy(damage: (file: Buffer) => Buffer): string {
  const dataDir = mkdtempSync(join(folder, 'copy-'));
  for (const name of ['secret.key', 'admin.key'])
    if (existsSync(join(whole, name))) copyFileSync(join(whole, name), join(dataDir, name));
  writeFileSync(join(dataDir, 'millrace.db'), damage(Buffer.from(content)));
  return dataDir;
}

/** What a full scan of every table and of every index meets. */
function scan(path: string): string | null {
  const db = new Database(path, { readonly: true });
  try {
    const objects = db
      .prepare<[], { type: string; name: string; tbl_name: string }>(
        `SELECT type, name, tbl_name FROM sqlite_schema WHERE type IN ('table', 'index') AND name NOT LIKE 'sqlite_%'`,
      )
      .all();
    for (const { type, name, tbl_name: table } of objects) {
      const from = type === 'table' ? `"${name}" NOT INDEXED` : `"${table}" INDEXED BY "${name}"`;
      try {
        db.prepare(`SELECT * FROM ${from}`).all();
      } catch (error) {
        // A partial index cannot serve this query.
        if (!(error instanceof Error) || !error.message.includes('no query solution')) throw error;
      }
    }
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    db.close();
  }
}

const paths = [
  '/api/v1/workflows/',
  '/api/v1/workflows/short/',
  '/api/v1/workflows/waits/',
  '/api/v1/executions/?limit=200',
  '/api/v1/variables/',
  '/api/v1/credentials/',
  '/api/v1/users/me/keys/',
];

/** How a service on this database behaves: 'rejected', 'reported' or 'unnoticed'. */
async function behaviour(dataDir: string): Promise<string> {
  let started: Started;
  try {
    started = await start(dataDir);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof StartError) || message.includes('\n'))
      return `crashed: ${error instanceof Error ? error.stack : message}`;
    return 'rejected';
  }
  const { url, service, lines } = started;
  try {
    const before = await call(url, 'GET', '/health/');
    for (const path of paths) {
      const { status, body } = await call(url, 'GET', path);
      if (status === 500 && (body as { code?: string }).code !== 'data_damaged')
        return `${path}: ${JSON.stringify(body)} ${lines}`;
    }
    const written = await call(url, 'POST', '/api/v1/variables/', { name: 'later', value: 'v' });
    const { status, body } = await call(url, 'GET', '/health/');
    if (status === 200) return 'unnoticed';
    if (before.status === 503 && written.status < 500) return `written: ${JSON.stringify(written)}`;
    return lines.some((line) => line.includes('is damaged: nothing more is stored'))
      ? 'reported'
      : `503 ${JSON.stringify(body)}`;
  } finally {
    await service.stop().catch(() => undefined);
  }
}

/** A page, and what a disk or another program may do to it. */
const pages = () => content.length / pageBytes;
const damages: Readonly<Record<string, (file: Buffer, page: number, other: number) => Buffer>> = {
  'a flipped byte': (file, page, other) => {
    const at = page * pageBytes + (other % pageBytes);
    file[at] = (file[at] ?? 0) ^ (1 + (other % 255));
    return file;
  },
  // Where a page of a tree has its type, its cells and their places.
  'a flipped byte at its beginning': (file, page, other) => {
    const at = page * pageBytes + (other % 32);
    file[at] = (file[at] ?? 0) ^ (1 + (other % 255));
    return file;
  },
  zeros: (file, page) => file.fill(0, page * pageBytes, (page + 1) * pageBytes),
  'the content of another page': (file, page, other) => {
    const from = (other % pages()) * pageBytes;
    file.copy(file, page * pageBytes, from, from + pageBytes);
    return file;
  },
  'the end of the file': (file, page) => file.subarray(0, Math.max(1, page) * pageBytes),
};

// Requirement engine.storage.damage: a damaged database stops the start with instructions, or `/health/` is 503 with the reason, nothing more is stored, and reads go on
test('damage anywhere in the file is reported, or stops the start, unless no query meets it', async () => {
  const where = fc.record({
    kind: fc.constantFrom(...Object.keys(damages)),
    page: fc.noBias(fc.nat(pages() - 1)),
    other: fc.noBias(fc.nat()),
  });
  await fc.assert(
    fc.asyncProperty(where, async ({ kind, page, other }) => {
      const dataDir = damagedCopy((file) => damages[kind]?.(file, page, other) ?? file);
      const scanned = scan(join(dataDir, 'millrace.db'));
      const outcome = await behaviour(dataDir);
      rmSync(dataDir, { recursive: true });
      expect(['rejected', 'reported', ...(scanned === null ? ['unnoticed'] : [])]).toContain(outcome);
    }),
    { numRuns: Number(process.env.DAMAGE_RUNS ?? 15) },
  );
});

// The start reads both tables.
test.each([
  'variables',
  'secret_keys',
])('a damaged table of %s is reported, or stops the start in one line', async (table) => {
  const db = new Database(join(whole, 'millrace.db'), { readonly: true });
  const page =
    db.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) ?? 0;
  db.close();
  const dataDir = damagedCopy((file) => file.fill(0, (page - 1) * pageBytes, page * pageBytes));
  expect(['rejected', 'reported']).toContain(await behaviour(dataDir));
});

const reason = expect.stringContaining(
  'The file of the database is damaged. It is still read, but nothing more is stored.',
);

/** Damages a page of a table that only this test uses, behind enough data for a check in the background. */
function largeCopy(): string {
  const dataDir = damagedCopy((file) => file);
  const path = join(dataDir, 'millrace.db');
  const db = new Database(path);
  db.exec('CREATE TABLE filler (data BLOB); INSERT INTO filler VALUES (zeroblob(70000000)); CREATE TABLE last (n);');
  const { page } = db
    .prepare<[], { page: number }>(`SELECT rootpage AS page FROM sqlite_schema WHERE name = 'last'`)
    .get() ?? { page: 0 };
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(pageBytes), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(file);
  return dataDir;
}

/** The processes that check the file of a data directory. */
function checksOf(dataDir: string): readonly string[] {
  const commandOf = (id: string): string => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc').filter(
    (id) => /^\d+$/.test(id) && /integrity-process/.test(commandOf(id)) && commandOf(id).includes(dataDir),
  );
}

// Requirement engine.storage.damage
test('a large file is checked while the service runs, and damage that no query meets is reported in one line', async () => {
  const dataDir = largeCopy();
  const { url, service, lines } = await start(dataDir);
  const write = (name: string) => call(url, 'POST', '/api/v1/variables/', { name, value: 'v' });
  await expect
    .poll(() => call(url, 'GET', '/health/'))
    .toMatchObject({ status: 503, body: { status: 'unavailable', reason } });
  expect(await write('later')).toMatchObject({ status: 503, body: { detail: reason } });
  expect((await call(url, 'POST', '/api/v1/webhooks/short', {})).status).toBe(503);
  expect(await call(url, 'GET', '/api/v1/variables/name_3/')).toMatchObject({
    status: 200,
    body: { value: 'value 3' },
  });
  expect(lines.filter((line) => line.includes('is damaged: nothing more is stored'))).toHaveLength(1);
  await service.stop().catch(() => undefined);
});

test('the check of a large file ends with the service', async () => {
  const dataDir = largeCopy();
  const { service } = await start(dataDir);
  const [check, ...others] = checksOf(dataDir);
  expect([typeof check, others]).toEqual(['string', []]);
  // It does not end by itself.
  process.kill(Number(check), 'SIGSTOP');
  await service.stop();
  await expect.poll(() => checksOf(dataDir)).toEqual([]);
});

/** Calls as a browser with this cookie. */
async function browse(url: string, method: string, path: string, sent: { cookie?: string; body?: unknown } = {}) {
  const headers = {
    origin: url,
    'content-type': 'application/json',
    ...(sent.cookie !== undefined && { cookie: sent.cookie }),
  };
  const body = sent.body === undefined ? null : JSON.stringify(sent.body);
  const response = await fetch(`${url}${path}`, { method, headers, body });
  const text = await response.text();
  const cookie = response.headers.getSetCookie().find((each) => each.startsWith('millrace_session')) ?? '';
  return {
    status: response.status,
    cookie: cookie.replace(/;.*/, ''),
    body: text.startsWith('{') ? JSON.parse(text) : text,
  };
}

const sessionPath = '/api/v1/auth/session/';

// Requirement engine.storage.damage
test('people log in to a service with a damaged database, read, and log out', async () => {
  const dataDir = damagedCopy((file) => file);
  damageTable(join(dataDir, 'millrace.db'), 'variables');
  const { url, service } = await start(dataDir);
  expect(await call(url, 'GET', '/health/')).toMatchObject({ status: 503, body: { reason } });
  const wrong = await browse(url, 'POST', sessionPath, { body: { username: 'admin', password: 'a wrong password' } });
  expect(wrong.status).toBe(401);
  const { status, cookie } = await browse(url, 'POST', sessionPath, { body: { api_key: key } });
  expect([status, cookie]).toEqual([200, expect.stringMatching(/^millrace_session_\d+=mr_/)]);
  const asked = await browse(url, 'GET', sessionPath, { cookie });
  expect(asked.body).toMatchObject({ user: { username: 'admin' }, setup_needed: false });
  expect((await browse(url, 'GET', '/api/v1/workflows/short/', { cookie })).status).toBe(200);
  expect(await browse(url, 'PATCH', '/api/v1/workflows/short/', { cookie, body: { name: 'Other' } })).toMatchObject({
    status: 503,
    body: { detail: reason },
  });
  expect((await browse(url, 'DELETE', sessionPath, { cookie })).status).toBe(204);
  expect((await browse(url, 'GET', '/api/v1/workflows/short/', { cookie })).status).toBe(401);
  await service.stop().catch(() => undefined);
});

// Requirement engine.storage.damage
test('a session that was opened before the damage continues, and ends with its logout', async () => {
  const dataDir = damagedCopy((file) => file);
  const before = await start(dataDir);
  const opened = await browse(before.url, 'POST', sessionPath, { body: { api_key: key } });
  await before.service.stop();
  // So that its renewal is due.
  const db = new Database(join(dataDir, 'millrace.db'));
  db.prepare('UPDATE api_keys SET expires_at = ? WHERE by_login = 1').run(
    new Date(Date.now() + 3_600_000).toISOString().slice(0, -1),
  );
  db.close();
  damageTable(join(dataDir, 'millrace.db'), 'variables');
  const { url, service } = await start(dataDir);
  // The name of the cookie contains the port.
  const cookie = opened.cookie.replace(/\d+/, new URL(url).port);
  expect((await browse(url, 'GET', sessionPath, { cookie })).body).toMatchObject({ user: { username: 'admin' } });
  expect((await browse(url, 'DELETE', sessionPath, { cookie })).status).toBe(204);
  expect((await browse(url, 'GET', '/api/v1/workflows/', { cookie })).status).toBe(401);
  await service.stop().catch(() => undefined);
});

// Requirement engine.storage.damage
test('a query that meets damage is answered with the reason, and from then on nothing is stored', async () => {
  const dataDir = damagedCopy((file) => file);
  const path = join(dataDir, 'millrace.db');
  const db = new Database(path);
  const { page } = db
    .prepare<[], { page: number }>(`SELECT rootpage AS page FROM sqlite_schema WHERE name = 'variables'`)
    .get() ?? { page: 0 };
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(pageBytes, 7), 0, pageBytes, (page - 1) * pageBytes);
  closeSync(file);
  const logged: object[] = [];
  // A command does not check the file.
  const store = openSqliteStore({ path, log: { error: (details) => void logged.push(details) } });
  await store.ping();
  expect(await store.workflows.bySlug('short')).not.toBeNull();
  const read = store.variables.list({ workflowId: null, limit: 10, offset: 0 });
  await expect(read).rejects.toMatchObject({ code: 'store_unavailable' });
  await expect(store.ping()).rejects.toMatchObject({ code: 'store_unavailable', detail: reason });
  const write = store.users.insert({ username: 'later', isAdmin: false, at: 0 });
  await expect(write).rejects.toMatchObject({ code: 'store_unavailable', detail: reason });
  expect(await store.workflows.bySlug('short')).not.toBeNull();
  expect(logged).toHaveLength(1);
  await store.close();
});

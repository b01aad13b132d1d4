import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../ground/config.ts';
import { KeyFile } from '../secrets/keys/key-file.ts';
import { InstalledKeys } from '../secrets/keys/keyring.ts';
import { unlockVault } from '../secrets/keys/unlock.ts';
import { BackupError, type Backups } from '../store/backup.ts';
import { sqliteBackups } from '../store/sql/backup/backups.ts';
import { finishRestore } from '../store/sql/backup/pending-restore.ts';
import { Connection } from '../store/sql/database/connection.ts';
import { NewerDatabase } from '../store/sql/database/migrate.ts';
import { openSqliteStore } from '../store/sql/sqlite.ts';
import type { Store } from '../store/store.ts';
import { CommandError } from './command.ts';
import { callOf } from './commands.ts';

const now = Date.UTC(2026, 0, 5, 10);

let folder: string;
let database: string;
let store: Store | null;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-backup-'));
  database = join(folder, 'data', 'millrace.db');
  mkdirSync(join(folder, 'data'));
  store = await usedStore(database, ['admin']);
});
afterEach(async () => {
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function usedStore(path: string, users: readonly string[]): Promise<Store> {
  const opened = openSqliteStore({ path });
  for (const username of users) await opened.users.insert({ username, isAdmin: true, at: now });
  await unlockVault(new InstalledKeys(keyFile(path), null), opened.secretKeys);
  return opened;
}

const keyFile = (path: string) => new KeyFile(join(path, '..', 'secret.key'));
const file = (name: string) => join(folder, name);

interface Surroundings {
  readonly backups?: Backups;
  readonly signal?: AbortSignal;
  readonly databaseFile?: string;
}

/** The lines that a command prints, or its error. */
async function run(
  line: readonly string[],
  { backups = sqliteBackups(), signal = new AbortController().signal, databaseFile = database }: Surroundings = {},
): Promise<string> {
  const call = callOf(line);
  if (call?.command.needs !== 'files') throw new Error('no command for files');
  const lines: string[] = [];
  try {
    await call.command.run(call.args, {
      config: readConfig({}),
      databaseFile,
      clock: { now: () => now, monotonic: () => now },
      print: (text) => void lines.push(text),
      note: (text) => void lines.push(text),
      backups,
      signal,
      whileStopped: (action) => action(),
    });
  } catch (error) {
    const isForOperator = [BackupError, CommandError, NewerDatabase].some((type) => error instanceof type);
    if (!isForOperator || !(error instanceof Error)) throw error;
    return `error: ${error.message}`;
  }
  return lines.join('\n');
}

async function usersOf(path: string): Promise<readonly string[]> {
  const opened = openSqliteStore({ path });
  try {
    const { items } = await opened.users.list({ offset: 0, limit: 100 });
    return items.map(({ username }) => username).sort();
  } finally {
    await opened.close();
  }
}

/** A change by another program. */
function change(sql: string): void {
  const connection = new Connection(database);
  connection.script(sql);
  connection.close();
}

async function stop(): Promise<void> {
  await store?.close();
  store = null;
}

describe('backup', () => {
  it('copies the state of a database in use to one private file, and names the key that it does not contain', async () => {
    const { id } = keyFile(database).read()?.[0] ?? {};
    expect(await run(['backup', file('b.db')])).toMatch(
      new RegExp(
        `^${file('b.db')}: 1 users, 0 workflows, .*\\.\nIt does not contain the key .*\\(id ${id}\\): keep a copy`,
      ),
    );
    expect(readdirSync(folder).sort()).toEqual(['b.db', 'data']);
    expect(readFileSync(file('b.db')).includes(readFileSync(keyFile(database).path, 'utf8').trim().slice(-43))).toBe(
      false,
    );
  });

  it('replaces no file', async () => {
    writeFileSync(file('b.db'), 'mine');
    expect(await run(['backup', file('b.db')])).toMatch(/^error: \S+ exists already, and a backup replaces no file/);
    expect(readFileSync(file('b.db'), 'utf8')).toBe('mine');
  });

  it('copies the key with --key, and replaces no file with it', async () => {
    expect(await run(['backup', file('b.db'), '--key', file('b.key')])).toContain(`is in ${file('b.key')}: move it`);
    expect(new KeyFile(file('b.key')).read()).toEqual(keyFile(database).read());
    expect(await run(['backup', file('c.db'), '--key', file('b.key')])).toMatch(/^error: \S+b\.key exists already/);
    expect(existsSync(file('c.db'))).toBe(false);
  });

  it('is not stored if the key file lacks its key', async () => {
    rmSync(keyFile(database).path);
    expect(await run(['backup', file('b.db'), '--key', file('b.key')])).toMatch(/^error: \S+ does not have the key /);
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('stops if the log of the service grows too much meanwhile, or if it is interrupted, and leaves nothing', async () => {
    change('CREATE TABLE filler (data BLOB); INSERT INTO filler VALUES (zeroblob(3000000))');
    expect(await run(['backup', file('b.db')], { backups: sqliteBackups({ maxGrowth: -1 }) })).toMatch(
      /^error: The service wrote so much during the backup/,
    );
    expect(await run(['backup', file('b.db')], { signal: AbortSignal.abort() })).toMatch(
      /^error: The backup was interrupted/,
    );
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('of a damaged database is rejected', async () => {
    await stop();
    const content = readFileSync(database);
    content.fill(0, 4096 * 20, 4096 * 30);
    writeFileSync(database, content);
    expect(await run(['backup', file('b.db')])).toMatch(/^error: .*damaged/);
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('needs a database and a folder', async () => {
    expect(await run(['backup', file('no/b.db')])).toMatch(/^error: There is no folder /);
    expect(await run(['backup', file('b.db')], { databaseFile: file('other.db') })).toMatch(/^error: No database at /);
  });
});

describe('restore', () => {
  beforeEach(backUpAndStop);

  it('needs --force to replace a database, and keeps the old one with its log', async () => {
    expect(await run(['restore', file('b.db')])).toMatch(/^error: There is a database at \S+: give --force/);
    expect(await usersOf(database)).toEqual(['admin', 'later']);
    writeFileSync(`${database}-wal`, 'the log of the old one');
    writeFileSync(`${database}-shm`, 'its index');
    expect(await run(['restore', file('b.db'), '--force'])).toMatch(
      /: 1 users, .*, from 2026-01-05T10:00:00Z\.\nThe database before it is (\S+): delete it/,
    );
    const aside = readdirSync(join(folder, 'data')).filter((name) => name.includes('before-restore'));
    expect(aside).toEqual([expect.stringMatching(/^millrace\.db\.before-restore-\w+$/), `${aside[0]}-wal`]);
    expect([existsSync(`${database}-wal`), existsSync(`${database}-shm`)]).toEqual([false, false]);
    expect(await usersOf(database)).toEqual(['admin']);
    rmSync(join(folder, 'data', `${aside[0]}-wal`));
    expect(await usersOf(join(folder, 'data', aside[0] ?? ''))).toEqual(['admin', 'later']);
  });

  it('makes a database without a trace of the backup, in an empty folder with the key of --key', async () => {
    const other = file('other/millrace.db');
    mkdirSync(file('other'));
    expect(await run(['restore', file('b.db')], { databaseFile: other })).toMatch(
      /^error: The secrets of the backup need the key with the id [0-9a-f]{8}, which is not here/,
    );
    expect(readdirSync(file('other'))).toEqual([]);
    await run(['restore', file('b.db'), '--key', file('b.key')], { databaseFile: other });
    expect(readdirSync(file('other')).sort()).toEqual(['millrace.db', 'secret.key']);
    expect(await usersOf(other)).toEqual(['admin']);
    const db = new Connection(other);
    expect(db.all(`SELECT name FROM sqlite_schema WHERE name LIKE 'backup%'`, [])).toEqual([]);
    db.close();
  });

  it('adds a key to those that are there, so that the old database can still be opened', async () => {
    const own = keyFile(database).read()?.[0]?.id;
    const other = await usedStore(openFolder('second'), ['else']);
    await other.close();
    const theirs = keyFile(file('second/millrace.db')).read()?.[0]?.id;
    const there = { databaseFile: file('second/millrace.db') };
    expect(await run(['restore', file('b.db'), '--force'], there)).toMatch(/^error: The secrets of the backup need/);
    expect(await usersOf(there.databaseFile)).toEqual(['else']);
    await run(['restore', file('b.db'), '--force', '--key', file('b.key')], there);
    expect(
      keyFile(there.databaseFile)
        .read()
        ?.map(({ id }) => id),
    ).toEqual([theirs, own]);
  });
});

describe('a restore', () => {
  beforeEach(backUpAndStop);

  it('rejects a backup with any byte changed or missing, and changes nothing', async () => {
    const whole = readFileSync(file('b.db'));
    const before = readFileSync(database);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, bits, isCut) => {
          const damaged = Buffer.from(isCut ? whole.subarray(0, at) : whole);
          if (!isCut) damaged[at] = (damaged[at] ?? 0) ^ bits;
          writeFileSync(file('damaged.db'), damaged);
          expect(await run(['restore', file('damaged.db'), '--force'])).toMatch(/^error: /);
          expect(readFileSync(database).equals(before)).toBe(true);
          expect(readdirSync(join(folder, 'data')).filter((name) => /restor/.test(name))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('rejects a plain copy of a database, another file, and a backup of a newer version', async () => {
    copyFileSync(database, file('plain.db'));
    writeFileSync(file('text'), 'no database');
    expect(await run(['restore', file('plain.db'), '--force'])).toMatch(/^error: The file is no backup that/);
    expect(await run(['restore', file('text'), '--force'])).toMatch(/^error: .*is damaged or is no database/);
    expect(await run(['restore', file('none'), '--force'])).toMatch(/^error: There is no file /);
    change(`INSERT INTO migrations (number, name, applied_at) VALUES (999999, 'future', '')`);
    await run(['backup', file('new.db')]);
    expect(await run(['restore', file('new.db'), '--force'])).toMatch(/^error: The database is at version 999999/);
  });

  it('that was interrupted at any point after it took effect is completed by the next start or restore', async () => {
    const old = readFileSync(database);
    // What is moved and deleted, in this order, before the last step.
    const steps = [
      ['', 'moved'],
      ['-wal', 'moved'],
      ['-shm', 'gone'],
      ['-work', 'gone'],
    ] as const;
    for (let done = 0; done <= steps.length; done += 1) {
      writeFileSync(database, old);
      for (const [suffix] of steps.slice(1)) writeFileSync(database + suffix, suffix);
      const draft = sqliteBackups().prepareRestore({ backup: file('b.db'), database });
      expect(draft.manifest.counts.users).toBe(1);
      renameSync(`${database}.restoring`, `${database}.restored`);
      for (const [suffix] of steps.slice(0, done)) rmSync(database + suffix);
      expect(await run(['backup', file('never.db')])).toMatch(/^error: A restore was interrupted/);
      expect(finishRestore(database)).toBe(true);
      expect(readdirSync(join(folder, 'data')).filter((name) => /^millrace\.db(?!\.before)/.test(name))).toEqual([
        'millrace.db',
      ]);
      expect(await usersOf(database)).toEqual(['admin']);
      expect(finishRestore(database)).toBe(false);
    }
  });
});

function openFolder(name: string): string {
  mkdirSync(file(name));
  return join(folder, name, 'millrace.db');
}

/** A backup and its key, and a database that has one user more. */
async function backUpAndStop(): Promise<void> {
  await run(['backup', file('b.db'), '--key', file('b.key')]);
  await store?.users.insert({ username: 'later', isAdmin: false, at: now });
  await stop();
}

import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { syncToDisk } from '../../../ground/durable-files.ts';
import { type BackupDraft, BackupError, type BackupManifest, type Backups, type RestoreDraft } from '../../backup.ts';
import type { SecretKeyRecord } from '../../credentials.ts';
import { causeOf } from '../database/failures.ts';
import { firstDamage } from '../database/first-damage.ts';
import { linkedFile } from '../database/linked-file.ts';
import { NewerDatabase, sqliteMigrations } from '../database/migrate.ts';
import { readManifest, removeManifest, sealBackup } from './manifest.ts';
import { copyOnline } from './online-copy.ts';
import { finishRestore, isRestorePending, replacedFile, restoredFile } from './pending-restore.ts';

/** Bytes by which the log may grow during a backup: 256 MiB. */
const maxLogGrowth = 268_435_456;

/** Backups of SQLite databases. */
export function sqliteBackups({ maxGrowth = maxLogGrowth } = {}): Backups {
  return {
    copy: (order) => withReasons('backup', () => copy({ ...order, maxGrowth })),
    prepareRestore: ({ backup, database }) => prepareRestore(backup, linkedFile(database)),
    finishRestore: (database) => finishRestore(linkedFile(database)),
    isRestorePending: (database) => isRestorePending(linkedFile(database)),
    exists: (database) => ['', '-wal'].some((suffix) => existsSync(linkedFile(database) + suffix)),
  };
}

type CopyOrder = Parameters<Backups['copy']>[0] & { readonly maxGrowth: number };

async function copy({ database, target, at, maxGrowth, signal }: CopyOrder): Promise<BackupDraft> {
  if (existsSync(target)) throw taken(target);
  if (!existsSync(dirname(target))) throw new BackupError(`There is no folder ${dirname(target)}: create it first.`);
  const draft = `${target}.${randomBytes(4).toString('hex')}.part`;
  const discard = (): void => removeAll(draft);
  try {
    await copyOnline({ database: linkedFile(database), target: draft, maxGrowth, signal });
    const manifest = sealBackup(draft, at);
    verify(draft);
    return { manifest, bytes: statSync(draft).size, keep: () => publish(draft, target), discard };
  } catch (error) {
    discard();
    throw error;
  }
}

/** A backup counts only after it was read again. */
function verify(path: string): void {
  const db = new Database(path, { readonly: true });
  try {
    const damage = firstDamage(db, 'whole');
    if (damage !== null) {
      throw new BackupError(
        `The database is damaged (${damage}), so a backup of it would be useless: see "A damaged database" in docs/storage.md.`,
      );
    }
    readManifest(db, path);
  } finally {
    db.close();
  }
}

/** Never replaces a file: a link, unlike a rename, fails if the name is taken. */
function publish(draft: string, target: string): void {
  try {
    linkSync(draft, target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || existsSync(target)) throw taken(target);
    // The file system has no links.
    renameSync(draft, target);
  }
  rmSync(draft, { force: true });
  syncToDisk(dirname(target));
}

function taken(target: string): BackupError {
  return new BackupError(`${target} exists already, and a backup replaces no file: choose another name.`);
}

/** Everything happens to a copy beside the database; the database is not touched before `keep`. */
function prepareRestore(backup: string, database: string): RestoreDraft {
  const draft = `${database}.restoring`;
  const discard = (): void => removeAll(draft);
  // Of a restore that was killed.
  discard();
  try {
    const content = copyOfBackup(backup, draft);
    return { ...content, discard, keep: () => replace(draft, database) };
  } catch (error) {
    discard();
    throw error instanceof BackupError || error instanceof NewerDatabase ? error : withReason('restore', error);
  }
}

function replace(draft: string, database: string): string | null {
  const hadDatabase = existsSync(database);
  // From here on the restore is decided, even if the process is killed.
  renameSync(draft, restoredFile(database));
  syncToDisk(dirname(database));
  const replaced = replacedFile(database);
  finishRestore(database);
  return hadDatabase ? replaced : null;
}

function copyOfBackup(backup: string, draft: string): Pick<RestoreDraft, 'manifest' | 'keys'> {
  if (!existsSync(backup)) throw new BackupError(`There is no file ${backup}.`);
  copyFileSync(backup, draft);
  const db = openCopy(draft);
  try {
    const manifest = readManifest(db, draft);
    requireSupported(manifest);
    requireWhole(db);
    removeManifest(db);
    requireWhole(db);
    return { manifest, keys: manifest.keyIds.length === 0 ? [] : keysOf(db) };
  } finally {
    db.close();
    syncToDisk(draft);
  }
}

/** Commits to this copy are on disk when they return: its new name must not be on disk before its content. */
function openCopy(path: string): Database.Database {
  const db = new Database(path, { fileMustExist: true });
  db.pragma('synchronous = FULL');
  return db;
}

function requireSupported({ schemaVersion }: BackupManifest): void {
  const known = sqliteMigrations().at(-1)?.number ?? 0;
  if (schemaVersion > known) throw new NewerDatabase(schemaVersion, known);
}

function requireWhole(db: Database.Database): void {
  const damage = firstDamage(db, 'whole');
  if (damage !== null) throw new BackupError(`The backup is damaged (${damage}). Use another backup.`);
}

function keysOf(db: Database.Database): readonly SecretKeyRecord[] {
  return db
    .prepare<[], { id: string; check_value: string; is_current: number }>(
      'SELECT id, check_value, is_current FROM secret_keys ORDER BY id',
    )
    .all()
    .map((row) => ({ id: row.id, checkValue: row.check_value, isCurrent: row.is_current === 1 }));
}

function removeAll(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

type Action = 'backup' | 'restore';

async function withReasons<T>(action: Action, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BackupError ? error : withReason(action, error);
  }
}

/** A failure of the disk or of the file as one line; any other error unchanged. */
function withReason(action: Action, error: unknown): unknown {
  const failed = action === 'backup' ? 'The backup was not made' : 'The backup was not restored';
  const cause = causeOf(error);
  if (cause?.startsWith('its file is damaged') === true) {
    const file = action === 'backup' ? 'the file of the database' : 'the file of the backup';
    return new BackupError(`${failed}: ${file} is damaged or is no database. Nothing was changed.`);
  }
  if (cause !== undefined) return new BackupError(`${failed}: ${cause}. Nothing was changed.`);
  const code = codeOf(error);
  return code === undefined ? error : new BackupError(`${failed}: ${reasons.get(code) ?? code}. Nothing was changed.`);
}

/** What the codes of the system mean that an operator is likely to meet. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'the disk is full (ENOSPC)'],
  ['EDQUOT', 'the disk is full (EDQUOT)'],
  ['EACCES', 'the file or its folder is not accessible (EACCES)'],
  ['EISDIR', 'the name is that of a folder (EISDIR)'],
]);

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

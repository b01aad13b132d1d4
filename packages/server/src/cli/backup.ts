import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { formatInstant } from '@millrace/core';
import { KeyFile, SecretKeyError } from '../secrets/keys/key-file.ts';
import { InstalledKeys } from '../secrets/keys/keyring.ts';
import type { SecretKey } from '../secrets/keys/secret-key.ts';
import { requireKeys } from '../secrets/keys/unlock.ts';
import type { BackupManifest, Backups, RestoreDraft } from '../store/backup.ts';
import { CommandError, type FileCommand, type FilePorts, onlyWord, optionText } from './command.ts';

/** Copies the database while the service runs. */
export const backupCommand: FileCommand = {
  needs: 'files',
  name: 'backup',
  takes: '<file> [--key <file>]',
  summary: 'Copies the database to a new file; the service may be running.',
  options: { key: { type: 'string' } },
  async run(args, ports) {
    const { databaseFile, backups, clock, signal, print, note } = ports;
    const target = resolve(onlyWord(args, 'file'));
    const keyTarget = pathOption(optionText(args, 'key'));
    requireNoPendingRestore(backups, databaseFile);
    if (!backups.exists(databaseFile)) {
      throw new CommandError(`No database at ${databaseFile}: set MILLRACE_DATA_DIR to that of the service.`);
    }
    if (keyTarget !== null && existsSync(keyTarget)) {
      throw new CommandError(`${keyTarget} exists already: choose another name for the copy of the key.`);
    }
    const draft = await backups.copy({ database: databaseFile, target, at: clock.now(), signal });
    try {
      if (keyTarget !== null) requireKeyFile(draft.manifest, ports);
      draft.keep();
    } catch (error) {
      draft.discard();
      throw error;
    }
    if (keyTarget !== null) keyFileOf(ports).copyTo(keyTarget);
    print(`${target}: ${contentOf(draft.manifest)}, ${sizeText(draft.bytes)}.`);
    note(keyHint(draft.manifest, keyTarget, ports));
  },
};

/** Replaces the database of a stopped service by a backup. */
export const restoreCommand: FileCommand = {
  needs: 'files',
  name: 'restore',
  takes: '<file> [--key <file>] [--force]',
  summary: 'Replaces the database by a backup, while the service is stopped; the old one is kept.',
  options: { key: { type: 'string' }, force: { type: 'boolean' } },
  run(args, ports) {
    const backup = resolve(onlyWord(args, 'file'));
    const keySource = pathOption(optionText(args, 'key'));
    const isForced = args.options.force === true;
    return new Promise((done) => {
      ports.whileStopped(() => restore({ backup, keySource, isForced }, ports));
      done();
    });
  },
};

interface RestoreOrder {
  readonly backup: string;
  readonly keySource: string | null;
  readonly isForced: boolean;
}

function restore({ backup, keySource, isForced }: RestoreOrder, ports: FilePorts): void {
  const { backups, databaseFile, print, note } = ports;
  if (backups.finishRestore(databaseFile))
    note('An earlier restore was interrupted after it took effect; it is complete now.');
  if (backups.exists(databaseFile) && !isForced) {
    throw new CommandError(
      `There is a database at ${databaseFile}: give --force to replace it. It is kept beside the new one.`,
    );
  }
  const draft = backups.prepareRestore({ backup, database: databaseFile });
  let replaced: string | null;
  try {
    installKeys(draft, keySource, ports);
    replaced = draft.keep();
  } catch (error) {
    draft.discard();
    throw error;
  }
  print(
    `${databaseFile}: ${contentOf(draft.manifest)}, from ${formatInstant(draft.manifest.createdAt).slice(0, 19)}Z.`,
  );
  if (replaced !== null) note(`The database before it is ${replaced}: delete it when you no longer need it.`);
}

/** Another command would open the old database. @throws CommandError */
export function requireNoPendingRestore(backups: Pick<Backups, 'isRestorePending'>, databaseFile: string): void {
  if (!backups.isRestorePending(databaseFile)) return;
  throw new CommandError(
    'A restore was interrupted after it took effect: start the service, or run the restore again, to complete it.',
  );
}

function pathOption(text: string | undefined): string | null {
  return text === undefined ? null : resolve(text);
}

/** The key is beside the database, or beside the link to it. */
function keyFileOf({ databaseFile }: Pick<FilePorts, 'databaseFile'>): KeyFile {
  return new KeyFile(join(dirname(databaseFile), 'secret.key'));
}

/** The file must have the keys of the copy: a rotation may have replaced them since. @throws CommandError, SecretKeyError */
function requireKeyFile({ keyIds }: BackupManifest, ports: FilePorts): void {
  const file = keyFileOf(ports);
  const ids = new Set((file.read() ?? []).map(({ id }) => id));
  const missing = keyIds.filter((id) => !ids.has(id));
  if (missing.length > 0) {
    throw new CommandError(
      `${file.path} does not have the key ${missing.join(', ')} that the backup needs, so nothing was stored. ` +
        'If MILLRACE_SECRET_KEY gives the key, keep that text and leave --key out; if the key was just rotated, try again.',
    );
  }
}

function keyHint({ keyIds }: BackupManifest, copied: string | null, ports: FilePorts): string {
  const ids = `(id ${keyIds.join(', ')})`;
  if (copied !== null) {
    return `The key of its secrets ${ids} is in ${copied}: move it to another place, who has both can read the secrets.`;
  }
  const { path } = keyFileOf(ports);
  const source = ports.config.secretKey === null ? `a copy of ${path}` : 'the text of MILLRACE_SECRET_KEY';
  return `It does not contain the key of its secrets ${ids}: keep ${source} in another place.`;
}

/**
 * Checks that the keys open the secrets of the backup. A key of `--key` is added to those of the file, so that whichever
 * database is there after a crash can be opened.
 * @throws CommandError, SecretKeyError
 */
function installKeys({ keys: records }: RestoreDraft, source: string | null, ports: FilePorts): void {
  const present = new InstalledKeys(keyFileOf(ports), ports.config.secretKey);
  const extra = source === null ? [] : keysIn(source);
  try {
    requireKeys(
      { given: present.given, find: (id) => present.find(id) ?? extra.find((key) => key.id === id) },
      records,
    );
  } catch (error) {
    if (!(error instanceof SecretKeyError)) throw error;
    throw new CommandError(
      `The secrets of the backup need the key with the id ${records.map(({ id }) => id).join(', ')}, which is not here: ` +
        'give the copy of its secret.key with --key <file>, or set the MILLRACE_SECRET_KEY of that time. ' +
        'Nothing was changed.',
    );
  }
  for (const key of extra) {
    if (present.find(key.id) === undefined && records.some(({ id }) => id === key.id)) present.add(key);
  }
}

function keysIn(path: string): readonly SecretKey[] {
  const keys = new KeyFile(path).read();
  if (keys === null) throw new CommandError(`There is no file ${path}.`);
  return keys;
}

function contentOf({ counts, schemaVersion }: BackupManifest): string {
  const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  return `${kinds.join(', ')}, version ${schemaVersion}`;
}

function sizeText(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / 1_048_576)} MiB`;
}

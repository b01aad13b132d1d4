import { SecretKeyError } from './key-file.ts';
import type { InstalledKeys } from './keyring.ts';
import { open, seal } from './seal.ts';
import type { SecretKey } from './secret-key.ts';
import { createVault, type Vault } from './vault.ts';

/** A key as stored in the database. */
export interface KeyRecord {
  readonly id: string;
  readonly checkValue: string;
  readonly isCurrent: boolean;
}

/** The list of keys in the database. */
export interface KeyRecords {
  list(): Promise<readonly KeyRecord[]>;
  adopt(key: { readonly id: string; readonly checkValue: string }): Promise<void>;
  /** Whether any secret is stored. */
  hasSecrets(): Promise<boolean>;
}

const binding = 'check';
/** The content of the check value; any text would do. */
const word = 'millrace';

/** Proof that a key is the one with this id. */
export function checkValueOf(key: SecretKey): string {
  return seal(key, binding, word);
}

/**
 * Opens the vault of an installation: each key that the database needs must be present and open its check value. An
 * empty database adopts the first key, unless secrets were stored under that key.
 * @throws SecretKeyError
 */
export async function unlockVault(keys: InstalledKeys, records: KeyRecords): Promise<Vault> {
  const known = await records.list();
  if (known.length === 0) {
    requireUnused(keys, 'The database');
    const first = keys.first();
    await records.adopt({ id: first.id, checkValue: checkValueOf(first) });
    return createVault(keys, first, () => currentKeyId(records));
  }
  const opened = requireKeys(keys, known);
  const current = opened.find(({ record }) => record.isCurrent);
  if (current === undefined) throw new SecretKeyError('The database names no current secret key: restore a backup.');
  // Versions before the mark did not write it. A damaged database may have secrets that cannot be read.
  if (await records.hasSecrets().catch(() => true)) keys.markUsed();
  return createVault(keys, current.key, () => currentKeyId(records));
}

/** The keys that a process has: the operator's, and all others by id. */
export type PresentKeys = Pick<InstalledKeys, 'given' | 'find'> & Partial<Pick<InstalledKeys, 'missingFile'>>;

/** The key of each record. @throws SecretKeyError if one is missing or is another key */
export function requireKeys<R extends KeyRecord>(
  keys: PresentKeys,
  known: readonly R[],
): readonly { readonly record: R; readonly key: SecretKey }[] {
  const { given } = keys;
  if (given !== null && !known.some(({ id }) => id === given.id)) throw wrongKey('MILLRACE_SECRET_KEY');
  return known.map((record) => ({ record, key: checkedKey(keys, record) }));
}

/**
 * To be called for a database without content: an empty one beside a key that has sealed secrets is a lost one.
 * @throws SecretKeyError
 */
export function requireUnused(keys: Pick<InstalledKeys, 'isUsed' | 'path'>, database: string): void {
  if (!keys.isUsed) return;
  throw new SecretKeyError(
    `${database} is missing or empty, but secrets were stored under the key of ${keys.path}: restore the database ` +
      'from a backup, or correct MILLRACE_DATA_DIR or MILLRACE_DATABASE_URL. To start with an empty database, ' +
      `move ${keys.path} away first.`,
  );
}

async function currentKeyId(records: KeyRecords): Promise<string | null> {
  return (await records.list()).find(({ isCurrent }) => isCurrent)?.id ?? null;
}

function checkedKey(keys: PresentKeys, { id, checkValue }: KeyRecord): SecretKey {
  const key = keys.find(id);
  if (key === undefined) {
    if (keys.given === null && typeof keys.missingFile === 'string') throw missingKey(keys.missingFile);
    throw wrongKey(
      keys.given === null ? 'The secret key (the file secret.key beside the database)' : 'MILLRACE_SECRET_KEY',
    );
  }
  try {
    if (open(key, binding, checkValue) === word) return key;
  } catch {
    // Falls through: for the operator, a wrong key and a damaged check value are the same.
  }
  throw wrongKey('The secret key');
}

function missingKey(file: string): SecretKeyError {
  return new SecretKeyError(
    `The secret key file ${file} is missing, and the stored secrets cannot be read without it: put it back, e.g. from ` +
      'the backup, or set MILLRACE_SECRET_KEY if the key was given there.',
  );
}

function wrongKey(what: string): SecretKeyError {
  return new SecretKeyError(
    `${what} does not open the secrets that are stored: give the key they were stored with ` +
      '(to change keys: npm run millrace -- rotate-key).',
  );
}

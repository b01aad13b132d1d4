import { Problem } from '@millrace/core';
import { resealSecret, type SealSubject } from './credential-secret.ts';
import { SecretKeyError } from './keys/key-file.ts';
import type { InstalledKeys } from './keys/keyring.ts';
import { keyOfPhrase, keyOfText, newKeyText, type SecretKey } from './keys/secret-key.ts';
import { checkValueOf, type KeyRecord, type KeyRecords, unlockVault } from './keys/unlock.ts';
import { resealVariable, type VariableSubject } from './variable-secret.ts';

/** The stored fields of each sealed object: `revision` is incremented by every write. */
interface SealedRow {
  readonly id: number;
  readonly sealed: string;
  readonly revision: number;
}

/** The objects of one kind that contain secrets. */
interface SealedRows<Row extends SealedRow> {
  sealedByOldKeys(params: { afterId: number; limit: number }): Promise<readonly Row[]>;
  reseal(params: { id: number; revision: number; sealed: string }): Promise<'stored' | 'stale' | 'key_replaced'>;
}

/** The parts of the store that a rotation needs. */
export interface RotationStore {
  readonly secretKeys: KeyRecords & { retire(): Promise<readonly KeyRecord[]> };
  readonly credentials: SealedRows<SealedRow & SealSubject>;
  readonly variables: SealedRows<SealedRow & VariableSubject>;
}

interface Rotation {
  readonly keys: InstalledKeys;
  readonly store: RotationStore;
  /** The operator's text for the new key; null for a random one in the key file. */
  readonly newPhrase: string | null;
}

/** The result of a rotation. */
export interface RotationReport {
  /** An earlier, unfinished rotation was completed; no further key was created. */
  readonly continued: boolean;
  readonly resealed: number;
  /** Credentials and variables that no key opens, by id and name. They are unchanged. */
  readonly unreadable: readonly string[];
}

/** Secrets resealed between two reads of the database: some milliseconds of work. */
const batchSize = 100;

/**
 * Seals all secrets with a new key, whether the service runs or not. The new key is in the key file before the database
 * adopts it, and in the database before anything is sealed with it; from then on nothing is stored under an old key.
 * Old keys are deleted last. After a crash at any point everything can be opened, and the next call completes the
 * rotation.
 * @throws SecretKeyError
 */
export async function rotateKey({ keys, store, newPhrase }: Rotation): Promise<RotationReport> {
  const vault = await unlockVault(keys, store.secretKeys);
  const isUnfinished = (await store.secretKeys.list()).length > 1;
  const continued = isUnfinished && newPhrase === null;
  if (!continued) await changeKey({ keys, store, newPhrase });
  await vault.followKey();
  const credentials = await resealAll(store.credentials, (row) => resealSecret(vault, row));
  const variables = await resealAll(store.variables, (row) => resealVariable(vault, row));
  const resealed = credentials.resealed + variables.resealed;
  const unreadable = [
    ...credentials.unreadable.map(({ id }) => `credential ${id}`),
    ...variables.unreadable.map(({ name }) => `variable ${name}`),
  ];
  const left = await store.secretKeys.retire();
  keys.keepInFile(({ id }) => left.some((record) => record.id === id));
  return { continued, resealed, unreadable };
}

async function changeKey({ keys, store, newPhrase }: Rotation): Promise<void> {
  const next = nextKey(keys, newPhrase);
  keys.add(next);
  await store.secretKeys.adopt({ id: next.id, checkValue: checkValueOf(next) });
}

function nextKey({ given }: InstalledKeys, newPhrase: string | null): SecretKey {
  if (newPhrase === null) {
    if (given === null) return keyOfText(newKeyText());
    throw new SecretKeyError(
      'MILLRACE_SECRET_KEY gives the key: set MILLRACE_NEW_SECRET_KEY to the one that follows it.',
    );
  }
  const next = keyOfPhrase(newPhrase);
  if (next.id === given?.id)
    throw new SecretKeyError('MILLRACE_NEW_SECRET_KEY is the key that is in use: choose another.');
  return next;
}

/** The result of a rotation for the objects of one kind. */
interface Resealed<Row> {
  readonly resealed: number;
  readonly unreadable: readonly Row[];
}

/** Reseals everything sealed with old keys, until a pass finds nothing that was written meanwhile. */
async function resealAll<Row extends SealedRow>(
  rows: SealedRows<Row>,
  resealed: (row: Row) => string,
): Promise<Resealed<Row>> {
  let count = 0;
  for (;;) {
    const unreadable: Row[] = [];
    let missed = 0;
    for await (const row of oldOnes(rows)) {
      const sealed = unlessUnreadable(() => resealed(row));
      const outcome = sealed === null ? 'unreadable' : await stored(rows, row, sealed);
      if (outcome === 'stored') count += 1;
      else if (outcome === 'unreadable') unreadable.push(row);
      else missed += 1;
    }
    if (missed === 0) return { resealed: count, unreadable };
  }
}

async function* oldOnes<Row extends SealedRow>(rows: SealedRows<Row>): AsyncGenerator<Row> {
  let afterId = 0;
  for (;;) {
    const batch = await rows.sealedByOldKeys({ afterId, limit: batchSize });
    yield* batch;
    const last = batch.at(-1);
    if (last === undefined) return;
    afterId = last.id;
  }
}

async function stored<Row extends SealedRow>(
  rows: SealedRows<Row>,
  { id, revision }: Row,
  sealed: string,
): Promise<'stored' | 'stale'> {
  const outcome = await rows.reseal({ id, revision, sealed });
  if (outcome !== 'key_replaced') return outcome;
  throw new SecretKeyError('Another rotation began while this one was under way: run rotate-key again.');
}

function unlessUnreadable<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof Problem && error.code === 'secret_unreadable') return null;
    throw error;
  }
}

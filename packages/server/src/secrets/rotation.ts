import { Problem } from '@millrace/core';
import { resealSecret, type SealSubject } from './credential-secret.ts';
import { SecretKeyError } from './keys/key-file.ts';
import type { InstalledKeys } from './keys/keyring.ts';
import { keyOfPhrase, keyOfText, newKeyText, type SecretKey } from './keys/secret-key.ts';
import { checkValueOf, type KeyRecord, type KeyRecords, unlockVault } from './keys/unlock.ts';
import type { Vault } from './keys/vault.ts';

/** A sealed credential, and which writing of it this is. */
type Sealed = SealSubject & { readonly sealed: string; readonly revision: number };

/** What of the store a rotation needs. */
export interface RotationStore {
  readonly secretKeys: KeyRecords & { retire(): Promise<readonly KeyRecord[]> };
  readonly credentials: {
    sealedByOldKeys(params: { afterId: number; limit: number }): Promise<readonly Sealed[]>;
    reseal(params: { id: number; revision: number; sealed: string }): Promise<'stored' | 'stale' | 'key_replaced'>;
  };
}

interface Rotation {
  readonly keys: InstalledKeys;
  readonly store: RotationStore;
  /** The operator's text for the new key; null for a random one in the key file. */
  readonly newPhrase: string | null;
}

/** What a rotation did. */
export interface RotationReport {
  /** A rotation that had been begun before was finished; no further key was made. */
  readonly continued: boolean;
  readonly resealed: number;
  /** Credentials that do not open by any key. They are as they were. */
  readonly unreadable: readonly number[];
}

/** So many are sealed anew between two looks at the database: some milliseconds of work. */
const batchSize = 100;

/**
 * Seals all secrets by a new key, while the service runs or not. The new key is in the key file before the database
 * names it, and the database before anything is sealed by it; from then on nothing is stored under an old one. Old keys
 * go last. After a crash anywhere everything can be opened, and the next call finishes it.
 * @throws SecretKeyError
 */
export async function rotateKey({ keys, store, newPhrase }: Rotation): Promise<RotationReport> {
  const vault = await unlockVault(keys, store.secretKeys);
  const isUnfinished = (await store.secretKeys.list()).length > 1;
  const continued = isUnfinished && newPhrase === null;
  if (!continued) await changeKey({ keys, store, newPhrase });
  await vault.followKey();
  const { resealed, unreadable } = await resealAll(vault, store);
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

/** Goes through all that old keys have sealed, until a pass finds nothing that somebody else wrote meanwhile. */
async function resealAll(vault: Vault, store: RotationStore): Promise<Omit<RotationReport, 'continued'>> {
  let resealed = 0;
  for (;;) {
    const unreadable: number[] = [];
    let missed = 0;
    for await (const stored of oldOnes(store)) {
      const outcome = await resealOne(vault, store, stored);
      if (outcome === 'stored') resealed += 1;
      else if (outcome === 'unreadable') unreadable.push(stored.id);
      else missed += 1;
    }
    if (missed === 0) return { resealed, unreadable };
  }
}

async function* oldOnes({ credentials }: RotationStore): AsyncGenerator<Sealed> {
  let afterId = 0;
  for (;;) {
    const batch = await credentials.sealedByOldKeys({ afterId, limit: batchSize });
    yield* batch;
    const last = batch.at(-1);
    if (last === undefined) return;
    afterId = last.id;
  }
}

async function resealOne(
  vault: Vault,
  store: RotationStore,
  stored: Sealed,
): Promise<'stored' | 'stale' | 'unreadable'> {
  const sealed = unlessUnreadable(() => resealSecret(vault, stored));
  if (sealed === null) return 'unreadable';
  const outcome = await store.credentials.reseal({ id: stored.id, revision: stored.revision, sealed });
  if (outcome === 'key_replaced') {
    throw new SecretKeyError('Another rotation began while this one was under way: run rotate-key again.');
  }
  return outcome;
}

function unlessUnreadable<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof Problem && error.code === 'secret_unreadable') return null;
    throw error;
  }
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../store/sql/sqlite.ts';
import type { Store } from '../store/store.ts';
import { openSecret, sealSecret } from './credential-secret.ts';
import { KeyFile } from './keys/key-file.ts';
import { InstalledKeys } from './keys/keyring.ts';
import { unlockVault } from './keys/unlock.ts';
import type { Vault } from './keys/vault.ts';
import { type RotationReport, type RotationStore, rotateKey } from './rotation.ts';
import { openVariable, sealVariable } from './variable-secret.ts';

const at = Date.UTC(2026, 0, 1);
const phrase = 'a phrase of at least 32 characters, as asked';

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-rotation-'));
  store = openSqliteStore({ path: join(folder, 'millrace.db') });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const keysOf = (given: string | null) => new InstalledKeys(new KeyFile(join(folder, 'secret.key')), given);
const vaultOf = (given: string | null = null) => unlockVault(keysOf(given), store.secretKeys);

function rotate(change: { given?: string; newPhrase?: string; store?: RotationStore } = {}): Promise<RotationReport> {
  const { given = null, newPhrase = null } = change;
  return rotateKey({ keys: keysOf(given), store: change.store ?? store, newPhrase });
}

async function insert(vault: Vault, text: string): Promise<number | string> {
  const secret = { detail: { text }, origins: {} };
  const params = { name: text, credentialType: 'tool', masked: '{}', most: 1000, at } as const;
  const stored = await store.credentials.insert({ ...params, seal: (subject) => sealSecret(vault, subject, secret) });
  return typeof stored === 'string' ? stored : stored.id;
}

async function insertAll(vault: Vault, texts: readonly string[]): Promise<void> {
  for (const text of texts) expect(await insert(vault, text)).toEqual(expect.any(Number));
}

/** The text of each credential, opened by a vault. */
async function texts(vault: Vault): Promise<unknown[]> {
  const { items } = await store.credentials.list({ limit: 1000, offset: 0 });
  const all = await Promise.all(items.map(({ id }) => store.credentials.sealedById(id)));
  return all.map((sealed) => (sealed === null ? null : openSecret(vault, sealed).detail.text)).reverse();
}

const keyLines = () =>
  readFileSync(join(folder, 'secret.key'), 'utf8')
    .split('\n')
    .filter((line) => /^[\w-]{43}$/.test(line));

describe('rotating the key', () => {
  test('reseals everything and deletes the old key', async () => {
    await insertAll(await vaultOf(), ['a', 'b', 'c']);
    const [oldKey] = keyLines();
    expect(await rotate()).toEqual({ continued: false, resealed: 3, unreadable: [] });
    expect(keyLines()).toEqual([expect.not.stringMatching(`^${oldKey}$`)]);
    expect(await store.secretKeys.list()).toHaveLength(1);
    expect(await texts(await vaultOf())).toEqual(['a', 'b', 'c']);
  });

  test('lets a running service read and write without a restart', async () => {
    const running = await vaultOf();
    await insertAll(running, ['a']);
    await rotate();
    expect(await texts(running)).toEqual(['a']);
    expect(await insert(running, 'b')).toBe('key_replaced');
    await running.followKey();
    await insertAll(running, ['b']);
    expect(await texts(await vaultOf())).toEqual(['a', 'b']);
  });

  test('processes more than one batch', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `secret ${index}`);
    await insertAll(await vaultOf(), names);
    expect(await rotate()).toMatchObject({ resealed: 250 });
    expect(await texts(await vaultOf())).toEqual(names);
  });

  test('includes what is written meanwhile', async () => {
    const running = await vaultOf();
    await insertAll(running, ['a', 'b']);
    let calls = 0;
    // Changes each credential between its reading and its writing, once.
    const reseal: Store['credentials']['reseal'] = async (params) => {
      calls += 1;
      if (calls <= 2) {
        await running.followKey();
        const stored = await store.credentials.sealedById(params.id);
        if (stored === null) throw new Error('it is gone');
        const secret = { detail: { text: `changed ${params.id}` }, origins: {} };
        const { id, revision, name, masked } = stored;
        const sealed = sealSecret(running, stored, secret);
        await store.credentials.update({ id, revision, name, masked, sealed, at });
      }
      return store.credentials.reseal(params);
    };
    await rotate({ store: { ...store, credentials: { ...store.credentials, reseal } } });
    expect(await texts(await vaultOf())).toEqual(['changed 1', 'changed 2']);
    expect(await store.secretKeys.list()).toHaveLength(1);
  });
});

test('reseals secret variables, and reports those that cannot be opened', async () => {
  const vault = await vaultOf();
  const subject = { workflowId: null, value: '****', isSecret: true, allowedHosts: ['api.example'] };
  for (const name of ['a', 'b']) {
    const sealed = sealVariable(vault, { ...subject, name }, `secret ${name}`);
    expect(await store.variables.insert({ ...subject, name, sealed, most: 2, mostLength: 100 })).toMatchObject({
      name,
    });
  }
  const [old] = await store.secretKeys.list();
  const damaged = { ...subject, name: 'b', sealed: `${old?.id}.AAAA`, revision: 1, before: 'b', mostLength: 100 };
  expect(await store.variables.update(damaged)).toMatchObject({ name: 'b' });
  expect(await rotate()).toEqual({ continued: false, resealed: 1, unreadable: ['variable b'] });
  expect(await store.secretKeys.list()).toHaveLength(2);
  expect(await store.variables.remove({ workflowId: null, name: 'b' })).toBe(true);
  expect(await rotate()).toMatchObject({ continued: true, resealed: 0 });
  expect(await store.secretKeys.list()).toHaveLength(1);
  const stored = await store.variables.byName({ workflowId: null, name: 'a' });
  if (stored?.sealed == null) throw new Error('the variable is gone');
  expect(openVariable(await vaultOf(), { ...stored, sealed: stored.sealed })).toBe('secret a');
});

describe('a rotation', () => {
  test.each([
    'adopt',
    'sealedByOldKeys',
    'reseal',
    'retire',
  ] as const)('that broke off at %s is finished by the next one, and everything can be opened meanwhile', async (verb) => {
    await insertAll(await vaultOf(), ['a', 'b', 'c']);
    let calls = 0;
    const broken = <T>(real: T): T =>
      ((...args: unknown[]) => {
        calls += 1;
        // The second reseal fails: one credential is under the new key, and the others are not.
        if (verb === 'reseal' && calls < 2) return (real as (...all: unknown[]) => unknown)(...args);
        return Promise.reject(new Error('the process ended'));
      }) as T;
    const { secretKeys, credentials } = store;
    const failing: RotationStore = {
      ...store,
      secretKeys: { ...secretKeys, ...(verb in secretKeys && { [verb]: broken(secretKeys[verb as 'adopt']) }) },
      credentials: { ...credentials, ...(verb in credentials && { [verb]: broken(credentials[verb as 'reseal']) }) },
    };
    await expect(rotate({ store: failing })).rejects.toThrow('the process ended');
    expect(await texts(await vaultOf())).toEqual(['a', 'b', 'c']);
    await insertAll(await vaultOf(), ['d']);
    expect(await rotate()).toMatchObject({ continued: verb !== 'adopt', unreadable: [] });
    expect(keyLines()).toHaveLength(1);
    expect(await store.secretKeys.list()).toHaveLength(1);
    expect(await texts(await vaultOf())).toEqual(['a', 'b', 'c', 'd']);
  });

  test('leaves and reports what cannot be opened, and keeps its key', async () => {
    await insertAll(await vaultOf(), ['a', 'b']);
    const [current] = await store.secretKeys.list();
    const damaged = { id: 1, revision: 1, name: 'a', masked: '{}', sealed: `${current?.id}.AAAA`, at };
    expect(await store.credentials.update(damaged)).toMatchObject({ id: 1 });
    expect(await rotate()).toEqual({ continued: false, resealed: 1, unreadable: ['credential 1'] });
    expect(keyLines()).toHaveLength(2);
    await store.credentials.remove([1]);
    expect(await rotate()).toMatchObject({ continued: true, resealed: 0 });
    expect(keyLines()).toHaveLength(1);
    expect(await texts(await vaultOf())).toEqual(['b']);
  });
});

describe('rotating to the operator’s key', () => {
  test('is followed by the running service, and the next start needs that key', async () => {
    const running = await vaultOf();
    await insertAll(running, ['a']);
    await rotate({ newPhrase: phrase });
    expect(await texts(running)).toEqual(['a']);
    expect(await texts(await vaultOf(phrase))).toEqual(['a']);
    await rotate({ given: phrase, newPhrase: `${phrase}, changed` });
    expect(await texts(running)).toEqual(['a']);
    await expect(vaultOf(phrase)).rejects.toThrow('MILLRACE_SECRET_KEY does not open');
    const keys = keysOf(`${phrase}, changed`);
    expect(await texts(await unlockVault(keys, store.secretKeys))).toEqual(['a']);
    keys.keepInFile(({ id }) => id !== keys.given?.id);
    expect(keyLines()).toEqual([]);
    expect(await texts(await vaultOf(`${phrase}, changed`))).toEqual(['a']);
  });

  test('requires a new key that differs from the current one', async () => {
    await vaultOf(phrase);
    await expect(rotate({ given: phrase })).rejects.toThrow('set MILLRACE_NEW_SECRET_KEY');
    await expect(rotate({ given: phrase, newPhrase: phrase })).rejects.toThrow('choose another');
    await expect(rotate({ given: `${phrase}!` })).rejects.toThrow('does not open');
  });
});

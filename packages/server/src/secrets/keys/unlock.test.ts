import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../store/sql/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { KeyFile } from './key-file.ts';
import { InstalledKeys } from './keyring.ts';
import { unlockVault } from './unlock.ts';
import type { Vault } from './vault.ts';

const phrase = 'a phrase of at least 32 characters, as asked';

let folder: string;
let path: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-key-'));
  path = join(folder, 'secret.key');
  store = openSqliteStore({ path: ':memory:' });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function unlock(given: string | null = null): Promise<Vault> {
  return unlockVault(new InstalledKeys(new KeyFile(path), given), store.secretKeys);
}

describe('the first start', () => {
  test('creates a key that only its owner may read, and the next start finds it', async () => {
    const sealed = (await unlock()).seal('place', 'secret');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await unlock()).open('place', sealed)).toBe('secret');
  });

  test('with the operator’s key creates no file, and the first secret a file without a key', async () => {
    const vault = await unlock(phrase);
    expect(existsSync(path)).toBe(false);
    const sealed = vault.seal('place', 'secret');
    expect(readFileSync(path, 'utf8')).toMatch(/^\n# Secrets are stored under this key: .*\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await unlock(phrase)).open('place', sealed)).toBe('secret');
  });

  test('stores no key in the database', async () => {
    await unlock();
    const [text = ''] = readFileSync(path, 'utf8').trim().split('\n').slice(-1);
    expect(text).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(await store.secretKeys.list())).not.toContain(text);
  });
});

describe('a start is rejected', () => {
  test('if the key file was replaced', async () => {
    await unlock();
    rmSync(path);
    new KeyFile(path).create();
    await expect(unlock()).rejects.toThrow(
      /^The secret key .* does not open the secrets that are stored: give the key/,
    );
  });

  test('if the key file is missing, and no new one is created', async () => {
    await unlock();
    rmSync(path);
    await expect(unlock()).rejects.toThrow(`The secret key file ${path} is missing`);
    expect(existsSync(path)).toBe(false);
  });

  test('if the operator’s key was changed, whatever the file contains', async () => {
    await unlock(phrase);
    await expect(unlock(`${phrase}!`)).rejects.toThrow(/^MILLRACE_SECRET_KEY does not open/);
    await expect(unlock()).rejects.toThrow('is missing');
  });

  test('if the check value is damaged', async () => {
    const { id } = await firstKey();
    await store.secretKeys.adopt({ id: 'ffffffff', checkValue: `${id}.damaged` });
    await expect(unlock()).rejects.toThrow('does not open');
  });

  async function firstKey(): Promise<{ id: string }> {
    await unlock();
    const [record] = await store.secretKeys.list();
    if (record === undefined) throw new Error('there is no key');
    return record;
  }

  test.each([0o640, 0o604, 0o620])('if the key file has mode %o', async (mode) => {
    await unlock();
    chmodSync(path, mode);
    await expect(unlock()).rejects.toThrow(/may be read by others \(mode 6\d\d\): chmod 600 it/);
  });

  test.each([
    '',
    '# nothing\n',
    'short\n',
    `${'A'.repeat(43)}\nsomething else\n`,
  ])('if the key file contains %j', async (text) => {
    writeFileSync(path, text, { mode: 0o600 });
    await expect(unlock()).rejects.toThrow('is damaged: restore it from a copy');
  });
});

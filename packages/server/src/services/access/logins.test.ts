import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../../store/sql/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createLogins, type Logins } from './logins.ts';

const proof = { username: 'a', password: 'right', source: { id: 'network', isKnown: false } };

let store: Store;
beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
});
afterEach(() => store.close());

/** Logins of a user whose correct password is checked while the action happens. */
async function loginsWhile(action: (userId: number) => Promise<unknown>): Promise<Logins> {
  const user = await store.users.insert({ username: 'a', isAdmin: false, passwordHash: 'old', at: 1 });
  const matches = async (): Promise<boolean> => {
    await action(user?.id ?? 0);
    return true;
  };
  return createLogins({ store, clock: { now: () => 2 }, passwords: { matches, hash: async (text) => text } });
}

test('a login returns a key of the user', async () => {
  const { apiKey } = await (await loginsWhile(async () => undefined)).logIn(proof, 'session');
  expect(await store.keys.listOf(apiKey.userId)).toEqual([apiKey]);
});

test('a login fails, and leaves no key, if the password changes while it is checked', async () => {
  let changedId = 0;
  const logins = await loginsWhile((id) => {
    changedId = id;
    return store.users.update({ id, changes: { passwordHash: 'new' }, at: 2 });
  });
  await expect(logins.logIn(proof, 'session')).rejects.toMatchObject({ code: 'not_authenticated' });
  expect(await store.keys.listOf(changedId)).toEqual([]);
});

test('a login fails if the user is deleted while the password is checked', async () => {
  const heir = await store.users.insert({ username: 'heir', isAdmin: true, at: 1 });
  const logins = await loginsWhile((id) => store.users.remove({ id, heirId: heir?.id ?? 0, at: 2 }));
  await expect(logins.logIn(proof, 'session')).rejects.toMatchObject({ code: 'not_authenticated' });
});

import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { newUser, start } from './world.ts';

/** Sentences on users and API keys. */
export function accountSentences(store: () => Store): void {
  userSentences(store);
  keySentences(store);
}

function userSentences(store: () => Store): void {
  test('a new store has no users', async () => {
    expect(await store().users.count()).toBe(0);
    expect(await store().users.byId(1)).toBeNull();
    expect(await store().users.byUsername('admin')).toBeNull();
  });

  test('a user is found by id and by name', async () => {
    const user = await store().users.insert({ username: 'admin', isAdmin: true, at: start });
    expect(user).toEqual({ id: expect.any(Number), username: 'admin', isAdmin: true, createdAt: start });
    expect(await store().users.byId(user?.id ?? 0)).toEqual(user);
    expect(await store().users.byUsername('admin')).toEqual(user);
    expect(await store().users.count()).toBe(1);
  });

  test('a name is given once, even in the same turn', async () => {
    const insert = () => store().users.insert({ username: 'admin', isAdmin: true, at: start });
    const [first, second] = await Promise.all([insert(), insert()]);
    expect(first).not.toBeNull();
    expect(second).toBeNull();
    expect(await store().users.count()).toBe(1);
  });
}

function keySentences(store: () => Store): void {
  const key = {
    name: 'ci',
    hash: 'a'.repeat(64),
    prefix: 'mr_abcd',
    scope: 'webhook',
    expiresAt: null,
    at: start,
  } as const;

  test('a live key is found by its hash, with its user', async () => {
    const user = await newUser(store());
    const stored = await store().keys.insert({ ...key, userId: user.id, expiresAt: start + 5 });
    expect(stored).toEqual({
      id: expect.any(Number),
      userId: user.id,
      name: 'ci',
      prefix: 'mr_abcd',
      scope: 'webhook',
      createdAt: start,
      expiresAt: start + 5,
      lastUsedAt: null,
    });
    expect(await store().keys.byHash(key.hash)).toEqual({ key: stored, user });
    expect(await store().keys.byHash('b'.repeat(64))).toBeNull();
  });

  test('a used key says when', async () => {
    const user = await newUser(store());
    const { id } = await store().keys.insert({ ...key, userId: user.id });
    await store().keys.touch({ id, at: start + 1000 });
    expect((await store().keys.byHash(key.hash))?.key.lastUsedAt).toBe(start + 1000);
  });

  test('a revoked key is gone, and can be revoked once, by its own user only', async () => {
    const user = await newUser(store());
    const other = await newUser(store());
    const { id } = await store().keys.insert({ ...key, userId: user.id });
    expect(await store().keys.revoke({ userId: other.id, id, at: start })).toBe(false);
    expect(await store().keys.byHash(key.hash)).not.toBeNull();
    expect(await store().keys.revoke({ userId: user.id, id, at: start })).toBe(true);
    expect(await store().keys.revoke({ userId: user.id, id, at: start })).toBe(false);
    expect(await store().keys.byHash(key.hash)).toBeNull();
    expect(await store().keys.listOf(user.id)).toEqual([]);
  });

  test("a user's live keys are listed, newest first", async () => {
    const user = await newUser(store());
    const first = await store().keys.insert({ ...key, userId: user.id });
    const second = await store().keys.insert({ ...key, userId: user.id, hash: 'c'.repeat(64) });
    expect(await store().keys.listOf(user.id)).toEqual([second, first]);
    expect(await store().keys.listOf((await newUser(store())).id)).toEqual([]);
  });
}

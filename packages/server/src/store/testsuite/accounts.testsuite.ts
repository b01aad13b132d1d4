import { expect, test } from 'vitest';
import type { NewApiKey } from '../accounts.ts';
import type { Store } from '../store.ts';
import { newExecution, newUser, newWorkflow, start } from './world.ts';

/** Tests of users and API keys. */
export function accountSentences(store: () => Store): void {
  userSentences(store);
  userChangeSentences(store);
  keyOriginSentences(store);
  keyLimitSentences(store);
  keyRenewalSentences(store);
  userRemovalSentences(store);
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

  test('a name can be used only once, even in the same turn', async () => {
    const insert = () => store().users.insert({ username: 'admin', isAdmin: true, at: start });
    const [first, second] = await Promise.all([insert(), insert()]);
    expect(first).not.toBeNull();
    expect(second).toBeNull();
    expect(await store().users.count()).toBe(1);
  });
}

function userChangeSentences(store: () => Store): void {
  const insert = (username: string, isAdmin: boolean, passwordHash: string | null = null) =>
    store().users.insert({ username, isAdmin, passwordHash, at: start });

  test('names are found, and are unique, regardless of case', async () => {
    const user = await insert('Alex', false);
    expect(await store().users.byUsername('aLEX')).toEqual(user);
    expect(await insert('ALEX', false)).toBeNull();
  });

  test('users are listed newest first, and admins oldest first', async () => {
    const [first, second, third] = [await insert('a', true), await insert('b', false), await insert('c', true)];
    expect(await store().users.list({ limit: 2, offset: 0 })).toEqual({ items: [third, second], total: 3 });
    expect(await store().users.list({ limit: 2, offset: 2 })).toEqual({ items: [first], total: 3 });
    expect(await store().users.admins()).toEqual([first, third]);
  });

  test('the hash of a password is stored with its user, and can change', async () => {
    const user = await insert('a', false, 'first');
    expect(await store().users.passwordOf('A')).toEqual({ user, hash: 'first' });
    const id = user?.id ?? 0;
    expect(await store().users.update({ id, changes: { passwordHash: 'second' }, at: start })).toEqual(user);
    expect((await store().users.passwordOf('a'))?.hash).toBe('second');
    await insert('b', false);
    expect((await store().users.passwordOf('b'))?.hash).toBeNull();
    expect(await store().users.passwordOf('c')).toBeNull();
    expect(await store().users.update({ id: 99, changes: {}, at: start })).toBe('missing');
  });

  test('a new password ends the keys of logins and no others', async () => {
    const { id: userId } = await newUser(store());
    const key = { userId, name: 'k', prefix: 'mr_', scope: 'full', expiresAt: start + 5, at: start } as const;
    const kept = await store().keys.insert({ ...key, hash: 'a' });
    await store().keys.insert({ ...key, hash: 'b', byLogin: true });
    await store().users.update({ id: userId, changes: { isAdmin: true }, at: start });
    expect(await store().keys.listOf(userId)).toHaveLength(2);
    await store().users.update({ id: userId, changes: { passwordHash: 'new' }, at: start });
    expect(await store().keys.listOf(userId)).toEqual([kept]);
    expect(await store().keys.wasRevoked('b')).toBe(true);
    expect(await store().keys.wasRevoked('a')).toBe(false);
    expect(await store().keys.wasRevoked('c')).toBe(false);
  });

  test('the last admin keeps the role, even if two give it up in the same turn', async () => {
    const admins = [await newUser(store()), await newUser(store())];
    const set = (isAdmin: boolean) =>
      Promise.all(admins.map(({ id }) => store().users.update({ id, changes: { isAdmin }, at: start })));
    await set(true);
    expect((await set(false)).filter((outcome) => outcome === 'last_admin')).toHaveLength(1);
    const [last] = await store().users.admins();
    expect(await store().users.remove({ id: last?.id ?? 0, heirId: 0, at: start })).toBe('last_admin');
  });
}

function keyOriginSentences(store: () => Store): void {
  test('a revoked key ends all that were issued with it, also by keys that have ended, and no others', async () => {
    const { id: userId } = await newUser(store());
    const words = { userId, name: 'k', prefix: 'mr_', scope: 'full', expiresAt: null, at: start, most: 100 } as const;
    const issue = async (hash: string, issuedBy: number | null, more: Partial<NewApiKey> = {}): Promise<number> => {
      const key = await store().keys.issue({ ...words, ...more, hash, issuedBy });
      if (typeof key === 'string') throw new Error(key);
      expect(key.issuedBy).toBe(issuedBy);
      return key.id;
    };
    const listed = async () => (await store().keys.listOf(userId)).map(({ id }) => id).reverse();
    const root = await issue('root', null);
    const other = await issue('other', null);
    const closed = await issue('closed', root, { byLogin: true, expiresAt: start + 5 });
    const expired = await issue('expired', closed, { byLogin: true, expiresAt: start + 1 });
    const leaves = [
      await issue('leaf', closed),
      await issue('under expired', expired),
      await issue('other leaf', other),
    ];
    await store().keys.end({ userId, id: closed, at: start });
    // Deletes the expired login.
    const last = await issue('last', other, { byLogin: true, at: start + 2, expiresAt: start + 9 });
    expect(await listed()).toEqual([root, other, ...leaves, last]);
    const received: unknown[] = [];
    store().subscribe({ accessChanged: (changes) => void received.push(...changes) });
    expect(await store().keys.revoke({ userId, id: root, at: start })).toBe(true);
    expect(await listed()).toEqual([other, leaves[2], last]);
    expect(received).toEqual(
      expect.arrayContaining([root, leaves[0], leaves[1]].map((keyId) => ({ kind: 'key', keyId }))),
    );
    expect(received).toHaveLength(3);
    expect(await store().keys.issue({ ...words, hash: 'late', issuedBy: root })).toBe('ended');
    await store().keys.revokeAll({ userId, at: start });
    expect(await listed()).toEqual([]);
  });

  test('a new password ends what came from the old one, also by keys that have ended', async () => {
    const { id: userId } = await newUser(store());
    const words = { userId, name: 'k', prefix: 'mr_', scope: 'full', expiresAt: null, at: start, most: 100 } as const;
    const issue = async (key: Partial<NewApiKey> & { readonly hash: string }): Promise<number> => {
      const issued = await store().keys.issue({ ...words, ...key });
      return typeof issued === 'string' ? 0 : issued.id;
    };
    const login = await issue({ hash: 'login', byLogin: true, isFromPassword: true, expiresAt: start + 5 });
    const made = await issue({ hash: 'made in it', issuedBy: login });
    await issue({ hash: 'made with that', issuedBy: made });
    await store().keys.end({ userId, id: login, at: start });
    const kept = await issue({ hash: 'by an operator' });
    const further = await issue({ hash: 'made with that key', issuedBy: kept });
    await issue({ hash: 'a session of that key', issuedBy: kept, byLogin: true, expiresAt: start + 5 });
    await store().users.update({ id: userId, changes: { passwordHash: 'new' }, at: start });
    expect((await store().keys.listOf(userId)).map(({ id }) => id)).toEqual([further, kept]);
  });
}

function keyLimitSentences(store: () => Store): void {
  test('a user has no more keys than may exist, not counting revoked ones and those of logins', async () => {
    const [{ id: userId }, { id: otherId }] = [await newUser(store()), await newUser(store())];
    const key = { userId, name: 'k', prefix: 'mr_', scope: 'full', expiresAt: null, at: start, most: 2 } as const;
    const [first] = [await store().keys.issue({ ...key, hash: 'a' }), await store().keys.insert({ ...key, hash: 'b' })];
    await store().keys.insert({ ...key, hash: 'c', byLogin: true });
    expect(await store().keys.issue({ ...key, hash: 'd' })).toBe('full');
    expect(await store().keys.issue({ ...key, hash: 'e', userId: otherId })).toMatchObject({ userId: otherId });
    await store().keys.revoke({ userId, id: typeof first === 'object' ? first.id : 0, at: start });
    expect(await store().keys.issue({ ...key, hash: 'f' })).toMatchObject({ userId });
  });

  test('logins with one key end the oldest of that key, and not those of a password', async () => {
    const { id: userId } = await newUser(store());
    const words = {
      userId,
      name: 'k',
      prefix: 'mr_',
      scope: 'full',
      expiresAt: start + 5,
      at: start,
      most: 1,
    } as const;
    const found = await store().keys.insert({ ...words, hash: 'found' });
    const own = await store().keys.insert({ ...words, hash: 'own', byLogin: true });
    for (let index = 0; index < 120; index += 1) {
      await store().keys.issue({ ...words, hash: `with it ${index}`, byLogin: true, issuedBy: found.id });
    }
    const later = await store().keys.insert({ ...words, hash: 'later', byLogin: true });
    await store().keys.issue({ ...words, hash: 'with it', byLogin: true, issuedBy: found.id });
    const listed = (await store().keys.listOf(userId)).map(({ id }) => id);
    expect(listed).toHaveLength(101);
    expect(listed).toEqual(expect.arrayContaining([found.id, own.id, later.id]));
  });

  test('after 100 logins of a user the oldest of them ends', async () => {
    const { id: userId } = await newUser(store());
    const key = { userId, name: 'k', prefix: 'mr_', scope: 'full', expiresAt: start + 5, at: start } as const;
    await store().keys.insert({ ...key, hash: 'own' });
    const logins = [];
    const received: unknown[] = [];
    store().subscribe({ accessChanged: (changes) => void received.push(...changes) });
    for (let index = 0; index < 101; index += 1)
      logins.push(await store().keys.insert({ ...key, hash: `login ${index}`, byLogin: true }));
    expect(received).toEqual([{ kind: 'key', keyId: logins[0]?.id }]);
    expect(await store().keys.listOf(userId)).toHaveLength(101);
    expect(await store().keys.wasRevoked('login 0')).toBe(true);
    expect(await store().keys.wasRevoked('login 1')).toBe(false);
  });
}

function keyRenewalSentences(store: () => Store): void {
  test('a key is renewed up to a limit, and only to a later time', async () => {
    const { id: userId } = await newUser(store());
    const key = { userId, name: 'k', prefix: 'mr_', scope: 'full', expiresAt: start + 5, at: start } as const;
    const { id } = await store().keys.insert({ ...key, hash: 'a', byLogin: true, renewableUntil: start + 9 });
    const fixed = await store().keys.insert({ ...key, hash: 'b', byLogin: true });
    const renew = async (expiresAt: number) => (await store().keys.renew({ id, expiresAt }))?.expiresAt;
    expect(await renew(start + 5)).toBeUndefined();
    expect(await renew(start + 8)).toBe(start + 8);
    expect(await renew(start + 100)).toBe(start + 9);
    expect(await renew(start + 100)).toBeUndefined();
    expect((await store().keys.byHash('a'))?.key.expiresAt).toBe(start + 9);
    expect(await store().keys.renew({ id: fixed.id, expiresAt: start + 9 })).toBeNull();
    await store().keys.revoke({ userId, id, at: start });
    expect(await renew(start + 200)).toBeUndefined();
  });
}

function userRemovalSentences(store: () => Store): void {
  test('a deleted user is removed with their keys and the sharing with them', async () => {
    const [leaver, heir] = [await newUser(store()), await newUser(store())];
    const { id: workflowId } = await newWorkflow(store());
    await store().collaborators.insert({ workflowId, userId: leaver.id, role: 'editor', at: start });
    const key = {
      userId: leaver.id,
      name: 'k',
      hash: 'a',
      prefix: '',
      scope: 'full',
      expiresAt: null,
      at: start,
    } as const;
    const { id: keyId } = await store().keys.insert(key);
    const received: unknown[] = [];
    store().subscribe({ accessChanged: (changes) => void received.push(...changes) });
    expect(await store().users.remove({ id: leaver.id, heirId: heir.id, at: start })).toBe('removed');
    expect(received).toEqual([
      { kind: 'key', keyId },
      { kind: 'user', userId: leaver.id },
    ]);
    expect(await store().users.byId(leaver.id)).toBeNull();
    expect(await store().users.byUsername(leaver.username)).toBeNull();
    expect(await store().keys.byHash('a')).toBeNull();
    expect(await store().collaborators.listOf(workflowId)).toEqual([]);
    expect(await store().users.remove({ id: leaver.id, heirId: heir.id, at: start })).toBe('missing');
  });

  test('the heir gets everything that a deleted user owned, including runs and totals', async () => {
    const [leaver, heir] = [await newUser(store()), await newUser(store())];
    const left = await newWorkflow(store(), { ownerId: leaver.id, isDefault: true, at: start + 1 });
    const own = await newWorkflow(store(), { ownerId: heir.id, isDefault: true });
    const removed = await newWorkflow(store(), { ownerId: leaver.id });
    for (const workflow of [left, own, removed]) await store().executions.accept(newExecution(workflow));
    await store().workflows.remove({ ids: [removed.id], at: start });
    await store().workflows.bySlug(left.slug);
    await store().users.remove({ id: leaver.id, heirId: heir.id, at: start });
    const page = { limit: 50, offset: 0, visibleTo: heir.id };
    const inherited = { ...left, ownerId: heir.id, isDefault: false };
    expect(await store().workflows.bySlug(left.slug)).toEqual(inherited);
    expect(await store().workflows.list(page)).toEqual({ items: [inherited, own], total: 2 });
    expect(await store().executions.list(page)).toMatchObject({ items: [{}, {}, {}], total: 3 });
    expect((await store().executions.list({ ...page, workflowId: removed.id })).total).toBe(1);
    expect(await store().executions.list({ ...page, visibleTo: leaver.id })).toEqual({ items: [], total: 0 });
  });

  test('the state that the workflows of a deleted user share goes with them, and that of the heir stays', async () => {
    const [leaver, heir] = [await newUser(store()), await newUser(store())];
    const left = await newWorkflow(store(), { ownerId: leaver.id });
    const own = await newWorkflow(store(), { ownerId: heir.id });
    const state = (workflowId: number, key: string) => ({ workflowId, scope: 'orders', key, at: start });
    await store().state.write({ ...state(left.id, 'a'), value: 'left' });
    await store().state.write({ ...state(left.id, 'b'), value: 'left' });
    await store().state.write({ ...state(own.id, 'b'), value: 'own' });
    await store().users.remove({ id: leaver.id, heirId: heir.id, at: start });
    expect(await store().state.read(state(left.id, 'a'))).toMatchObject({ value: 'left' });
    expect(await store().state.read(state(left.id, 'b'))).toMatchObject({ value: 'own' });
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

  test('an unrevoked key is found by its hash, with its user', async () => {
    const user = await newUser(store());
    const stored = await store().keys.insert({ ...key, userId: user.id, expiresAt: start + 5 });
    expect(stored).toEqual({
      id: expect.any(Number),
      userId: user.id,
      name: 'ci',
      prefix: 'mr_abcd',
      scope: 'webhook',
      byLogin: false,
      issuedBy: null,
      createdAt: start,
      expiresAt: start + 5,
      lastUsedAt: null,
    });
    expect(await store().keys.byHash(key.hash)).toEqual({ key: stored, user });
    expect(await store().keys.byHash('b'.repeat(64))).toBeNull();
  });

  test('a key has the time of its last use', async () => {
    const user = await newUser(store());
    const { id } = await store().keys.insert({ ...key, userId: user.id });
    await store().keys.touch({ id, at: start + 1000 });
    expect((await store().keys.byHash(key.hash))?.key.lastUsedAt).toBe(start + 1000);
  });

  test('a revoked key no longer exists, and can be revoked once, by its own user only', async () => {
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

  test('the first login is remembered, also after its key is revoked', async () => {
    const user = await newUser(store());
    await store().keys.insert({ ...key, userId: user.id });
    expect(await store().keys.hasLogin()).toBe(false);
    const login = await store().keys.insert({ ...key, userId: user.id, hash: 'd'.repeat(64), byLogin: true });
    expect(login.byLogin).toBe(true);
    await store().keys.revoke({ userId: user.id, id: login.id, at: start });
    expect(await store().keys.hasLogin()).toBe(true);
  });

  test("a user's unrevoked keys are listed, newest first", async () => {
    const user = await newUser(store());
    const first = await store().keys.insert({ ...key, userId: user.id });
    const second = await store().keys.insert({ ...key, userId: user.id, hash: 'c'.repeat(64) });
    expect(await store().keys.listOf(user.id)).toEqual([second, first]);
    expect(await store().keys.listOf((await newUser(store())).id)).toEqual([]);
  });
}

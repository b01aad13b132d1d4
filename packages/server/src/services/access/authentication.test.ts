import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualTime } from '../../ground/virtual-time.ts';
import { openSqliteStore } from '../../store/sql/sqlite.ts';
import { newUser, start } from '../../store/testsuite/world.ts';
import { storedForm } from './api-key.ts';
import { createAuthentication } from './authentication.ts';

const keyOf = (index: number): string => `mr_${String(index).padStart(43, '0')}`;

async function setUp() {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const time = new VirtualTime();
  const log = { warn: () => undefined };
  const user = await newUser(store);
  const addKey = (index: number) => {
    const words = { name: 'test', scope: 'full', expiresAt: null } as const;
    return store.keys.insert({ userId: user.id, ...words, ...storedForm(keyOf(index)), at: start });
  };
  return { store, time, log, user, addKey };
}

test('a revoked key is rejected at once, and stays rejected whatever other keys do', async () => {
  const { store, time, log, user, addKey } = await setUp();
  const authentication = createAuthentication({ store, clock: time.clock, log });
  store.subscribe({ accessChanged: (changes) => authentication.accessChanged(changes) });
  const revoked = await addKey(0);
  const identity = await authentication.identify(keyOf(0));
  expect(identity).toMatchObject({ user: { id: user.id }, key: { id: revoked.id } });
  await store.keys.revoke({ id: revoked.id, userId: user.id, at: start });
  expect(await authentication.identify(keyOf(0))).toBeNull();
  for (let index = 1; index <= 1500; index += 1) {
    await addKey(index);
    expect(await authentication.identify(keyOf(index))).not.toBeNull();
  }
  expect(identity !== null && authentication.stands(identity)).toBe(false);
  expect(await authentication.identify(keyOf(0))).toBeNull();
});

test('the last use of a key is stored once a minute, however many keys are used', async () => {
  const { store, time, log, addKey } = await setUp();
  let touches = 0;
  const keys: typeof store.keys = {
    ...store.keys,
    touch: (params) => {
      touches += 1;
      return store.keys.touch(params);
    },
  };
  const authentication = createAuthentication({ store: { keys }, clock: time.clock, log });
  const indexes = Array.from({ length: 1500 }, (_, index) => index);
  for (const index of indexes) await addKey(index);
  const useAll = async () => {
    for (const index of indexes) await authentication.identify(keyOf(index));
    await nextTurn();
  };
  for (const seconds of [0, 30, 29]) {
    time.advance(seconds * 1000);
    await useAll();
  }
  expect(touches).toBe(1500);
  time.advance(2000);
  await useAll();
  expect(touches).toBe(3000);
  // A clock that was set back does not hide later uses.
  time.setClock(-7_200_000);
  await useAll();
  expect(touches).toBe(4500);
});

/** Bytes of this process's heap that are in use after a garbage collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

test('keys that were used and revoked leave nothing in memory', async () => {
  const { store, time, log, user, addKey } = await setUp();
  const key = await addKey(0);
  let id = 0;
  const keys: typeof store.keys = {
    ...store.keys,
    byHash: async () => ({ user, key: { ...key, id, lastUsedAt: null } }),
    touch: async () => undefined,
  };
  const authentication = createAuthentication({ store: { keys }, clock: time.clock, log });
  const useAndRevoke = async (count: number) => {
    for (const until = id + count; id < until; id += 1) {
      await authentication.identify(keyOf(id));
      authentication.accessChanged([{ kind: 'key', keyId: id }]);
    }
  };
  await useAndRevoke(12_000);
  const before = heapInUse();
  await useAndRevoke(60_000);
  // A number in a map takes at least 30 bytes: in memory, all keys would take 4 MB.
  expect(heapInUse() - before).toBeLessThan(1_000_000);
  expect(await authentication.identify(keyOf(0))).not.toBeNull();
});

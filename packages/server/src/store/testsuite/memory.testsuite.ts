import { type Json, maxFacts, type PersonFound, type PersonSeen } from '@millrace/core';
import { beforeEach, describe, expect, test } from 'vitest';
import type { StoredSpace } from '../memory.ts';
import type { Store } from '../store.ts';
import { newUser, newWorkflow, start } from './world.ts';

/** A workflow, and shorter calls for its facts. */
function sceneOf(store: () => Store) {
  const ids = { workflowId: 0, ownerId: 0 };
  const own = (): StoredSpace => ({ scope: 'workflow', workflowId: ids.workflowId });
  return {
    ids,
    own,
    global: (): StoredSpace => ({ scope: 'global', ownerId: ids.ownerId }),
    async begin() {
      const { id, ownerId } = await newWorkflow(store());
      Object.assign(ids, { workflowId: id, ownerId });
    },
    put: (key: string, value: Json, { space = own(), at = start } = {}) =>
      store().memory.put({ space, key, value, at }),
    async keys(query: string | null, { space = own(), limit = 10, offset = 0 } = {}) {
      const { items, total } = await store().memory.list({ space, query, limit, offset });
      return { keys: items.map(({ key }) => key), total };
    },
  };
}

/** Tests of facts. */
export function memorySentences(store: () => Store): void {
  factSentences(store);
  describe('a search', () => searchSentences(store));
  deletionSentences(store);
  describe('people', () => {
    peopleSentences(store);
    peopleListSentences(store);
  });
}

function factSentences(store: () => Store): void {
  const { ids, own, global, begin, put, keys } = sceneOf(store);
  beforeEach(begin);

  test('a fact is stored, replaced and deleted, and keeps the time of its first value', async () => {
    const space = own();
    expect(await store().memory.find({ space, key: 'a' })).toBeNull();
    expect(await put('a', { x: [1] })).toEqual({ key: 'a', value: { x: [1] }, createdAt: start, updatedAt: start });
    const replaced = { key: 'a', value: null, createdAt: start, updatedAt: start + 5 };
    expect(await put('a', null, { at: start + 5 })).toEqual(replaced);
    expect(await store().memory.find({ space, key: 'a' })).toEqual(replaced);
    expect(await store().memory.remove({ space, key: 'a' })).toBe(true);
    expect(await store().memory.remove({ space, key: 'a' })).toBe(false);
    expect(await store().memory.find({ space, key: 'a' })).toBeNull();
  });

  test('workflows, people and owners have facts of their own under the same key', async () => {
    const { id: other } = await newUser(store());
    const spaces: readonly StoredSpace[] = [
      own(),
      { scope: 'workflow', workflowId: (await newWorkflow(store(), { ownerId: ids.ownerId })).id },
      global(),
      { scope: 'global', ownerId: other },
      { scope: 'user', ownerId: ids.ownerId, userId: '1' },
      { scope: 'user', ownerId: ids.ownerId, userId: '2' },
      { scope: 'user', ownerId: other, userId: '1' },
    ];
    for (const [index, space] of spaces.entries()) await put('color', `blue ${index}`, { space });
    const ofWorkflow = { scope: 'user', workflowId: ids.workflowId, userId: '2' } as const;
    expect(await store().memory.find({ space: ofWorkflow, key: 'color' })).toMatchObject({ value: 'blue 5' });
    for (const [index, space] of spaces.entries()) {
      expect(await store().memory.find({ space, key: 'color' })).toMatchObject({ value: `blue ${index}` });
      const { items, total } = await store().memory.list({ space, query: 'blue', limit: 10, offset: 0 });
      expect([items.map(({ value }) => value), total]).toEqual([[`blue ${index}`], 1]);
    }
  });

  test('without a query the list begins with the fact that changed last, page by page', async () => {
    for (const [index, key] of ['a', 'b', 'c'].entries()) await put(key, index, { at: start + index });
    await put('a', 9, { at: start + 10 });
    expect(await keys(null)).toEqual({ keys: ['a', 'c', 'b'], total: 3 });
    expect(await keys(null, { limit: 1, offset: 1 })).toEqual({ keys: ['c'], total: 3 });
    const page = { space: own(), limit: 10, offset: 0 };
    for (const query of [null, 'a b c']) {
      expect((await store().memory.list({ ...page, query, characters: 2 })).items).toHaveLength(2);
      expect((await store().memory.list({ ...page, query, characters: 0 })).items).toHaveLength(1);
    }
  });
}

function searchSentences(store: () => Store): void {
  const { own, global, begin, put, keys } = sceneOf(store);
  beforeEach(begin);

  test('finds words in keys and anywhere in values, regardless of case and accents', async () => {
    await put('favourite_colour', 'green');
    await put('home', { city: 'Zürich', people: [{ name: 'Zoë' }, 42] });
    await put('pet', 'no green cat');
    expect(await keys('COLOUR')).toEqual({ keys: ['favourite_colour'], total: 1 });
    expect(await keys('zoe')).toEqual({ keys: ['home'], total: 1 });
    expect(await keys('ZURICH 42')).toEqual({ keys: ['home'], total: 1 });
    expect(await keys('city')).toEqual({ keys: ['home'], total: 1 });
    expect(await keys('red')).toEqual({ keys: [], total: 0 });
  });

  test('finds facts with one of the words, and the one with most of them first', async () => {
    await put('one', 'the cat sleeps');
    await put('both', 'the cat and the dog');
    await put('none', 'a bird');
    expect(await keys('dog cat')).toEqual({ keys: ['both', 'one'], total: 2 });
  });

  test('finds whole words only, and each character of Chinese and Japanese', async () => {
    await put('a', 'orders');
    await put('b', '東京都');
    expect((await keys('order')).keys).toEqual([]);
    expect((await keys('orders')).keys).toEqual(['a']);
    expect((await keys('京')).keys).toEqual(['b']);
  });

  test.each([
    '',
    '  ',
    '- " *',
    '"',
    ')',
    'a AND',
    'key:x',
    '\u0000',
    'NEAR(a b)',
    '*',
    '^a',
    '🙂',
    '\ud800',
  ])('has no words with a meaning of their own: %j', async (query) => {
    await put('fact', 'value');
    expect(await keys(query)).toEqual({ keys: [], total: 0 });
  });

  test('finds the new words of a replaced fact and not the old ones, and nothing of a deleted one', async () => {
    await put('a', 'old');
    await put('a', 'new');
    expect([(await keys('old')).keys, (await keys('new')).keys]).toEqual([[], ['a']]);
    await store().memory.remove({ space: own(), key: 'a' });
    expect((await keys('new')).total).toBe(0);
  });

  test('does not find the word by which the index knows the space', async () => {
    for (const space of [own(), global()]) await put('a', 'x', { space });
    for (let id = 1; id < 5; id += 1) expect((await keys(`${id}v ${id}vx ${id}k ${id}ka`)).total).toBe(0);
  });
}

function deletionSentences(store: () => Store): void {
  const { ids, own, global, begin, put, keys } = sceneOf(store);
  beforeEach(begin);

  test(`a space has at most ${maxFacts} facts, which can be replaced`, async () => {
    const all = Array.from({ length: maxFacts }, (_none, index) => put(`k${index}`, index));
    await Promise.all(all);
    expect(await put('one more', 1)).toBe('full');
    expect(await put('k0', 'again')).toMatchObject({ value: 'again' });
    expect(await put('k0', 1, { space: global() })).toMatchObject({ value: 1 });
    await store().memory.clear({ space: own() });
    expect(await keys(null)).toEqual({ keys: [], total: 0 });
    expect((await keys('again')).total).toBe(0);
    expect(await keys(null, { space: global() })).toEqual({ keys: ['k0'], total: 1 });
  });

  test('the facts of a workflow stay in the trash with it, and are deleted with it', async () => {
    for (let index = 0; index < 100; index += 1) await put(`k${index}`, 'word');
    await put('k', 'word', { space: global() });
    await store().workflows.remove({ ids: [ids.workflowId], at: start + 1 });
    expect((await keys('word')).total).toBe(100);
    const purge = () => store().trash.purge({ id: ids.workflowId, runs: 10, at: start + 2 });
    expect([await purge(), await purge()]).toEqual(['more', 'more']);
    while ((await purge()) !== 'purged');
    expect([await keys('word'), await keys(null)]).toEqual([
      { keys: [], total: 0 },
      { keys: [], total: 0 },
    ]);
    expect((await keys('word', { space: global() })).total).toBe(1);
  });
}

/** An owner, and a shorter call to identify people. */
function peopleOf(store: () => Store) {
  const owner = { id: 0 };
  return {
    owner,
    begin: async () => {
      owner.id += 1;
    },
    identify: (seen: Partial<PersonSeen>, letter: string, ownerId = owner.id) =>
      store().memory.identify({
        owner: { ownerId },
        seen: { channel: 'shop', externalId: '1', name: null, email: null, linkByEmail: false, ...seen },
        key: letter.repeat(64),
        at: start,
      }),
  };
}

function peopleSentences(store: () => Store): void {
  const { owner, begin, identify } = peopleOf(store);
  beforeEach(begin);

  test('are the same for one id of one channel of one owner, and others for everything else', async () => {
    const first = await identify({ name: 'Ann' }, 'a');
    const person = { id: expect.stringMatching(/^u_a{32}$/), name: 'Ann', email: null, createdAt: start };
    expect(first).toEqual({ person, isNew: true });
    expect(await identify({}, 'b')).toEqual({ person, isNew: false });
    expect(await identify({ externalId: '2' }, 'c')).toMatchObject({ isNew: true });
    expect(await identify({ channel: 'chat' }, '7')).toMatchObject({ isNew: true });
    expect(await identify({}, 'd', owner.id + 1000)).toMatchObject({ isNew: true });
  });
}

function peopleListSentences(store: () => Store): void {
  const { owner, begin, identify } = peopleOf(store);
  beforeEach(begin);

  test('are listed newest first, found by the beginning of the name or the address, and forgotten with their facts', async () => {
    await identify({ name: 'ÄNN Young', email: 'ann@example.com' }, 'l');
    await identify({ channel: 'chat', externalId: '9', email: 'ann@example.com', linkByEmail: true }, 'm');
    const { person } = (await identify({ externalId: '2', name: 'Bob' }, 'n')) as PersonFound;
    await identify({ externalId: '3' }, 'o', owner.id + 1000);
    const people = async (query: string | null, part = { limit: 10, offset: 0 }) => {
      const { items, total } = await store().memory.people({ ownerId: owner.id, query, ...part });
      return { names: items.map(({ name }) => name), total, identities: items.map(({ identities }) => identities) };
    };
    const ofAnn = [
      { channel: 'chat', externalId: '9' },
      { channel: 'shop', externalId: '1' },
    ];
    const ofBob = [{ channel: 'shop', externalId: '2' }];
    expect(await people(null)).toEqual({ names: ['Bob', 'ÄNN Young'], total: 2, identities: [ofBob, ofAnn] });
    expect(await people(null, { limit: 1, offset: 1 })).toMatchObject({ names: ['ÄNN Young'], total: 2 });
    expect(await people('änn y')).toMatchObject({ names: ['ÄNN Young'], total: 1 });
    expect(await people('ann@')).toMatchObject({ names: ['ÄNN Young'], total: 1 });
    const space = { scope: 'user', ownerId: owner.id, userId: person.id } as const;
    await store().memory.put({ space, key: 'k', value: 1, at: start });
    await store().memory.forget({ ownerId: owner.id + 1000, userId: person.id });
    expect((await people('bob')).total).toBe(1);
    expect([(await people('young')).total, (await people('')).total]).toEqual([0, 2]);
    await store().memory.forget({ ownerId: owner.id, userId: person.id });
    expect([await people('bob'), await store().memory.find({ space, key: 'k' })]).toMatchObject([{ total: 0 }, null]);
    expect(await identify({ externalId: '2' }, 'p')).toMatchObject({ isNew: true, person: { name: null } });
  });

  test('belong with their facts to the heir of a deleted user, whose own stay', async () => {
    const [leaver, heir] = [await newUser(store()), await newUser(store())];
    const seen = (externalId: string, letter: string, { id }: { readonly id: number }) =>
      identify({ externalId }, letter, id);
    const of = (userId: string, { id: ownerId }: { readonly id: number }) =>
      ({ scope: 'user', ownerId, userId }) as const;
    const theirs = await seen('only the leaver knows', 'g', leaver);
    await seen('both know', 'h', leaver);
    const own = await seen('both know', 'i', heir);
    const put = (space: StoredSpace, value: string) => store().memory.put({ space, key: 'k', value, at: start });
    await put(of('a', leaver), 'word of the leaver');
    await put(of('b', leaver), 'word of the leaver');
    await put(of('b', heir), 'word of the heir');
    await store().users.remove({ id: leaver.id, heirId: heir.id, at: start });
    expect(await seen('only the leaver knows', 'j', heir)).toEqual({ ...(theirs as object), isNew: false });
    expect(await seen('both know', 'k', heir)).toEqual({ ...(own as object), isNew: false });
    const search = (userId: string, user: typeof heir) =>
      store().memory.list({ space: of(userId, user), query: 'word', limit: 10, offset: 0 });
    expect(await search('a', heir)).toMatchObject({ items: [{ value: 'word of the leaver' }], total: 1 });
    expect(await search('b', heir)).toMatchObject({ items: [{ value: 'word of the heir' }], total: 1 });
    for (const userId of ['a', 'b']) expect(await search(userId, leaver)).toEqual({ items: [], total: 0 });
  });

  test('are new again for another attempt of the step that stored them, and keep what was known', async () => {
    const first = await identify({ name: 'Ann', email: 'ann@example.com' }, 'e');
    expect(await identify({ name: 'Ann B.' }, 'f')).toMatchObject({
      person: { name: 'Ann B.', email: 'ann@example.com' },
      isNew: false,
    });
    expect(await identify({ name: 'Ann', email: 'ann@example.com' }, 'e')).toEqual(first);
  });

  test('with the same address are one person only if they are linked by it, the one stored first', async () => {
    const email = 'bob@example.com';
    const first = await identify({ email }, '1');
    const claimed = await identify({ externalId: '2', email }, '2');
    expect(claimed).toMatchObject({ isNew: true });
    const linked = await identify({ channel: 'mail', email, linkByEmail: true }, '3');
    expect(linked).toEqual({ ...(first as object), isNew: false });
    expect(await identify({ channel: 'mail' }, '4')).toEqual(linked);
    expect(await identify({ channel: 'other', email: 'new@example.com', linkByEmail: true }, '5')).toMatchObject({
      isNew: true,
    });
    // Somebody who is known already is not made somebody else.
    expect(await identify({ externalId: '2', email, linkByEmail: true }, '6')).toMatchObject({
      person: { id: (claimed as PersonFound).person.id },
    });
  });
}

import { factList } from '@millrace/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemTimers } from '../../src/ground/clock.ts';
import type { Api } from '../support/api.ts';
import { WholeApp } from '../support/whole-app.ts';

let app: WholeApp;
let owner: Api;
beforeAll(async () => {
  app = await WholeApp.start(systemTimers);
  owner = await app.member('owner');
  await owner.post('/api/v1/workflows/', { name: 'wf', slug: 'wf' });
});
afterAll(() => app.close());

const facts = (query: Readonly<Record<string, string>> = {}) => `/api/v1/memory/facts/?${new URLSearchParams(query)}`;
const ofWorkflow = { workflow_slug: 'wf' };
const put = (query: Readonly<Record<string, string>>, value: unknown, by = owner) => by.put(facts(query), { value });
const list = async (query: Readonly<Record<string, string>>, by = owner) =>
  factList.parse((await by.get(facts(query))).body);
const keys = async (query: Readonly<Record<string, string>>, by = owner) =>
  (await list(query, by)).items.map(({ key }) => key);

describe('the facts of a workflow', () => {
  test('are stored, listed, searched and deleted', async () => {
    const { status, body } = await put({ ...ofWorkflow, key: 'home' }, { city: 'Zürich' });
    const place = { scope: 'workflow', workflow_slug: 'wf', user_id: null };
    expect([status, body]).toMatchObject([200, { ...place, key: 'home', value: { city: 'Zürich' } }]);
    await put({ ...ofWorkflow, key: 'pet' }, 'cat');
    expect(await list(ofWorkflow)).toMatchObject({ items: [{ key: 'pet' }, { ...place, key: 'home' }], total: 2 });
    expect(await list({ ...ofWorkflow, limit: '1', offset: '1' })).toMatchObject({
      items: [{ key: 'home' }],
      total: 2,
    });
    expect(await keys({ ...ofWorkflow, q: 'zurich' })).toEqual(['home']);
    expect(await keys({ ...ofWorkflow, key: 'pet' })).toEqual(['pet']);
    expect(await list({ ...ofWorkflow, key: 'none' })).toEqual({ items: [], total: 0 });
    for (let times = 0; times < 2; times += 1)
      expect(await owner.delete(facts({ ...ofWorkflow, key: 'pet' }))).toMatchObject({ status: 204 });
    expect(await keys(ofWorkflow)).toEqual(['home']);
    expect(await owner.delete(facts({ ...ofWorkflow, all: 'true' }))).toMatchObject({ status: 204 });
    expect(await list(ofWorkflow)).toEqual({ items: [], total: 0 });
  });

  test('are for its owner and its editors: a viewer reads none, and for others it does not exist', async () => {
    await put({ ...ofWorkflow, key: 'secret' }, 1);
    const path = '/api/v1/workflows/wf/collaborators/';
    const shared = async (username: string, role: string): Promise<Api> => {
      const api = await app.member(username);
      await owner.post(path, { username, role });
      return api;
    };
    const one = { ...ofWorkflow, key: 'secret' };
    const answers = async (by: Api) => [
      (await by.get(facts(ofWorkflow))).status,
      (await put(one, 2, by)).status,
      (await by.delete(facts(one))).status,
    ];
    const stranger = await app.member('someone');
    expect(await answers(await shared('reader', 'viewer'))).toEqual([403, 403, 403]);
    expect(await answers(stranger)).toEqual([404, 404, 404]);
    expect((await stranger.get(facts(ofWorkflow))).text).toBe(
      (await stranger.get(facts({ workflow_slug: 'no' }))).text,
    );
    expect(await list(ofWorkflow)).toMatchObject({ items: [{ key: 'secret', value: 1 }] });
    expect(await answers(await shared('writer', 'editor'))).toEqual([200, 200, 204]);
    await owner.patch('/api/v1/workflows/wf/', { is_public: true });
    expect(await answers(stranger)).toEqual([403, 403, 403]);
  });
});

test('what workflows know about people and share is for their owner only', async () => {
  const [ann, bob] = [await app.member('ann'), await app.member('bob')];
  const user = { scope: 'user', user_id: '17', key: 'k' };
  await put(user, 'of ann', ann);
  await put({ scope: 'global', key: 'k' }, 'shared by ann', ann);
  expect(await keys({ scope: 'user', user_id: '17' }, ann)).toEqual(['k']);
  expect(await keys({ scope: 'user', user_id: '18' }, ann)).toEqual([]);
  const admin = await app.member('boss', { isAdmin: true });
  for (const by of [bob, admin]) {
    expect(await list({ scope: 'user', user_id: '17' }, by)).toEqual({ items: [], total: 0 });
    expect(await list({ scope: 'global' }, by)).toEqual({ items: [], total: 0 });
    await by.delete(facts({ scope: 'global', all: 'true' }));
    await by.delete(facts(user));
  }
  expect(await list({ scope: 'global' }, ann)).toMatchObject({ items: [{ value: 'shared by ann' }] });
  expect(await list({ scope: 'user', user_id: '17' }, ann)).toMatchObject({ items: [{ value: 'of ann' }] });
});

test('the people that workflows know are listed and forgotten by their owner only', async () => {
  const [ann, bob] = [await app.member('ann2'), await app.member('bob2')];
  const path = '/api/v1/memory/people/';
  const seen = { channel: 'shop', externalId: '17', name: 'Zoë', email: null, linkByEmail: false };
  const found = await app.store.memory.identify({ owner: { ownerId: ann.user.id }, seen, key: 'a'.repeat(64), at: 0 });
  if (found === 'full') throw new Error('there is room');
  const user_id = found.person.id;
  await put({ scope: 'user', user_id, key: 'k' }, 1, ann);
  const person = { user_id, name: 'Zoë', email: null, identities: [{ channel: 'shop', external_id: '17' }] };
  expect((await ann.get(path)).body).toMatchObject({ items: [person], total: 1 });
  expect((await ann.get(`${path}?q=zo`)).body).toMatchObject({ total: 1 });
  expect((await ann.get(`${path}?q=x`)).body).toEqual({ items: [], total: 0 });
  expect((await bob.get(path)).body).toEqual({ items: [], total: 0 });
  expect((await bob.delete(`${path}?user_id=${user_id}`)).status).toBe(204);
  expect(await keys({ scope: 'user', user_id }, ann)).toEqual(['k']);
  expect((await ann.delete(`${path}?user_id=${user_id}`)).status).toBe(204);
  expect((await ann.get(path)).body).toEqual({ items: [], total: 0 });
  expect(await keys({ scope: 'user', user_id }, ann)).toEqual([]);
  expect((await ann.delete(path)).status).toBe(422);
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['GET', {}, 'workflow_slug'],
  ['GET', { scope: 'user' }, 'user_id'],
  ['GET', { scope: 'global', user_id: '1' }, 'user_id'],
  ['GET', { scope: 'global', workflow_slug: 'wf' }, 'workflow_slug'],
  ['GET', { scope: 'all' }, 'scope'],
  ['GET', { scope: 'global', q: 'x'.repeat(1001) }, 'q'],
  ['GET', { scope: 'global', q: 'x', key: 'k' }, 'q'],
  ['GET', { scope: 'global', key: '' }, 'key'],
  ['PUT', { scope: 'global' }, 'key'],
  ['PUT', { scope: 'global', key: 'k'.repeat(256) }, 'key'],
  ['PUT', { scope: 'user', user_id: 'u'.repeat(256), key: 'k' }, 'user_id'],
  ['DELETE', { scope: 'global' }, 'key'],
  ['DELETE', { scope: 'global', all: 'false' }, 'key'],
  ['DELETE', { scope: 'global', key: 'k', all: 'true' }, 'key'],
])('%s with %j is rejected', async (method, query, parameter) => {
  const url = facts(query);
  const send = { GET: () => owner.get(url), PUT: () => put(query, 1), DELETE: () => owner.delete(url) };
  const { status, body } = await (send[method as keyof typeof send] ?? send.GET)();
  expect([status, body]).toMatchObject([422, { detail: [{ loc: ['query', parameter] }] }]);
});

test('a value that is too large is rejected, and so is one more fact than a scope may have', async () => {
  const large = await put({ scope: 'global', key: 'k' }, 'x'.repeat(65_535));
  expect(large).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'value'] }] } });
  const full = await app.member('collector');
  const space = { scope: 'global', ownerId: full.user.id } as const;
  const many = Array.from({ length: 10_000 }, (_none, n) => `k${n}`);
  await Promise.all(many.map((key) => app.store.memory.put({ space, key, value: 1, at: 0 })));
  expect(await put({ scope: 'global', key: 'new' }, 1, full)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('10000 facts') },
  });
  expect(await put({ scope: 'global', key: 'k7' }, 2, full)).toMatchObject({ status: 200 });
});

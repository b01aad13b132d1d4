import { apiKeyList, issuedKey } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { apiOf } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/users/me/keys/';

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  member = await running.addPerson('member');
});

async function issue(request: Record<string, unknown>): Promise<z.infer<typeof issuedKey>> {
  return issuedKey.parse((await member.post(path, request)).body);
}

async function keysOf(person: Person): Promise<z.infer<typeof apiKeyList>> {
  return apiKeyList.parse((await person.get(path)).body);
}

describe('POST keys', () => {
  it('creates a key, shown once, that works at once', async () => {
    const { status, body } = await member.post(path, { name: 'laptop' });
    const { key } = issuedKey.parse(body);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'laptop',
      prefix: key.slice(0, 8),
      scope: 'full',
      by_login: false,
      issued_by: (await keysOf(member)).at(-1)?.id,
      created_at: '2026-01-01T00:00:00.000000',
      expires_at: null,
      last_used_at: null,
      key: expect.stringMatching(/^mr_[A-Za-z0-9_-]{43}$/),
    });
    expect((await apiOf(running.app, key).get('/api/v1/auth/me/')).body).toMatchObject({ username: 'member' });
    expect((await member.get(path)).text).not.toContain(key);
  });

  it('rejects the key after the hundredth until one is revoked', async () => {
    // Each person of these tests has a key already.
    const issued = [];
    for (let index = 0; index < 99; index += 1) issued.push(await issue({ name: `key ${index}` }));
    const { status, body } = await member.post(path, { name: 'one more' });
    expect(status).toBe(422);
    expect(body).toEqual({
      detail: [{ type: 'too_many', loc: ['body'], msg: 'You have 100 API keys: revoke one first.' }],
    });
    expect((await member.delete(`${path}${issued[0]?.id}/`)).status).toBe(204);
    expect((await member.post(path, { name: 'one more' })).status).toBe(201);
  });

  it('creates keys that expire', async () => {
    const issued = await issue({ name: 'for a day', expires_at: '2026-01-02T00:00:00' });
    expect(issued.expires_at).toBe('2026-01-02T00:00:00.000000');
    const visitor = apiOf(running.app, issued.key);
    running.time.advance(24 * 3_600_000 - 1);
    expect((await visitor.get('/api/v1/auth/me/')).status).toBe(200);
    running.time.advance(1);
    expect(await visitor.get('/api/v1/auth/me/')).toMatchObject({
      status: 401,
      body: { detail: 'Invalid or missing API key.' },
    });
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 'x', scope: 'root' }, 'scope'],
    [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'x', expires_at: '2025-12-31' }, 'expires_at'],
  ])('rejects %j with the field', async (request, field) => {
    const { status, body } = await member.post(path, request);
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ loc: ['body', field] }] });
  });
});

describe('GET keys', () => {
  it('lists the caller’s own keys, newest first, with the time of their last use', async () => {
    running.time.advance(1000);
    await member.post(path, { name: 'second', scope: 'webhook' });
    const visitor = await running.addPerson('visitor');
    await visitor.post(path, { name: 'not member’s' });
    const keys = await keysOf(member);
    expect(keys.map(({ name, scope }) => [name, scope])).toEqual([
      ['second', 'webhook'],
      ['test', 'full'],
    ]);
    expect(keys[1]?.last_used_at).toBe('2026-01-01T00:00:01.000000');
  });

  it('stores the time of the last use at most once a minute', async () => {
    const lastUse = async () => (await keysOf(member))[0]?.last_used_at;
    await lastUse();
    await running.settle();
    running.time.advance(59_000);
    expect(await lastUse()).toBe('2026-01-01T00:00:00.000000');
    running.time.advance(1000);
    await lastUse();
    await running.settle();
    expect(await lastUse()).toBe('2026-01-01T00:01:00.000000');
  });
});

describe('DELETE a key', () => {
  it('revokes it for the very next request', async () => {
    const { id, key } = await issue({ name: 'lost' });
    const finder = apiOf(running.app, key);
    expect((await finder.get('/api/v1/auth/me/')).status).toBe(200);
    expect((await member.delete(`${path}${id}/`)).status).toBe(204);
    expect(await finder.get('/api/v1/auth/me/')).toMatchObject({
      status: 401,
      body: { detail: 'Invalid or missing API key.' },
    });
    expect(await keysOf(member)).toHaveLength(1);
  });

  it('revokes it for requests in progress', async () => {
    const { id, key } = await issue({ name: 'lost' });
    const finder = apiOf(running.app, key);
    await Promise.all([finder.get('/api/v1/auth/me/'), member.delete(`${path}${id}/`), finder.get('/api/v1/auth/me/')]);
    expect((await finder.get('/api/v1/auth/me/')).status).toBe(401);
  });

  it('applies within a second if another process revoked the key', async () => {
    const { id, key } = await issue({ name: 'lost' });
    const finder = apiOf(running.app, key);
    await finder.get('/api/v1/auth/me/');
    await running.store.keys.revoke({ userId: member.user.id, id, at: running.time.clock.now() });
    running.time.advance(1000);
    expect((await finder.get('/api/v1/auth/me/')).status).toBe(401);
  });

  it('revokes the keys and sessions that were created with it, unless it only replaces the key', async () => {
    const old = await issue({ name: 'old' });
    const person = apiOf(running.app, old.key);
    const replacement = issuedKey.parse((await person.post(path, { name: 'new' })).body);
    expect((await member.delete(`${path}${old.id}/?keep_issued=true`)).status).toBe(204);
    expect((await person.get(path)).status).toBe(401);
    const next = apiOf(running.app, replacement.key);
    const child = apiOf(running.app, issuedKey.parse((await next.post(path, { name: 'child' })).body).key);
    const session = await next.post('/api/v1/auth/session/', { api_key: replacement.key });
    const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
    const inSession = () => apiOf(running.app, null).inject({ url: path, headers: { cookie } });
    expect([(await child.get(path)).status, (await inSession()).status]).toEqual([200, 200]);
    expect((await member.delete(`${path}${replacement.id}/`)).status).toBe(204);
    expect([(await child.get(path)).status, (await inSession()).status]).toEqual([401, 401]);
    expect((await member.get(path)).status).toBe(200);
  });

  it('may revoke the key of the request itself', async () => {
    const [own] = await keysOf(member);
    expect((await member.delete(`${path}${own?.id}/`)).status).toBe(204);
    expect((await member.get(path)).status).toBe(401);
  });

  it.each(['999', '0', '-1', 'x', '1e3', '99999999999999999999'])('answers 404 for %s', async (id) => {
    expect(await member.delete(`${path}${id}/`)).toMatchObject({ status: 404, body: { detail: 'API key not found.' } });
  });

  it('answers 404 for a key of another user, which stays valid', async () => {
    const visitor = await running.addPerson('visitor');
    const [own] = await keysOf(visitor);
    expect(await member.delete(`${path}${own?.id}/`)).toMatchObject({
      status: 404,
      body: { detail: 'API key not found.' },
    });
    expect((await visitor.get(path)).status).toBe(200);
  });
});

describe('the keys of a user', () => {
  const of = (username: string, id: number | string = ''): string =>
    `/api/v1/users/${username}/keys/${id === '' ? '' : `${id}/`}`;

  it('are listed and revoked by admins, one by one or all at once', async () => {
    const admin = await running.addPerson('admin', 'full', true);
    const first = await issue({ name: 'first' });
    const second = await issue({ name: 'second' });
    const listed = apiKeyList.parse((await admin.get(of('Member'))).body);
    expect(listed).toEqual(await keysOf(member));
    expect((await admin.delete(of('member', first.id))).status).toBe(204);
    expect((await apiOf(running.app, first.key).get(path)).status).toBe(401);
    expect((await apiOf(running.app, second.key).get(path)).status).toBe(200);
    expect((await admin.delete(of('member'))).status).toBe(204);
    for (const { key } of [second, member]) expect((await apiOf(running.app, key).get(path)).status).toBe(401);
    expect((await admin.get(path)).status).toBe(200);
  });

  it('are hidden from everybody else', async () => {
    await running.addPerson('other');
    const { id } = await issue({ name: 'mine' });
    for (const name of ['other', 'member', 'nobody']) {
      const answers = [await member.get(of(name)), await member.delete(of(name)), await member.delete(of(name, id))];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    }
    expect((await member.delete(path)).status).toBe(404);
    expect((await apiOf(running.app, null).get(of('member'))).status).toBe(401);
  });

  it('of a user or with an id that does not exist are answered with 404', async () => {
    const admin = await running.addPerson('admin', 'full', true);
    const { id } = await issue({ name: 'not of other' });
    await running.addPerson('other');
    const answers = [
      await admin.get(of('nobody')),
      await admin.delete(of('nobody')),
      await admin.delete(of('other', id)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(answers.map(({ body }) => body)).toEqual([
      { detail: 'User not found.' },
      { detail: 'User not found.' },
      { detail: 'API key not found.' },
    ]);
  });
});

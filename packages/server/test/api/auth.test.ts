import { beforeEach, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/ground/ids.ts';
import { apiOf } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

describe('a request', () => {
  let running: Running;
  let member: Person;
  beforeEach(async () => {
    running = await startRunning({ withRunner: false });
    member = await running.addPerson('member');
  });

  it('with a key is authenticated as the user of the key', async () => {
    const { status, body } = await member.get('/api/v1/auth/me/');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: member.user.id,
      username: 'member',
      is_admin: false,
      created_at: '2026-01-01T00:00:00.000000',
    });
  });

  it.each([
    ['no key', {}],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['a scheme without a key', { authorization: 'Bearer' }],
  ])('with %s is not authenticated', async (_what, headers) => {
    const answer = await apiOf(running.app, null).inject({ url: '/api/v1/auth/me/', headers });
    expect(answer).toMatchObject({ status: 401, body: { detail: 'Not authenticated' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it.each([
    ['unknown', newApiKey()],
    ['short', 'mr_short'],
    ['long', `mr_${'a'.repeat(10_000)}`],
    ['made of other characters', `mr_${'é'.repeat(43)}`],
    ['a guess', 'secret'],
  ])('with a key that is %s is rejected', async (_what, key) => {
    const answer = await apiOf(running.app, encodeURI(key)).get('/api/v1/auth/me/');
    expect(answer).toMatchObject({ status: 401, body: { detail: 'Invalid or missing API key.' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('accepts the scheme in any case', async () => {
    const headers = { authorization: `bearer ${member.key}` };
    expect((await member.inject({ url: '/api/v1/auth/me/', headers })).status).toBe(200);
  });

  it('does not accept the key in the query', async () => {
    const answer = await apiOf(running.app, null).get(`/api/v1/auth/me/?api_key=${member.key}`);
    expect(answer.status).toBe(401);
  });

  it('with a key that may only call webhooks is rejected with a reason', async () => {
    const sender = await running.addPerson('member', 'webhook');
    expect(await sender.get('/api/v1/auth/me/')).toMatchObject({
      status: 403,
      body: { detail: 'This API key may only start workflows by webhook.' },
    });
  });

  it('is rejected before its body is read', async () => {
    const answer = await apiOf(running.app, newApiKey()).inject({
      method: 'POST',
      url: '/api/v1/users/me/keys/',
      headers: { 'content-type': 'application/json', 'content-length': String(1024 ** 3) },
      payload: '{',
    });
    expect(answer).toMatchObject({ status: 401, headers: { connection: 'close' } });
  });

  it('to a path that does not exist is answered with 404, also without a key', async () => {
    expect(await apiOf(running.app, null).get('/api/v1/nothing/')).toMatchObject({
      status: 404,
      body: { detail: 'Not found' },
    });
  });
});

describe('an address', () => {
  it('that sends a wrong key 20 times in a minute must wait, except with the right key', async () => {
    const running = await startRunning({ withRunner: false });
    const member = await running.addPerson('member');
    const stranger = apiOf(running.app, newApiKey());
    for (let count = 0; count < 20; count++) expect((await stranger.get('/api/v1/auth/me/')).status).toBe(401);
    const rejected = await stranger.get('/api/v1/auth/me/');
    expect(rejected).toMatchObject({
      status: 429,
      body: { detail: 'Too many failed authentications. Try again in a minute.' },
    });
    expect(rejected.headers['retry-after']).toBe('60');
    expect((await member.get('/api/v1/auth/me/')).status).toBe(200);
    running.time.advance(15_000);
    expect((await stranger.get('/api/v1/auth/me/')).headers['retry-after']).toBe('45');
    running.time.advance(45_000);
    expect((await stranger.get('/api/v1/auth/me/')).status).toBe(401);
  });

  it('that sends no key is not limited, because it guesses nothing', async () => {
    const running = await startRunning({ withRunner: false });
    const nobody = apiOf(running.app, null);
    for (let count = 0; count < 30; count++) expect((await nobody.get('/api/v1/auth/me/')).status).toBe(401);
  });
});

describe('every route', () => {
  /** Health and the state of the setup are public, some log in and out, and the paths of the others contain a secret. */
  const keyless = new Set([
    'get /health/',
    'post /api/v1/auth/token/',
    'post /api/v1/auth/session/',
    'get /api/v1/auth/session/',
    'delete /api/v1/auth/session/',
    'get /api/v1/auth/setup/',
    'post /api/v1/callbacks/{token}',
    'get /api/v1/callbacks/{token}',
    'post /api/v1/answers/{token}',
    'post /api/v1/auth/session/',
    'get /api/v1/auth/setup/',
  ]);

  it('in the document requires a key, except those that log in and out and those with a secret path', async () => {
    const running = await startRunning({ withRunner: false });
    const nobody = apiOf(running.app, null);
    const routes = Object.entries(running.app.swagger().paths ?? {});
    expect(routes.length).toBeGreaterThan(8);
    for (const [path, methods] of routes) {
      for (const method of Object.keys(methods ?? {})) {
        const url = path.replaceAll(/\{\w+\}/g, 'x');
        if (keyless.has(`${method} ${path}`)) continue;
        const { status } = await nobody.inject({ method: method.toUpperCase() as 'GET', url });
        expect([method, path, status]).toEqual([method, path, 401]);
      }
    }
  });
});

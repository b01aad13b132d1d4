import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { nameOf, paramsOf, requestOf } from '../matrix/requests.ts';
import { castOf } from '../matrix/roles.ts';
import { newScene } from '../matrix/scene.ts';
import { WholeApp } from '../matrix/whole-app.ts';
import { Socket } from '../support/socket.ts';

const host = '127.0.0.1:7411';
const own = `http://${host}`;

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

// Wrong proofs may be sent 20 times a minute.
beforeEach(() => app.time.advance(60_000));

type Headers = Readonly<Record<string, string>>;

function open(body: object, headers: Headers = { origin: own }) {
  return app.server.inject({
    method: 'POST',
    url: '/api/v1/auth/session/',
    headers: { host, ...headers },
    payload: body,
  });
}

/** The cookie of a new session of a role. */
async function cookieOf(role: 'owner' | 'admin'): Promise<string> {
  const { statusCode, headers } = await open({ api_key: cast.keys.get(role) });
  expect(statusCode).toBe(200);
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

function me(headers: Headers) {
  return app.server.inject({ url: '/api/v1/auth/me/', headers: { host, ...headers } });
}

/** What a browser sends with a request of a page: of the service, of another port of its host, and of another site. */
const pages = {
  'its own page': { origin: own, 'sec-fetch-site': 'same-origin' },
  'a page of another port': { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
  'a page of another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
} as const;

describe('a session', () => {
  test('is a cookie that scripts cannot read and other sites do not send', async () => {
    const { statusCode, headers, payload } = await open({ api_key: cast.keys.get('owner') });
    expect(statusCode).toBe(200);
    expect(JSON.parse(payload)).toMatchObject({ username: 'owner' });
    expect(String(headers['set-cookie'])).toMatch(
      /^millrace_session_7411=mr_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    );
  });

  test('identifies the user like an API key', async () => {
    const answer = await me({ cookie: `theme=dark; ${await cookieOf('owner')}` });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ username: 'owner' });
  });

  test('ends when its browser logs out, and only there', async () => {
    const [one, other] = [await cookieOf('owner'), await cookieOf('owner')];
    const headers = { host, cookie: one, ...pages['its own page'] };
    const left = await app.server.inject({ method: 'DELETE', url: '/api/v1/auth/session/', headers });
    expect(left.statusCode).toBe(204);
    expect(String(left.headers['set-cookie'])).toContain('Max-Age=0');
    expect((await me({ cookie: one })).statusCode).toBe(401);
    expect((await me({ cookie: other })).statusCode).toBe(200);
    expect((await me({ authorization: `Bearer ${cast.keys.get('owner')}` })).statusCode).toBe(200);
  });

  test('ends after a week', async () => {
    const cookie = await cookieOf('owner');
    app.time.advance(7 * 24 * 60 * 60 * 1000 - 1000);
    expect((await me({ cookie })).statusCode).toBe(200);
    app.time.advance(2000);
    expect((await me({ cookie })).statusCode).toBe(401);
  });

  test('whose time is over does not count as a guess', async () => {
    for (let request = 0; request < 40; request += 1)
      await me({ cookie: `millrace_session_7411=mr_${'x'.repeat(43)}` });
    expect((await open({ api_key: cast.keys.get('owner') })).statusCode).toBe(200);
  });

  test.each([
    ['a cookie of another port', (cookie: string) => cookie.replace('7411', '7412')],
    ['two cookies', (cookie: string) => `${cookie}; ${cookie}`],
    ['an empty cookie', () => 'millrace_session_7411='],
    ['a damaged cookie', (cookie: string) => cookie.slice(0, -1)],
  ])('is not %s', async (_name, change) => {
    expect((await me({ cookie: change(await cookieOf('owner')) })).statusCode).toBe(401);
  });

  test('cannot be opened with a key that may only start workflows, or with a wrong proof', async () => {
    expect((await open({ api_key: cast.keys.get('webhook') })).statusCode).toBe(403);
    for (const proof of [{ api_key: 'mr_wrong' }, { setup_token: 'wrong' }, { username: 'owner', password: 'wrong' }]) {
      expect((await open(proof)).statusCode).toBe(401);
    }
  });

  test('cannot be opened by a page of another site, which could log its visitor in as somebody else', async () => {
    const { 'its own page': _own, ...others } = pages;
    for (const headers of Object.values(others)) {
      expect((await open({ api_key: cast.keys.get('owner') }, headers)).statusCode).toBe(403);
    }
  });

  test('has an API key that takes precedence over it', async () => {
    const headers = { cookie: await cookieOf('admin'), authorization: `Bearer ${cast.keys.get('owner')}` };
    expect((await me(headers)).json()).toMatchObject({ username: 'owner' });
    expect((await me({ ...headers, authorization: 'Bearer mr_wrong' })).statusCode).toBe(401);
  });
});

describe('with the session of its visitor', () => {
  const closed = app.endpoints.filter(({ declared }) => declared !== 'anyone' && declared !== 'webhook');

  test.each(
    closed.map((endpoint) => [nameOf(endpoint), endpoint] as const),
  )('no page of another origin may call %s', async (_name, endpoint) => {
    const scene = await newScene(app, cast, { isPublic: false });
    const request = requestOf(endpoint, scene, await paramsOf(app, cast, endpoint.path, scene));
    const cookie = await cookieOf('owner');
    for (const page of ['a page of another port', 'a page of another site'] as const) {
      const headers = { ...request.headers, host, cookie, ...pages[page] };
      expect([401, 403]).toContain((await app.server.inject({ ...request, headers })).statusCode);
    }
  });

  test('nobody starts a workflow by webhook', async () => {
    const webhooks = app.endpoints.filter(({ declared }) => declared === 'webhook');
    expect(webhooks.length).toBeGreaterThan(0);
    const cookie = await cookieOf('owner');
    for (const endpoint of webhooks) {
      const scene = await newScene(app, cast, { isPublic: false });
      const request = requestOf(endpoint, scene, await paramsOf(app, cast, endpoint.path, scene));
      const headers = { ...request.headers, host, cookie, ...pages['its own page'] };
      expect((await app.server.inject({ ...request, headers })).statusCode).toBe(401);
    }
  });
});

describe('a WebSocket', () => {
  const listening = app.listen();

  test('of its own page has the session of the browser', async () => {
    const at = await listening;
    const cookie = (await cookieOf('owner')).replace('7411', at.replace(/.*:/, ''));
    const { slug } = await newScene(app, cast, { isPublic: false });
    const subscribe = async (headers: Headers) => {
      const socket = await Socket.open(`ws://${at}/ws/`, { headers: { cookie, ...headers } });
      return socket.subscribe(`workflow:${slug}`);
    };
    expect(await subscribe({ origin: `http://${at}` })).toMatchObject({ type: 'subscribed' });
    await expect(subscribe({ origin: 'http://127.0.0.1:3000' })).rejects.toThrow('403');
  });

  test('of a client that is no page must authenticate by itself', async () => {
    const at = await listening;
    const cookie = (await cookieOf('owner')).replace('7411', at.replace(/.*:/, ''));
    const socket = await Socket.open(`ws://${at}/ws/`, { headers: { cookie } });
    app.time.advance(10_000);
    expect(await socket.ended).toEqual([1008, 'Invalid or missing token']);
  });
});

describe('the first login', () => {
  test('is needed until somebody has logged in', async () => {
    const fresh = await WholeApp.start({ setupToken: 'the-token' });
    await castOf(fresh);
    const state = async () => (await fresh.server.inject({ url: '/api/v1/auth/setup/' })).json();
    const log = (token: string) => {
      const payload = { setup_token: token };
      return fresh.server.inject({ method: 'POST', url: '/api/v1/auth/session/', payload });
    };
    expect(await state()).toEqual({ needed: true });
    expect((await log('the-tokem')).statusCode).toBe(401);
    const both = await Promise.all([log('the-token'), log('the-token')]);
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
    expect(await state()).toEqual({ needed: false });
    expect((await log('the-token')).statusCode).toBe(401);
    await fresh.close();
  });
});

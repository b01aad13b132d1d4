import type { InjectOptions } from 'fastify';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { filled, nameOf, paramsOf, requestOf } from './requests.ts';
import { castOf } from './roles.ts';
import { newScene } from './scene.ts';
import { type Endpoint, WholeApp } from './whole-app.ts';

const host = '127.0.0.1:7411';
const own = `http://${host}`;
const rejected = { detail: 'Requests from other web sites are not accepted.' };

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

// Wrong passwords may be sent 20 times a minute.
beforeEach(() => app.time.advance(60_000));

type Headers = Readonly<Record<string, string>>;

/** What browsers add to the request of a page on another port or another site, with and without fetch metadata. */
const foreign: readonly Headers[] = [
  { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
  { origin: 'http://127.0.0.1:3000' },
  { origin: 'https://127.0.0.1', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' },
  { origin: 'https://example.com', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://example.com' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
];

const isSafe = ({ method }: Endpoint): boolean => method === 'GET' || method === 'HEAD';

/** A page of the service: browsers send no origin with its GET requests. */
const ownPage = (endpoint: Endpoint): Headers => ({
  'sec-fetch-site': 'same-origin',
  ...(!isSafe(endpoint) && { origin: own }),
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

async function send(request: InjectOptions, headers: Headers): Promise<Answer> {
  const response = await app.server.inject({ ...request, headers: { ...request.headers, host, ...headers } });
  return { status: response.statusCode, headers: response.headers, text: response.payload };
}

/** The cookie of a new session of a role. */
async function cookieOf(role: 'owner' | 'admin'): Promise<string> {
  const payload = { api_key: cast.keys.get(role) };
  const { headers } = await send({ method: 'POST', url: '/api/v1/auth/session/', payload }, { origin: own });
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** Creates a new scene, and the function that sends the request of the endpoint in it. */
async function staged(endpoint: Endpoint): Promise<(headers: Headers) => Promise<Answer>> {
  const scene = await newScene(app, cast);
  const request = requestOf(endpoint, scene, await paramsOf(app, cast, endpoint.path, scene));
  return (headers) => send(request, headers);
}

const byName = (endpoints: readonly Endpoint[]) => endpoints.map((each) => [nameOf(each), each] as const);
const isOpen = ({ declared }: Endpoint): boolean => declared === 'anyone' || declared === 'webhook';
const sessionPath = '/api/v1/auth/session/';
const guarded = byName(app.endpoints.filter((each) => !isOpen(each)));
const open = byName(app.endpoints.filter((each) => isOpen(each) && each.path !== sessionPath));

describe('a session', () => {
  // Requirement interface.users.session.origin: a session works only for pages of the service itself, also not for pages on other ports of its host
  test.each(guarded)('may call %s only for pages of the service', async (_name, endpoint) => {
    const role = endpoint.declared === 'admin' ? 'admin' : 'owner';
    const byKey = await (await staged(endpoint))({ authorization: `Bearer ${cast.keys.get(role)}` });
    const call = await staged(endpoint);
    const cookie = await cookieOf(role);
    const withoutOrigin = isSafe(endpoint) ? [] : [{}];
    for (const page of [...foreign, ...withoutOrigin]) {
      const { status, headers, text } = await call({ cookie, ...page });
      expect([page, status]).toEqual([page, 403]);
      if (endpoint.method !== 'HEAD') expect(JSON.parse(text)).toEqual(rejected);
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
    if (isSafe(endpoint)) expect((await call({ cookie })).status).toBe(byKey.status);
    // The rejected requests changed nothing, so this one succeeds like the first request of the scene with the key.
    expect((await call({ cookie, ...ownPage(endpoint) })).status).toBe(byKey.status);
  });

  test.each(open)('changes nothing in the answer of %s, which does not read it', async (_name, endpoint) => {
    const cookie = await cookieOf('owner');
    for (const page of [ownPage(endpoint), {}, ...foreign]) {
      const [bare, sent] = [await staged(endpoint), await staged(endpoint)];
      const [without, withCookie] = [await bare(page), await sent({ cookie, ...page })];
      expect([page, withCookie.status]).toEqual([page, without.status]);
      expect(withCookie.headers['set-cookie']).toBeUndefined();
      app.time.advance(60_000);
    }
  });

  test('cannot be opened or closed by other pages, and survives their attempts', async () => {
    const cookie = await cookieOf('owner');
    const payload = { api_key: cast.keys.get('admin') };
    for (const page of foreign) {
      const closed = await send({ method: 'DELETE', url: sessionPath }, { cookie, ...page });
      expect([page, closed.status, closed.headers['set-cookie']]).toEqual([page, 403, undefined]);
      if (page.origin === undefined) continue;
      const opened = await send({ method: 'POST', url: sessionPath, payload }, { cookie, ...page });
      expect([page, opened.status, opened.headers['set-cookie']]).toEqual([page, 403, undefined]);
    }
    expect((await send({ url: '/api/v1/auth/me/' }, { cookie })).status).toBe(200);
  });

  test('is not offered to pages of other origins by any path', async () => {
    const cookie = await cookieOf('owner');
    for (const path of new Set(app.endpoints.map((each) => each.path))) {
      const url = filled(path, {});
      for (const page of foreign) {
        const { headers } = await send({ method: 'OPTIONS', url }, { cookie, ...page });
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    }
  });
});

import type { RouteOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';

const collection = '/api/v1/workflows/';
const jsonType = { 'content-type': 'application/json' };

function post(payload: string | Buffer, headers: Record<string, string> = jsonType) {
  return { method: 'POST', url: collection, payload, headers } as const;
}

function nested(depth: number): string {
  return `{"name":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
}

describe('an invalid body', () => {
  it.each(
    ['{', '', ' ', '{"name":}', "{'a':1}", 'null x', '{"a":1}}', '\u0000', 'NaN'].filter((text) => text !== ''),
  )('answers 400 to %j without repeating it', async (text) => {
    const api = await startTestApp();
    const answer = await api.inject(post(text));
    expect(answer).toMatchObject({ status: 400, body: { detail: 'Request body is not valid JSON.' } });
  });

  it('answers 400 to bytes that are not UTF-8', async () => {
    const api = await startTestApp();
    const answer = await api.inject(post(Buffer.from([0x22, 0xff, 0xfe, 0x22])));
    expect(answer).toMatchObject({ status: 400, body: { detail: 'Request body is not UTF-8 text.' } });
  });

  it.each([
    '{"__proto__":{"x":1},"name":"a","slug":"a"}',
    '{"name":"a","slug":"a","input_schema":{"a":[{"__proto__":1}]}}',
    '{"\\u005f_proto__":1}',
  ])('answers 400 to the key __proto__ anywhere: %s', async (text) => {
    const api = await startTestApp();
    const answer = await api.inject(post(text));
    expect(answer).toMatchObject({ status: 400, body: { detail: "Request body has a key named '__proto__'." } });
  });

  it('accepts other names of prototype properties', async () => {
    const api = await startTestApp();
    const body = {
      name: 'a',
      slug: 'a',
      constructor: 1,
      input_schema: { properties: { constructor: {}, toString: {} } },
    };
    const answer = await api.post(collection, body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ input_schema: { properties: { constructor: {}, toString: {} } } });
  });

  it.each(['"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"'])('answers 422 to the text %s', async (text) => {
    const api = await startTestApp();
    const answer = await api.inject(post(`{"name":${text},"slug":"a"}`));
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type: 'invalid_text', loc: ['body', 'name'] }] } });
  });

  it.each([
    ['a NUL', '{"name":"a\\u0000b","slug":"a"}', 422],
    ['half of a surrogate pair', '{"name":"a\\ud800b","slug":"a"}', 422],
    ['a key named __proto__', '{"name":"a","slug":"a","tags":[],"__proto__":{}}', 400],
  ])('rejects %s in every encoding of the body', async (_what, text, status) => {
    const api = await startTestApp();
    const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
    const bodies: readonly Buffer[] = [
      Buffer.from(text),
      Buffer.from(`\uFEFF${text}`),
      utf16,
      Buffer.from(utf16).swap16(),
    ];
    for (const payload of bodies) {
      const headers = { 'content-type': 'application/json' };
      const answer = await api.inject({ method: 'POST', url: '/api/v1/workflows/', headers, payload });
      expect([answer.status, answer.text]).toEqual([status, answer.text]);
    }
    expect((await api.get('/api/v1/workflows/a/')).status).toBe(404);
  });

  it('accepts a complete surrogate pair, escaped or not', async () => {
    const api = await startTestApp();
    const answer = await api.inject(post('{"name":"\\ud83d\\ude00 😀","slug":"a"}'));
    expect(answer).toMatchObject({ status: 201, body: { name: '😀 😀' } });
  });

  it.each(['[]', '"a"', '5', 'null', 'true'])('answers 422 to %s if an object is expected', async (text) => {
    const api = await startTestApp();
    const answer = await api.inject(post(text));
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'] }] } });
  });

  it('answers 422 if there is no body', async () => {
    const api = await startTestApp();
    const missing = { status: 422, body: { detail: [{ type: 'missing', loc: ['body'], msg: 'Field required' }] } };
    expect(await api.inject({ method: 'POST', url: collection })).toMatchObject(missing);
    expect(await api.inject({ method: 'POST', url: collection, headers: jsonType })).toMatchObject(missing);
  });
});

describe('a body that is too large', () => {
  it('answers 422 to JSON deeper than 64 levels, however deep it is', async () => {
    const api = await startTestApp();
    expect(await api.inject(post(nested(64)))).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'name'] }, { loc: ['body', 'slug'] }] },
    });
    for (const depth of [65, 100_000]) {
      expect(await api.inject(post(nested(depth)))).toMatchObject({
        status: 422,
        body: { detail: [{ type: 'too_deep', loc: ['body'], msg: 'JSON may be nested at most 64 levels deep' }] },
      });
    }
  });

  it('does not count brackets inside text', async () => {
    const api = await startTestApp();
    const answer = await api.post(collection, { name: '[{'.repeat(90), slug: 'a', description: '\\"[,'.repeat(2_000) });
    expect(answer.status).toBe(201);
  });

  it('answers 422 to more than 50,000 values', async () => {
    const api = await startTestApp();
    const answer = await api.inject(post(`[${'0,'.repeat(50_000)}0]`));
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type: 'too_many_values', loc: ['body'] }] } });
  });

  it('answers 413 to more bytes than allowed', async () => {
    const api = await startTestApp({ maxBody: 1000 });
    const text = JSON.stringify({ name: 'a'.repeat(1000), slug: 'a' });
    expect(await api.inject(post(text))).toMatchObject({ status: 413, body: { detail: 'Request body is too large.' } });
  });
});

describe('a content type', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application/jsonp',
    '',
  ])('other than JSON is answered with 415: %s', async (type) => {
    const api = await startTestApp();
    const answer = await api.inject(post('{"name":"a","slug":"a"}', type === '' ? {} : { 'content-type': type }));
    expect(answer).toMatchObject({ status: 415, body: { detail: 'Content-Type must be application/json.' } });
  });

  it.each([
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset=UTF-8',
  ])('is JSON as %s', async (type) => {
    const api = await startTestApp();
    expect((await api.inject(post('{"name":"a","slug":"a"}', { 'content-type': type }))).status).toBe(201);
  });

  it('is ignored if there is no body', async () => {
    const api = await startTestApp();
    await api.post(collection, { name: 'a', slug: 'a' });
    const answer = await api.inject({ method: 'DELETE', url: `${collection}a/`, headers: jsonType });
    expect(answer.status).toBe(204);
  });
});

describe('a URL', () => {
  it.each([
    '/api/v1/nothing/',
    '/api/v2/workflows/',
    '/api/v1/workflows/a/b/c/',
    '/API/v1/workflows/',
  ])('with an unknown path answers 404: %s', async (url) => {
    const api = await startTestApp();
    expect(await api.inject({ url, headers: { authorization: '' } })).toMatchObject({
      status: 404,
      body: { detail: 'Not found' },
    });
  });

  it('that is invalid answers 400', async () => {
    const api = await startTestApp();
    expect(await api.get(`${collection}%zz/`)).toMatchObject({
      status: 400,
      body: { detail: 'The URL is invalid.' },
    });
  });
});

describe('authentication', () => {
  it.each([
    [undefined, 'Not authenticated'],
    ['Basic abc', 'Not authenticated'],
    ['Bearer wrong', 'Invalid or missing API key.'],
    [`Bearer mr_${'a'.repeat(43)}`, 'Invalid or missing API key.'],
  ])('%s answers 401 before any other check', async (authorization, detail) => {
    const api = await startTestApp();
    for (const url of [collection, `${collection}missing/`]) {
      const { app } = api;
      const headers = authorization === undefined ? jsonType : { ...jsonType, authorization };
      const response = await app.inject({
        method: 'PATCH',
        url: url === collection ? `${url}x/` : url,
        payload: '{',
        headers,
      });
      expect([response.statusCode, response.json()]).toEqual([401, { detail }]);
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('protects every route except the public ones', async () => {
    const routes: RouteOptions[] = [];
    const api = await startTestApp({ onRoute: (route) => routes.push(route) });
    const isPublic = (route: RouteOptions): boolean => route.config?.auth === 'none';
    const pages = routes.filter(isPublic).map(({ url }) => url);
    expect(new Set(pages.filter((url) => url.startsWith('/api/')))).toEqual(
      new Set([
        '/api/v1/auth/token/',
        '/api/v1/auth/session/',
        '/api/v1/auth/setup/',
        '/api/v1/callbacks/:token',
        '/api/v1/answers/:token',
        '/api/v1/bots/:bot_id/updates',
      ]),
    );
    for (const { method, url } of routes.filter((route) => !isPublic(route))) {
      const answer = await api.app.inject({ method: method as 'GET', url: url.replaceAll(/:\w+/g, 'x') });
      expect([method, url, answer.statusCode]).toEqual([method, url, 401]);
    }
  });
});

describe('a request from a web page', () => {
  it('is rejected if it changes something and comes from another origin', async () => {
    const api = await startTestApp();
    for (const origin of ['http://evil.example', 'null', 'http://localhost:5173', 'http://localhost.evil.example']) {
      const answer = await api.inject(post('{"name":"a","slug":"a"}', { ...jsonType, origin, host: 'localhost:80' }));
      expect(answer.status).toBe(403);
    }
    const own = await api.inject(
      post('{"name":"a","slug":"a"}', { ...jsonType, origin: 'http://localhost:80', host: 'localhost:80' }),
    );
    expect(own.status).toBe(201);
  });

  it('gets no permission to read from another origin', async () => {
    const api = await startTestApp();
    const answer = await api.inject({ url: collection, headers: { origin: 'http://evil.example' } });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('is rejected with 421 if it is for another host', async () => {
    const api = await startTestApp();
    for (const host of ['evil.example', 'localhost.evil.example:80', 'localhost@evil.example']) {
      expect((await api.inject({ url: collection, headers: { host } })).status).toBe(421);
    }
    expect((await api.inject({ url: collection, headers: { host: 'LOCALHOST:7411' } })).status).toBe(200);
  });

  it('gets headers against type guessing and caching', async () => {
    const api = await startTestApp();
    expect((await api.get(collection)).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
  });
});

describe('GET /health/', () => {
  it('is public, and 503 if the database is not available', async () => {
    const api = await startTestApp();
    const health = { url: '/health/', headers: { authorization: '' } };
    expect(await api.inject(health)).toMatchObject({
      status: 200,
      body: { status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+$/), database: 'ok' },
    });
    await api.store.close();
    expect(await api.inject(health)).toMatchObject({
      status: 503,
      body: { status: 'unavailable', database: 'unavailable', reason: expect.stringContaining('is stopping') },
    });
  });

  // Requirement interface.conventions.health.ready: `/health/` is 503 with a reason until the first API key works
  it('is 503 with a reason until the start is complete', async () => {
    let isReady = false;
    const api = await startTestApp({ isReady: () => isReady });
    expect(await api.get('/health/')).toMatchObject({
      status: 503,
      body: {
        status: 'unavailable',
        database: 'ok',
        reason: 'The service is starting: its first API key does not work yet.',
      },
    });
    isReady = true;
    expect(await api.get('/health/')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('is 503 with Retry-After for everything that needs the database', async () => {
    const api = await startTestApp();
    await api.get(collection);
    await api.store.close();
    const answer = await api.get(collection);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
  });
});

describe('an internal error', () => {
  it('answers 500 with an id and without the cause', async () => {
    const api = await startTestApp({
      routes: (app) => {
        app.get('/broken/', { config: { auth: 'none' } }, async () => {
          throw new Error('secret at /etc/passwd');
        });
      },
    });
    const answer = await api.get('/broken/');
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ detail: 'Internal error', id: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startLocalApp } from '../support/local-app.ts';
import { Remote } from '../support/remote.ts';
import { addRequesting, addToolCredential, runRequesting } from '../support/requesting.ts';
import type { WholeApp } from '../support/whole-app.ts';

let app: WholeApp;
let api: Api;
let remote: Remote;
beforeAll(async () => {
  app = await startLocalApp();
  api = await app.member('admin', { isAdmin: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  remote = await Remote.start();
});

let workflows = 0;

async function read(config: object, credentialId: number | null = null) {
  workflows += 1;
  const slug = `wf-${workflows}`;
  await addRequesting(api, { slug, credentialId, config: { url: `${remote.origin}/list`, ...config } });
  return runRequesting(api, slug);
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URL(url, remote.origin).searchParams;
}

/** Ten numbers in pages of three. */
function threeOfTen(start: number): number[] {
  return Array.from({ length: 10 }, (_, index) => index).slice(start, start + 3);
}
const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

function json(response: ServerResponse, body: unknown): void {
  response.end(JSON.stringify(body));
}

describe('a paginated answer', () => {
  test('is read by the Link header, with the headers of the last page', async () => {
    remote.answer = (request, response) => {
      const page = Number(queryOf(request).get('page') ?? 1);
      if (page < 4) response.setHeader('link', `</list?page=${page + 1}>; rel="next"`);
      response.setHeader('x-page', page);
      json(response, threeOfTen((page - 1) * 3));
    };
    const { output, status, metadata } = await read({ pagination: { by: 'link' } });
    expect(status).toBe('completed');
    expect(output).toMatchObject({ result: ten, status: 200, headers: { 'x-page': '4' } });
    expect(metadata).toMatchObject({ pages: 4, complete: true });
  });

  test('is read by a URL in the body, without the query of the first page', async () => {
    remote.answer = (request, response) => {
      const at = Number(queryOf(request).get('at') ?? 0);
      json(response, { next: at < 9 ? `?at=${at + 3}` : null, data: threeOfTen(at) });
    };
    const pagination = { by: 'next_url', next: 'next', items: 'data' };
    expect(await read({ query: { q: 'x' }, pagination })).toMatchObject({ output: { result: ten } });
    expect(remote.received.map(({ url }) => url)).toEqual(['/list?q=x', '/list?at=3', '/list?at=6', '/list?at=9']);
  });

  test.each([
    [{ by: 'page', parameter: 'p', page_size: 3 }, ['1', '2', '3', '4']],
    [{ by: 'page', parameter: 'p', first: '{{ 0 }}' }, ['0', '1', '2', '3', '4']],
    [{ by: 'offset', parameter: 'p' }, ['0', '3', '6', '9', '10']],
  ])('is read by page number or offset: %j', async (pagination, asked) => {
    remote.answer = (request, response) => {
      const at = Number(queryOf(request).get('p'));
      const page = at - ('page_size' in pagination ? 1 : 0);
      json(response, { data: threeOfTen(pagination.by === 'page' ? page * 3 : at) });
    };
    const config = { query: { q: 'x' }, pagination: { ...pagination, items: 'data' } };
    expect(await read(config)).toMatchObject({ output: { result: ten } });
    expect(remote.received.map(({ url }) => url)).toEqual(asked.map((at) => `/list?q=x&p=${at}`));
  });

  test('is read by POST with a cursor in the body, and a key for each page', async () => {
    const bodies: unknown[] = [];
    remote.answer = (request, response) => {
      bodies.push(request.headers['idempotency-key']);
      json(response, { items: [bodies.length], cursor: bodies.length < 3 ? bodies.length : '' });
    };
    const pagination = { by: 'cursor', next: 'cursor', parameter: 'after', in: 'body', items: 'items' };
    expect(await read({ method: 'POST', body: { q: 'x' }, pagination })).toMatchObject({
      output: { result: [1, 2, 3] },
    });
    const [key] = bodies;
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(bodies).toEqual([key, `${key}-2`, `${key}-3`]);
  });

  test('is an empty list if there are no pages', async () => {
    remote.answer = (_request, response) => void response.writeHead(204).end();
    const { output } = await read({ pagination: { by: 'page', parameter: 'p' } });
    expect(output).toMatchObject({ result: [], status: 204 });
  });

  test('is read again from the start if a page fails temporarily, and fails the step otherwise', async () => {
    let failures = 0;
    remote.answer = (request, response) => {
      const page = Number(queryOf(request).get('p'));
      if (page === 2 && failures < 1) {
        failures += 1;
        response.writeHead(503).end();
      } else if (page === 3) response.writeHead(404).end();
      else json(response, [page]);
    };
    const retry = { max_attempts: 3, delay_ms: 1, backoff: 'fixed', on: 'transient' };
    const { error, code } = await read({ retry, pagination: { by: 'page', parameter: 'p' } });
    expect([code, error]).toEqual(['http_status', `The server responded with 404 to GET ${remote.origin}/list`]);
    expect(remote.received.map(({ url }) => url?.slice(-1))).toEqual(['1', '2', '1', '2', '3']);
  });

  test('ends at the time limit of its step', async () => {
    remote.answer = (_request, response) => setTimeout(() => json(response, [1]), 20);
    const result = await read({ timeout_seconds: 0.2, pagination: { by: 'page', parameter: 'p' } });
    expect(result).toMatchObject({ code: 'step_timeout' });
    expect(remote.received.length).toBeLessThan(50);
  });

  test('must not be larger than one answer', async () => {
    remote.answer = (_request, response) => json(response, ['x'.repeat(4 * 1024 * 1024)]);
    const result = await read({ pagination: { by: 'page', parameter: 'p' } });
    expect(result).toMatchObject({ code: 'http_too_large', error: expect.stringContaining('pagination.max_pages') });
    expect(remote.received).toHaveLength(3);
  });
});

describe('pages with redirects or misleading addresses', () => {
  test.each([
    [{ by: 'link' }, '?page=2'],
    [{ by: 'next_url', next: 'next', items: 'data' }, 'page-2'],
  ])('continue relative to the address their server redirected to: %j', async (pagination, reference) => {
    remote.answer = ({ url }, response) => {
      if (url === '/list') return void response.writeHead(302, { location: '/v2/items/' }).end();
      const isFirst = url === '/v2/items/';
      if (pagination.by === 'link') {
        if (isFirst) response.setHeader('link', `<${reference}>; rel="next"`);
        return json(response, [url]);
      }
      return json(response, { next: isFirst ? reference : null, data: [url] });
    };
    const urls = ['/v2/items/', `/v2/items/${reference}`];
    expect(await read({ pagination })).toMatchObject({ output: { result: urls } });
    expect(remote.received.map(({ url }) => url)).toEqual(['/list', ...urls]);
  });

  test.each([
    [{ by: 'next_url', next: 'next', items: 'data' }, 'to it', '/'],
    [{ by: 'link', items: 'data' }, 'to it', '/'],
    [{ by: 'next_url', next: 'next', items: 'data' }, 'through it to a file that a user uploaded', '/back'],
    [{ by: 'link', items: 'data' }, 'through it to a file that a user uploaded', '/back'],
  ])('do not follow addresses from another server, with %j and a redirect %s', async (pagination, _where, path) => {
    const other = await Remote.start();
    const next = `${remote.origin}/admin/delete?all=1`;
    const page = (response: ServerResponse) =>
      json(response.setHeader('link', `<${next}>; rel=next`), { next, data: [1] });
    remote.answer = ({ url }, response) =>
      url === '/list' ? response.writeHead(307, { location: other.origin + path }).end() : page(response);
    other.answer = ({ url }, response) =>
      url === '/' ? page(response) : response.writeHead(307, { location: `${remote.origin}/uploads/1` }).end();
    const config = { scheme: 'bearer', token: 'a-secret-of-some-length', allowed_hosts: [remote.origin] };
    const result = await read({ method: 'POST', body: { a: 1 }, pagination }, await addToolCredential(api, config));
    const error = `Page 1 came by a redirect from another origin than ${remote.origin}: its next address is not followed.`;
    expect(result).toMatchObject({ code: 'http_blocked', error });
    expect(remote.received.map(({ url }) => url)).toEqual(path === '/' ? ['/list'] : ['/list', '/uploads/1']);
  });

  test('send a cursor that is a large number with the same digits', async () => {
    const pages = ['{"items":[1],"next":1374004777531007833}', '{"items":[2],"next":null}'];
    remote.answer = (_request, response) => void response.end(pages[remote.received.length - 1]);
    const pagination = { by: 'cursor', next: 'next', parameter: 'c', items: 'items' };
    expect(await read({ pagination })).toMatchObject({ output: { result: [1, 2] } });
    expect(remote.received.map(({ url }) => url)).toEqual(['/list', '/list?c=1374004777531007833']);
  });

  test('fail if a cursor is a fraction', async () => {
    remote.answer = (_request, response) => void response.end('{"items":[1],"next":0.1}');
    const pagination = { by: 'cursor', next: 'next', parameter: 'c', items: 'items' };
    const error = expect.stringContaining("The number at 'next' is not whole or too large");
    expect(await read({ pagination })).toMatchObject({ code: 'input', error });
    expect(remote.received).toHaveLength(1);
  });
});

describe('pages with a credential', () => {
  const secret = 'a-secret-of-some-length';

  function withKey(hosts: readonly string[]) {
    return addToolCredential(api, { scheme: 'query', name: 'key', secret, allowed_hosts: hosts });
  }

  test('are all requested with it, even if the server sends the key in the next address', async () => {
    remote.answer = (request, response) => {
      const page = Number(queryOf(request).get('p') ?? 1);
      const next = page < 3 ? `${remote.origin}/list?key=${queryOf(request).get('key')}&p=${page + 1}` : null;
      json(response, { next, data: [page] });
    };
    const pagination = { by: 'next_url', next: 'next', items: 'data' };
    const result = await read({ pagination }, await withKey([remote.origin]));
    expect(result).toMatchObject({ output: { result: [1, 2, 3] } });
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(remote.received.map(({ url }) => url)).toEqual([
      `/list?key=${secret}`,
      `/list?p=2&key=${secret}`,
      `/list?p=3&key=${secret}`,
    ]);
  });

  test('are requested with it, whatever the server sends in place of the key', async () => {
    remote.answer = (request, response) => {
      const page = Number(queryOf(request).get('p') ?? 1);
      json(response, { next: page < 3 ? `/list?p=${page + 1}&key=REDACTED` : null, data: [page] });
    };
    const pagination = { by: 'next_url', next: 'next', items: 'data' };
    const id = await withKey([remote.origin]);
    expect(await read({ pagination }, id)).toMatchObject({ output: { result: [1, 2, 3] } });
    expect(remote.received.map(({ url }) => url?.slice('/list?'.length))).toEqual([
      `key=${secret}`,
      `p=2&key=${secret}`,
      `p=3&key=${secret}`,
    ]);
    expect(await read({ query: { key: 'REDACTED' }, pagination }, id)).toMatchObject({ code: 'config' });
  });

  test('are not requested from another origin, even if it is allowed', async () => {
    const other = await Remote.start();
    remote.answer = (_request, response) => {
      response.setHeader('link', `<${other.origin}/list>; rel=next`);
      json(response, [1]);
    };
    for (const id of [await withKey([remote.origin, other.origin]), null]) {
      const result = await read({ headers: { 'x-key': secret }, pagination: { by: 'link' } }, id);
      const error = `Page 1 leads to another origin than ${remote.origin}, where nothing is sent.`;
      expect(result).toMatchObject({ code: 'http_blocked', error });
    }
    expect(other.received).toEqual([]);
  });

  test.each([
    '//HOST/x',
    '/\\HOST/x',
    'http:\\\\HOST\\x',
    '\thttp://HOST/',
    'HTTP://HOST',
  ])('are not misled by a similar address: %s', async (written) => {
    const other = await Remote.start();
    const next = written.replace('HOST', other.origin.slice('http://'.length));
    remote.answer = (_request, response) => json(response, { next, data: [1] });
    const pagination = { by: 'next_url', next: 'next', items: 'data' };
    expect(await read({ pagination }, await withKey([remote.origin]))).toMatchObject({ code: 'http_blocked' });
    expect(other.received).toEqual([]);
  });
});

describe('settings of pagination', () => {
  async function stored(extra_config: object) {
    workflows += 1;
    const slug = `wf-${workflows}`;
    await api.post('/api/v1/workflows/', { name: slug, slug });
    const node = { node_id: 'get', component_type: 'http_request', config: { extra_config } };
    const answer = await api.post(`/api/v1/workflows/${slug}/nodes/`, node);
    const { body } = await api.post(`/api/v1/workflows/${slug}/validate/`);
    return { ...answer, issues: (body as { issues: readonly { field?: string }[] }).issues };
  }

  test.each([
    [{ by: 'links' }, 'by'],
    [{ by: 'cursor', next: 'a' }, 'parameter'],
    [{ by: 'link', next: 'a' }, 'next'],
    [{ by: 'page', parameter: 'p', max_pages: 1001 }, 'max_pages'],
    [{ by: 'page', parameter: 'p', page_size: 0 }, 'page_size'],
  ])('that are invalid are rejected: %j', async (pagination, key) => {
    const { status, body } = await stored({ pagination });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(`"pagination","${key}"`);
  });

  test('that cannot work are reported as issues', async () => {
    const url = 'https://a.example';
    const { status, issues } = await stored({ url, method: 'DELETE', pagination: { by: 'link', items: 'a b' } });
    expect(status).toBe(201);
    const fields = ['extra_config.pagination', 'extra_config.pagination.items'];
    expect(issues.flatMap(({ field }) => (field === undefined ? [] : [field]))).toEqual(fields);
  });

  test('that are invalid at run time fail the step', async () => {
    for (const config of [{ method: '{{ "PUT" }}' }, { accept_errors: '{{ true }}' }]) {
      expect(await read({ ...config, pagination: { by: 'link' } })).toMatchObject({ code: 'config' });
    }
    expect(remote.received).toEqual([]);
  });
});

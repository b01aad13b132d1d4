import type { JsonObject } from '@millrace/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { respond } from './respond.ts';
import { perform } from './step.testkit.ts';

const names = { trigger: { payload: { id: 7, status: '404', off: 99, lines: 'a\r\nb', nothing: null } } };
const answer = (config: JsonObject, payload: JsonObject = names.trigger.payload) =>
  perform(respond, {
    input: { from: 'input' },
    config,
    names: { trigger: { payload } },
    resolveUrl: (reference, base) => URL.parse(reference, base),
  });

describe('respond', () => {
  it('responds with 200 and its input when nothing is configured', async () => {
    expect(await answer({})).toEqual({
      outputs: { output: { from: 'input' } },
      respond: { status: 200, headers: {}, body: { from: 'input' } },
    });
  });

  it('responds with the status, headers and body of its config', async () => {
    const config = {
      status: 201,
      headers: { 'X-Order': '{{ trigger.payload.id }}' },
      body: { id: '{{ trigger.payload.id }}' },
    };
    expect((await answer(config)).respond).toEqual({ status: 201, headers: { 'x-order': '7' }, body: { id: 7 } });
  });

  it('computes the status when it is an expression', async () => {
    expect((await answer({ status: '{{ trigger.payload.status }}' })).respond?.status).toBe(404);
  });

  it('can respond with null', async () => {
    expect((await answer({ body: null })).respond?.body).toBe(null);
    expect((await answer({ body: '{{ trigger.payload.nothing }}' })).respond?.body).toBe(null);
  });

  it.each([
    { status: 99 },
    { status: 600 },
    { status: 'ok' },
    { headers: { a: 1 } },
    { redirect: '/' },
  ])('rejects the config %j when it is saved', (config) => {
    expect(respond.config.safeParse(config).success).toBe(false);
  });

  it.each([
    [
      'a status that is none',
      { status: '{{ trigger.payload.off }}' },
      "'status' must be a whole number from 200 to 599",
    ],
    ['headers that are none', { headers: '{{ trigger.payload.id }}' }, "'headers' must be an object"],
    ['a second header line', { headers: { 'x-a': '{{ trigger.payload.lines }}' } }, "'headers.x-a' must be one line"],
    ['a name that is none', { headers: { 'a b': 'c' } }, 'an invalid header name'],
    ['null for a header', { headers: { a: '{{ trigger.payload.nothing }}' } }, "'headers.a' must be text"],
  ])('fails for %s', async (_what, config, message) => {
    await expect(answer(config)).rejects.toMatchObject({ code: 'config', message: expect.stringContaining(message) });
  });

  it.each([
    'Connection',
    'Keep-Alive',
    'Transfer-Encoding',
    'Content-Length',
    'Upgrade',
    'TE',
    'Trailer',
    'Proxy-Authenticate',
    'Host',
    'Set-Cookie',
    'Content-Security-Policy',
    'Content-Security-Policy-Report-Only',
    'Strict-Transport-Security',
    'X-Frame-Options',
    'X-Content-Type-Options',
    'Referrer-Policy',
    'Access-Control-Allow-Origin',
    'Cross-Origin-Opener-Policy',
    'Clear-Site-Data',
    'WWW-Authenticate',
    'Cache-Control',
    'Origin-Trial',
    'Speculation-Rules',
    'X-DNS-Prefetch-Control',
    'Order-Id',
  ])('does not send %s', async (name) => {
    await expect(answer({ headers: { [name]: 'x' } })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(
        `'headers' must not set '${name.toLowerCase()}': responses may have headers that`,
      ),
    });
  });
});

describe('the headers of a response', () => {
  it.each([
    ['Location', 'https://shop.example/größe?q=a b#ü', 'https://shop.example/gr%C3%B6%C3%9Fe?q=a%20b#%C3%BC'],
    ['location', '/☃/%E2%98%83', '/%E2%98%83/%E2%98%83'],
    ['Location', '/a\r\nSet-Cookie: b', '/a%0D%0ASet-Cookie:%20b'],
    ['Content-Location', '/ü', '/%C3%BC'],
    ['Location', '/a"<b>{c}|d^e`f\\g%[h]', '/a%22%3Cb%3E%7Bc%7D%7Cd%5Ee%60f%5Cg%[h]'],
    ['Location', 'https://u@Bücher.example:8080/ü?q=ü', 'https://u@xn--bcher-kva.example:8080/%C3%BC?q=%C3%BC'],
    ['Location', '//bücher.example', '//xn--bcher-kva.example'],
    ['Location', 'https://Shop.example/a@ü', 'https://Shop.example/a@%C3%BC'],
    ['Location', 'mailto:bücher@example.com', 'mailto:b%C3%BCcher@example.com'],
    ['X-Name', 'Größe', 'Größe'],
    ['Retry-After', '5', '5'],
  ])('contain %s: %j', async (name, value, sent) => {
    expect(respond.issues?.({ headers: { [name]: value } })).toEqual([]);
    const expression = { headers: { [name]: '{{ trigger.payload.value }}' }, body: 1 };
    for (const config of [{ headers: { [name]: value }, body: 1 }, expression]) {
      const { respond: answered } = await answer(config, { value });
      expect(answered?.headers).toEqual({ [name.toLowerCase()]: sent });
    }
  });

  it('fail the step for a host that is no name', async () => {
    const headers = { Location: 'https://b\u{fffd}cher.example/' };
    const message = 'A header has an address whose host is not a valid name.';
    await expect(answer({ headers })).rejects.toMatchObject({ code: 'config', message });
  });

  it('fail the step if they cannot be sent', async () => {
    const headers = { 'X-Name': '☃' };
    const message = "'headers.x-name' must be one line of at most 8192 Latin-1 characters.";
    await expect(answer({ headers })).rejects.toMatchObject({ code: 'config', message });
    expect(respond.issues?.({ headers })).toEqual([expect.objectContaining({ severity: 'error', message })]);
  });
});

describe('the content type of a response', () => {
  it.each([
    'text/javascript',
    'Application/X-JavaScript; charset=utf-8',
    '',
    'html',
    'text/html/x',
  ])('must not be a script or an invalid media type: %j', async (type) => {
    await expect(answer({ headers: { 'Content-Type': type } })).rejects.toMatchObject({ code: 'config' });
  });

  it.each([
    'application/json',
    'application/problem+json; charset=utf-8',
    'text/plain',
    'text/csv',
    'application/octet-stream',
    'text/html; charset=utf-8',
    'application/xml',
    'image/svg+xml',
    'image/png',
  ])('may be any other type: %s', async (type) => {
    expect((await answer({ headers: { 'Content-Type': type } })).respond?.headers).toEqual({ 'content-type': type });
  });
});

describe('the check of a respond node', () => {
  it.each<[JsonObject, boolean]>([
    [{ status: 204, body: 'ok' }, true],
    [{ status: 304, body: {} }, true],
    [{ status: 204, body: '' }, false],
    [{ status: 204, body: null }, false],
    [{ status: 204 }, false],
    [{ status: 200, body: 'ok' }, false],
    [{ headers: { 'Content-Type': 'text/html; charset=iso-8859-1' }, body: 'ä' }, false],
    [{ headers: { 'Content-Type': 'text/html; charset=iso-8859-1' }, body: '☃' }, true],
    [{ headers: { 'Content-Type': 'text/html; charset=klingon' }, body: 'a' }, true],
  ])('finds an error in a literal body exactly if the step would fail: %j', async (config, isError) => {
    expect((respond.issues?.(config) ?? []).map(({ path }) => path)).toEqual(isError ? [['body']] : []);
    const fails = await answer(config).then(
      () => false,
      () => true,
    );
    expect(fails).toBe(isError);
  });

  it('reports no body that an expression may leave empty', () => {
    expect(respond.issues?.({ status: 204, body: '{{ trigger.payload.nothing }}' })).toEqual([]);
    expect(respond.issues?.({ status: '{{ trigger.payload.status }}', body: 'ok' })).toEqual([]);
  });

  it('finds an error in literal headers exactly if the step would fail', async () => {
    const names = ['X-A', 'x-a', 'Set-Cookie', 'Host', 'a b', 'Content-Type', 'Cache-Control', 'Sec-Gpc'];
    const values = ['x', 'a\nb', 'text/html', 'text/plain', 'x'.repeat(9000), 'é'];
    const given = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...values));
    await fc.assert(
      fc.asyncProperty(given, async (headers) => {
        const issues = respond.issues?.({ headers }) ?? [];
        const fails = await answer({ headers }).then(
          () => false,
          () => true,
        );
        expect(issues.some(({ severity }) => severity === 'error')).toBe(fails);
      }),
    );
    expect(respond.issues?.({ headers: '{{ trigger.payload }}' })).toEqual([]);
    expect(respond.issues?.({ headers: { 'x-a': '{{ "a\nb" }}' } })).toEqual([]);
  });
});

import type { JsonObject, OutboundRequest, OutboundResponse } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { httpRequest } from './http-request.ts';
import { perform, testKey } from './step.testkit.ts';

const url = 'https://api.example/v1';
const names = { trigger: { payload: { id: 7, flag: 'true', list: ['a', 'b'], nothing: null, method: 'PUT' } } };

function answering(status: number, body: string, headers: Record<string, string> = {}): () => OutboundResponse {
  const bytes = Buffer.from(body);
  const reading = { size: bytes.length, text: () => body, base64: () => bytes.toString('base64') };
  return () => ({ url, isFromHome: true, status, headers, body: reading });
}

const json = { 'content-type': 'application/json; charset=utf-8' };

/** The request that a config makes. */
async function requestOf(config: JsonObject, input: string | null = null): Promise<OutboundRequest> {
  const sent: OutboundRequest[] = [];
  const http = (request: OutboundRequest): OutboundResponse => {
    sent.push(request);
    return answering(204, '')();
  };
  await perform(httpRequest, { config, input, names, http });
  const [request] = sent;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

async function outputsOf(http: () => OutboundResponse, config: JsonObject = {}): Promise<JsonObject> {
  return (await perform(httpRequest, { config: { url, ...config }, names, http })).outputs;
}

describe('the request', () => {
  it('is a GET without body by default', async () => {
    expect(await requestOf({ url })).toEqual({ method: 'GET', url, headers: {}, body: null });
  });

  it('goes to the input text when the config has no URL', async () => {
    expect((await requestOf({}, url)).url).toBe(url);
    await expect(requestOf({})).rejects.toMatchObject({ code: 'config', message: expect.stringContaining("'url'") });
  });

  it.each([
    ['https://api.example/{{ trigger.payload.id }}', true],
    [' HTTP://api.example', true],
    ['{{ trigger.payload.url }}', true],
    ['{{ trigger.payload.host }}:80', true],
    ['ftp://x', false],
    ['ftp://{{ trigger.payload.host }}', false],
    ['api.example', false],
  ])('to %s must begin with http or https, or fails the check: %s', (address, isRight) => {
    const issue = { path: ['url'], severity: 'error', message: 'must begin with http:// or https://' };
    expect(httpRequest.issues?.({ url: address })).toEqual(isRight ? [] : [issue]);
  });

  it('has a warning for a body without a method', () => {
    const { issues } = httpRequest;
    expect(issues?.({ url, body: 'x' })).toMatchObject([{ path: ['body'], severity: 'warning' }]);
    for (const config of [{ url }, { url, body: null }, { url, method: 'POST', body: 'x' }])
      expect(issues?.(config)).toEqual([]);
  });

  it('carries the idempotency key of its step unless it is a GET or HEAD or has its own key', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', '{{ trigger.payload.method }}']) {
      expect((await requestOf({ url, method })).headers).toEqual({ 'idempotency-key': testKey });
    }
    expect((await requestOf({ url, method: 'HEAD' })).headers).toEqual({});
    const own = await requestOf({
      url,
      method: 'POST',
      headers: { 'Idempotency-Key': 'order {{ trigger.payload.id }}' },
    });
    expect(own.headers).toEqual({ 'idempotency-key': 'order 7' });
  });

  it('sends lists and objects as JSON, and text as it is', async () => {
    const object = await requestOf({ url, method: 'POST', body: { id: '{{ trigger.payload.id }}' } });
    expect(object.body).toBe('{"id":7}');
    expect(object.headers['content-type']).toBe('application/json');
    const text = await requestOf({ url, method: 'POST', body: 'id {{ trigger.payload.id }}' });
    expect(text.body).toBe('id 7');
    expect(text.headers['content-type']).toBe('text/plain; charset=utf-8');
    const own = await requestOf({ url, body: 'a=1', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
    expect(own.headers).toEqual({ 'content-type': 'application/x-www-form-urlencoded' });
  });

  it('has its query in the URL, percent-encoded', async () => {
    const query = { q: 'a&b=c d', n: '{{ trigger.payload.id }}', tag: '{{ trigger.payload.list }}', no: null };
    expect((await requestOf({ url, query })).url).toBe(`${url}?q=a%26b%3Dc%20d&n=7&tag=a&tag=b`);
  });

  it.each<[string, JsonObject]>([
    ['a method that is none', { method: '{{ trigger.payload.id }}' }],
    ['a header of the connection', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['two headers of one name', { headers: { 'X-A': '1', 'x-a': '2' } }],
    ['a host', { headers: { Host: 'other.example' } }],
    ['a second header line', { headers: { a: 'b\r\nc: d' } }],
    ['an object in the query', { query: { a: {} } }],
    ['an address that is no text', { url: '{{ trigger.payload.list }}' }],
    ['an undecided accept_errors', { accept_errors: '{{ trigger.payload.nothing }}' }],
  ])('is never sent with %s', async (_what, config) => {
    await expect(perform(httpRequest, { config: { url, ...config }, names })).rejects.toMatchObject({ code: 'config' });
  });
});

describe('the response', () => {
  it('is a value, text or a file, depending on its content type', async () => {
    expect(await outputsOf(answering(200, '{"a": [1]}', json))).toEqual({
      result: { a: [1] },
      status: 200,
      headers: json,
    });
    const problem = { 'content-type': 'application/problem+json' };
    expect((await outputsOf(answering(200, '1', problem))).result).toBe(1);
    for (const type of ['text/html', 'application/xml', 'image/svg+xml']) {
      expect((await outputsOf(answering(200, '<a/>', { 'content-type': type }))).result).toBe('<a/>');
    }
    expect((await outputsOf(answering(200, 'plain'))).result).toBe('plain');
    expect((await outputsOf(answering(200, 'PDF', { 'content-type': 'application/pdf' }))).result).toEqual({
      name: 'v1',
      content_type: 'application/pdf',
      size: 3,
      base64: 'UERG',
    });
  });

  it('is read as configured', async () => {
    expect((await outputsOf(answering(200, '{}', json), { response: 'text' })).result).toBe('{}');
    expect((await outputsOf(answering(200, '{}'), { response: 'json' })).result).toEqual({});
    expect((await outputsOf(answering(200, '{}', json), { response: 'file' })).result).toMatchObject({ size: 2 });
  });

  it('names a file as the server does, without a path', async () => {
    const nameFor = async (disposition: string) => {
      const headers = { 'content-type': 'image/png', 'content-disposition': disposition };
      return ((await outputsOf(answering(200, 'x', headers))).result as JsonObject).name;
    };
    expect(await nameFor('attachment; filename="a b.png"')).toBe('a b.png');
    expect(await nameFor('attachment; filename=a.png; size=1')).toBe('a.png');
    expect(await nameFor('attachment; filename="../../etc/passwd"')).toBe('passwd');
    expect(await nameFor('inline')).toBe('v1');
    const bare = await outputsOf(answering(200, 'x'), { url: 'https://api.example/?a=/b', response: 'file' });
    expect(bare.result).toMatchObject({ name: 'file', content_type: 'application/octet-stream' });
  });

  it('is null without a body, whatever its type', async () => {
    expect((await outputsOf(answering(204, '', json))).result).toBe(null);
  });

  it('fails the step when it is invalid JSON or too deeply nested', async () => {
    await expect(outputsOf(answering(200, '<html>', json))).rejects.toMatchObject({ code: 'input' });
    const deep = '['.repeat(65) + ']'.repeat(65);
    await expect(outputsOf(answering(200, deep, json))).rejects.toMatchObject({ code: 'input' });
    await expect(outputsOf(answering(200, '['.repeat(500_000), json))).rejects.toMatchObject({ code: 'input' });
  });

  it('has the last value of a repeated name', async () => {
    expect((await outputsOf(answering(200, '{"a": 1, "b": 2, "a": 3}', json))).result).toEqual({ a: 3, b: 2 });
  });

  it('treats keys such as __proto__ as plain keys', async () => {
    const { result } = await outputsOf(answering(200, '{"__proto__": {"polluted": true}}', json));
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as JsonObject).polluted).toBeUndefined();
  });
});

describe('a response of status 400 or more', () => {
  it.each([
    [400, false],
    [404, false],
    [408, true],
    [409, false],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
  ])('fails the step: %i, retryable: %s', async (status, retryable) => {
    await expect(outputsOf(answering(status, ''))).rejects.toMatchObject({ code: 'http_status', retryable });
  });

  it('is retried at the time that the server requests, within an hour', async () => {
    const after = (seconds: string) => outputsOf(answering(503, '', { 'retry-after': seconds }));
    await expect(after('7')).rejects.toMatchObject({ retryable: true, retryAfterMs: 7000 });
    await expect(after('86400')).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
    await expect(outputsOf(answering(503, ''))).rejects.toMatchObject({ retryAfterMs: 0 });
  });

  it("has an error with the server's message, without any part of the URL that may be a key", async () => {
    const config = { method: 'POST', url: 'https://api.example/v1/hooks/T0K3N55ECRET/orders/1042?token=secret' };
    await expect(outputsOf(answering(422, '{"error": "no name"}', json), config)).rejects.toMatchObject({
      message:
        'The server responded with 422 to POST https://api.example/v1/hooks/****/orders/1042: {"error": "no name"}',
    });
    await expect(outputsOf(answering(500, 'x'.repeat(10_000)))).rejects.toThrow(/^.{0,400}$/);
  });

  it('is a normal result when errors are accepted', async () => {
    for (const accept_errors of [true, '{{ trigger.payload.flag }}']) {
      expect(await outputsOf(answering(404, 'gone'), { accept_errors })).toMatchObject({ status: 404, result: 'gone' });
    }
  });
});

describe('a response of status 200 that contains an error', () => {
  const answer = (body: JsonObject) => answering(200, JSON.stringify(body), json);

  it('is a result, because the status decides by default', async () => {
    const errors = [{ message: 'Unknown field' }];
    expect(await outputsOf(answer({ errors }))).toMatchObject({ status: 200, result: { errors } });
  });

  it.each<[string, JsonObject, string]>([
    ['errors', { data: null, errors: [{ message: 'Unknown field' }] }, '[{"message":"Unknown field"}]'],
    ['error', { ok: false, error: 'channel_not_found' }, 'channel_not_found'],
    ['status.error', { status: { error: true } }, 'true'],
    ['results[0].error', { results: [{ error: { code: 7 } }] }, '{"code":7}'],
  ])('fails the step with error_path %s and %j', async (error_path, body, shown) => {
    await expect(outputsOf(answer(body), { error_path })).rejects.toMatchObject({
      code: 'http_error',
      retryable: false,
      message: `The response has an error at '${error_path}': ${shown}`,
    });
  });

  it.each<JsonObject>([
    {},
    { errors: null },
    { errors: [] },
    { errors: {} },
    { errors: '' },
    { errors: false },
    { errors: 0 },
  ])('has none with the body %j', async (body) => {
    expect(await outputsOf(answer(body), { error_path: 'errors' })).toMatchObject({ result: body });
  });

  it('is not checked if the body is no object, or the status is accepted', async () => {
    expect(await outputsOf(answering(204, '', json), { error_path: 'errors.first' })).toMatchObject({ result: null });
    expect(await outputsOf(answering(200, 'OK'), { error_path: 'errors' })).toMatchObject({ result: 'OK' });
    const unprocessable = answering(422, '{"errors": [1]}', json);
    expect(await outputsOf(unprocessable, { error_path: 'errors', accept_errors: true })).toMatchObject({
      status: 422,
    });
  });

  it('fails the step on any page', async () => {
    const config = {
      error_path: 'error',
      pagination: { by: 'cursor', next: 'next', parameter: 'after', items: 'items' },
    };
    let pages = 0;
    const http = () => {
      pages += 1;
      return answer(pages === 1 ? { items: [1], next: 'b' } : { error: 'cursor expired' })();
    };
    await expect(outputsOf(http, config)).rejects.toMatchObject({
      code: 'http_error',
      message: "The response has an error at 'error': cursor expired",
    });
  });

  it('has a short excerpt of a long error', async () => {
    await expect(outputsOf(answer({ error: 'x'.repeat(10_000) }), { error_path: 'error' })).rejects.toThrow(
      /^.{0,400}$/,
    );
  });

  it('needs a path, and a response that is read as JSON', () => {
    expect(httpRequest.issues?.({ url, error_path: 'errors' })).toEqual([]);
    expect(httpRequest.issues?.({ url, error_path: 'errors[' })).toMatchObject([
      { path: ['error_path'], severity: 'error' },
    ]);
    expect(httpRequest.issues?.({ url, error_path: 'errors', response: 'text' })).toMatchObject([
      { path: ['error_path'], severity: 'error', message: "needs a response that is read as 'json'" },
    ]);
  });
});

import { credential, dslExport } from '@millrace/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startLocalApp } from '../support/local-app.ts';
import { Remote } from '../support/remote.ts';
import { addRequesting, addToolCredential, runRequesting } from '../support/requesting.ts';
import type { WholeApp } from '../support/whole-app.ts';

const path = '/api/v1/credentials/';
const secret = 'a-secret-of-some-length';

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
function newSlug(): string {
  workflows += 1;
  return `wf-${workflows}`;
}

function bearer(hosts: readonly string[] = [remote.origin]) {
  return { scheme: 'bearer', token: secret, allowed_hosts: hosts };
}

/** The result of one request with this credential and this config of the node. */
async function sendWith(credentialId: number | null, config: object = {}) {
  const slug = newSlug();
  await addRequesting(api, { slug, credentialId, config: { url: `${remote.origin}/v1?a=1`, ...config } });
  return runRequesting(api, slug);
}

describe('a request with a tool credential', () => {
  test.each([
    [{ scheme: 'bearer', token: secret }, { authorization: `Bearer ${secret}` }, '/v1?a=1'],
    [
      { scheme: 'basic', username: 'me', password: 'pässword' },
      { authorization: `Basic ${Buffer.from('me:pässword').toString('base64')}` },
      '/v1?a=1',
    ],
    [{ scheme: 'header', name: 'X-Api-Key', secret }, { 'x-api-key': secret }, '/v1?a=1'],
    [{ scheme: 'query', name: 'api key', secret: 'a b&c' }, {}, '/v1?a=1&api%20key=a%20b%26c'],
  ])('authenticates as configured by %j', async (auth, headers, url) => {
    const id = await addToolCredential(api, { ...auth, allowed_hosts: [remote.origin] });
    expect(await sendWith(id)).toMatchObject({ status: 'completed', output: { result: { ok: true } } });
    expect(remote.received).toMatchObject([{ url, headers }]);
    if (!('authorization' in headers)) expect(remote.received[0]?.headers).not.toHaveProperty('authorization');
  });

  test('shows its secret nowhere, even if the server repeats it', async () => {
    remote.answer = (request, response) => response.end(JSON.stringify({ seen: request.headers.authorization }));
    const id = await addToolCredential(api, bearer());
    expect(await sendWith(id)).toMatchObject({ output: { result: { seen: 'Bearer ****' } } });
  });

  test('receives files unchanged, byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    remote.answer = (_request, response) => void response.setHeader('content-type', 'image/png').end(bytes);
    const { output } = await sendWith(await addToolCredential(api, bearer()));
    expect(output).toMatchObject({ result: { base64: bytes.toString('base64'), size: 256 } });
  });

  test('is sent without it after the credential was removed from the node', async () => {
    expect(await sendWith(null)).toMatchObject({ status: 'completed' });
    expect(remote.received[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('an unusable credential of a request', () => {
  test('is a deleted one: the step fails before anything is sent', async () => {
    const id = await addToolCredential(api, bearer());
    await addRequesting(api, { slug: 'gone', credentialId: id, config: { url: remote.origin } });
    await api.delete(`${path}${id}/`);
    expect(await runRequesting(api, 'gone')).toMatchObject({
      code: 'credential_missing',
      error: `Node 'get' uses credential ${id}, which does not exist: choose another in its credential_id.`,
    });
    expect(remote.received).toEqual([]);
  });

  test('is one of another type', async () => {
    const { body } = await api.post(path, { name: 'Git', credential_type: 'git' });
    const { id } = credential.parse(body);
    const error = expect.stringContaining("which is of type 'git' and not 'tool'");
    expect(await sendWith(id)).toMatchObject({ code: 'credential_unfit', error });
  });

  test.each([
    [{}, 'config.scheme: Field required'],
    [{ scheme: 'oauth' }, 'config.scheme'],
    [{ scheme: 'bearer', token: secret }, 'config.allowed_hosts: Field required'],
    [{ ...{ scheme: 'bearer', token: secret }, allowed_hosts: [] }, 'config.allowed_hosts'],
    [{ scheme: 'bearer', token: secret, allowed_hosts: ['*.example.com'] }, 'config.allowed_hosts.0: must be a host'],
    [{ scheme: 'bearer', token: '', allowed_hosts: ['a.example'] }, 'config.token'],
    [{ scheme: 'bearer', token: secret, apiKey: secret, allowed_hosts: ['a.example'] }, "Unknown key 'apiKey'"],
    [{ scheme: 'header', name: 'Host', secret, allowed_hosts: ['a.example'] }, 'config.name'],
  ])('is one whose config is %j', async (config, words) => {
    const result = await sendWith(await addToolCredential(api, config));
    expect(result).toMatchObject({ code: 'credential_unfit', error: expect.stringContaining(words) });
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(remote.received).toEqual([]);
  });

  test('is one that is not for this host, and no further attempt is made', async () => {
    const { port, hostname } = new URL(remote.origin);
    for (const other of ['api.example.com', 'http://127.0.0.1:1', `https://${hostname}:${port}`, 'http://127.0.0.1']) {
      const id = await addToolCredential(api, bearer([other]));
      const result = await sendWith(id, { retry: { max_attempts: 3, delay_ms: 1 } });
      const error = `Node 'get' sends to ${remote.origin}, which the allowed_hosts of credential ${id} do not name.`;
      expect(result).toMatchObject({ code: 'credential_origin', error, attempts: 1 });
    }
    expect(remote.received).toEqual([]);
  });

  test.each([
    [{ scheme: 'bearer', token: secret }, { headers: { AUTHORIZATION: 'Bearer mine' } }, "the header 'authorization'"],
    [{ scheme: 'header', name: 'X-Key', secret }, { headers: { 'x-key': 'mine' } }, "the header 'x-key'"],
    [{ scheme: 'query', name: 'key', secret }, { query: { key: 'mine' } }, "'key' in the query"],
  ])('is one that sets what the node also sets: %j', async (auth, config, what) => {
    const id = await addToolCredential(api, { ...auth, allowed_hosts: [remote.origin] });
    const error = `Node 'get' sends ${what}, which credential ${id} sets, too: take it out of the node.`;
    expect(await sendWith(id, config)).toMatchObject({ code: 'config', error });
    expect(remote.received).toEqual([]);
  });
});

describe('a host that is added to the allowed hosts', () => {
  const locked = { code: 'credential_locked', error: expect.stringContaining('enter its config.token again') };

  async function changed(id: number, config: object) {
    const { status, text } = await api.patch(`${path}${id}/`, { detail: { config } });
    expect([status, text]).toEqual([200, text]);
    return sendWith(id);
  }

  test('receives the secret only if the secret is entered again with it', async () => {
    const id = await addToolCredential(api, bearer(['api.example.com']));
    expect(await changed(id, { allowed_hosts: [remote.origin] })).toMatchObject(locked);
    expect(await changed(id, { token: 'a-se****ngth' })).toMatchObject(locked);
    expect(await changed(id, { token: '****' })).toMatchObject(locked);
    // A key that differs only in case is a different key.
    await api.patch(`${path}${id}/`, { detail: { config: { Token: 'x', TOKEN: 'y' } } });
    expect(await changed(id, { Token: null, TOKEN: null })).toMatchObject(locked);
    expect(await changed(id, { token: secret })).toMatchObject({ status: 'completed' });
  });

  test('does not affect the hosts that were allowed before', async () => {
    const id = await addToolCredential(api, bearer());
    expect(await changed(id, { allowed_hosts: ['api.example.com', remote.origin] })).toMatchObject({
      status: 'completed',
    });
    expect(await changed(id, { allowed_hosts: ['api.example.com'] })).toMatchObject({ code: 'credential_origin' });
    expect(await changed(id, { allowed_hosts: [remote.origin] })).toMatchObject({ status: 'completed' });
  });

  test('does not receive a secret that was entered before there were any hosts', async () => {
    const id = await addToolCredential(api, { scheme: 'bearer', token: secret });
    expect(await changed(id, { allowed_hosts: [remote.origin] })).toMatchObject(locked);
  });

  test('does not receive the secret through an intermediate invalid config', async () => {
    const id = await addToolCredential(api, bearer(['api.example.com']));
    expect(await changed(id, { scheme: 'header' })).toMatchObject({ code: 'credential_unfit' });
    expect(await changed(id, { allowed_hosts: null })).toMatchObject({ code: 'credential_unfit' });
    expect(await changed(id, { scheme: 'bearer', allowed_hosts: [remote.origin] })).toMatchObject(locked);
  });

  test('is not affected if a credential is read and sent back', async () => {
    const id = await addToolCredential(api, bearer());
    const read = credential.parse((await api.get(`${path}${id}/`)).body);
    expect(read.detail).toMatchObject({ config: { ...bearer(), token: 'a-se****ngth' } });
    expect((await api.patch(`${path}${id}/`, { detail: read.detail })).status).toBe(200);
    expect(await sendWith(id)).toMatchObject({ status: 'completed' });
  });
});

describe('a redirect', () => {
  test.each([
    [{ scheme: 'bearer', token: secret }],
    [{ scheme: 'basic', username: 'me', password: secret }],
    [{ scheme: 'header', name: 'X-Key', secret }],
    [{ scheme: 'query', name: 'key', secret }],
  ])('within its origin is followed with the secret of %j, to another origin without it', async (auth) => {
    const other = await Remote.start();
    const id = await addToolCredential(api, { ...auth, allowed_hosts: [remote.origin, other.origin] });
    const steps = ['/next', `${other.origin}/end`];
    remote.answer = (_request, response) => response.writeHead(307, { location: steps.shift() ?? '/lost' }).end();
    expect(await sendWith(id)).toMatchObject({ status: 'completed' });
    const [asWas] = remote.received;
    const own = asWas?.headers;
    expect(remote.received).toHaveLength(2);
    expect(remote.received[1]?.headers).toEqual(own);
    expect(remote.received[1]?.url).toBe(auth.scheme === 'query' ? `/next?key=${secret}` : '/next');
    expect(other.received.map(({ url }) => url)).toEqual(['/end']);
    expect(JSON.stringify(other.received)).not.toContain(secret);
    expect(Object.keys(other.received[0]?.headers ?? {})).not.toContain('authorization');
  });

  test.each([
    [{ scheme: 'bearer', token: secret }],
    [{ scheme: 'query', name: 'key', secret }],
  ])('through another origin back to its own is followed without the secret of %j', async (auth) => {
    const other = await Remote.start();
    other.answer = (_request, response) =>
      response.writeHead(307, { location: `${remote.origin}/transfer?to=other` }).end();
    const steps = [`${other.origin}/`, '/again'];
    remote.answer = (_request, response) => {
      const location = steps.shift();
      return location === undefined ? response.end('{}') : response.writeHead(307, { location }).end();
    };
    const id = await addToolCredential(api, { ...auth, allowed_hosts: [remote.origin, other.origin] });
    expect(await sendWith(id)).toMatchObject({ status: 'completed' });
    expect(remote.received.map(({ url }) => url?.split('?')[0])).toEqual(['/v1', '/transfer', '/again']);
    expect(JSON.stringify(remote.received[0])).toContain(secret);
    expect(JSON.stringify([remote.received.slice(1), other.received])).not.toContain(secret);
  });
});

describe('a redirect with the secret in its URL', () => {
  const odd = 'abc/def+ghi==12345';
  const schemes = [
    { scheme: 'bearer', token: odd },
    { scheme: 'basic', username: 'me', password: odd },
    { scheme: 'header', name: 'X-Key', secret: odd },
    { scheme: 'query', name: 'key', secret: odd },
  ];
  const ways: readonly (readonly [string, (url: string, origin: string) => string])[] = [
    ['in another query parameter', (_url, origin) => `${origin}/?access_token=${encodeURIComponent(odd)}`],
    ['in the path', (_url, origin) => `${origin}/${odd}`],
    [
      'in a URL inside the URL',
      (_url, origin) => `${origin}/?to=${encodeURIComponent(`/?k=${encodeURIComponent(odd)}`)}`,
    ],
    [
      'in base64',
      (_url, origin) => `${origin}/?auth=${encodeURIComponent(Buffer.from(`me:${odd}`).toString('base64'))}`,
    ],
    ['in the fragment', (_url, origin) => `${origin}/#${odd}`],
  ];
  test.each([
    ...schemes.flatMap((auth) => ways.map(([where, lead]) => ({ auth, where, lead }))),
    ...['unchanged', 'short and unchanged'].map((where) => ({
      auth: { scheme: 'query', name: 'key', secret: where === 'unchanged' ? odd : 'short' },
      where,
      lead: (url: string, origin: string) => origin + url,
    })),
  ])('to another origin is not followed: $auth.scheme, $where', async ({ auth, lead }) => {
    const other = await Remote.start();
    remote.answer = ({ url = '' }, response) => response.writeHead(302, { location: lead(url, other.origin) }).end();
    const result = await sendWith(await addToolCredential(api, { ...auth, allowed_hosts: [remote.origin] }));
    expect(result).toMatchObject({ code: 'http_blocked', error: expect.stringContaining('with the secret') });
    expect(JSON.stringify(result)).not.toContain(odd);
    expect(other.received).toEqual([]);
  });

  test.each([
    ['sk-Abcdefgh123456', 'http://sk-Abcdefgh123456.invalid/'],
    ['2130706433', 'http://2130706433:1/'],
  ])('in the host name %s is not followed, and the host is not shown', async (host, location) => {
    remote.answer = (_request, response) => response.writeHead(302, { location }).end();
    const config = { scheme: 'header', name: 'X-Key', secret: host, allowed_hosts: [remote.origin] };
    const result = await sendWith(await addToolCredential(api, config));
    expect(result).toMatchObject({ code: 'http_blocked', error: expect.stringContaining('with the secret') });
    expect(JSON.stringify(result).toLowerCase()).not.toContain(host.toLowerCase());
  });

  test('is different from one with its own value in a parameter of the same name, which is followed', async () => {
    const other = await Remote.start();
    const location = `${other.origin}/file?token=signed-by-the-other`;
    remote.answer = (_request, response) => response.writeHead(302, { location }).end();
    const config = { scheme: 'query', name: 'token', secret, allowed_hosts: [remote.origin] };
    expect(await sendWith(await addToolCredential(api, config))).toMatchObject({ status: 'completed' });
    expect(other.received).toMatchObject([{ url: '/file?token=signed-by-the-other' }]);
  });

  test('within its origin contains it once', async () => {
    remote.answer = ({ url = '' }, response) =>
      url.startsWith('/v1')
        ? response.writeHead(302, { location: `/next${url.slice(url.indexOf('?'))}` }).end()
        : response.end();
    const config = { scheme: 'query', name: 'key', secret, allowed_hosts: [remote.origin] };
    expect(await sendWith(await addToolCredential(api, config))).toMatchObject({ status: 'completed' });
    expect(remote.received[1]?.url).toBe(`/next?a=1&key=${secret}`);
  });
});

describe('the validation of a workflow', () => {
  async function issueOf(credentialId: number, config: object) {
    const slug = newSlug();
    await addRequesting(api, { slug, credentialId, config });
    const { body } = await api.post(`/api/v1/workflows/${slug}/validate/`);
    const { issues } = body as { issues: readonly { code: string }[] };
    return issues.find(({ code }) => code === 'unusable_credential');
  }

  test.each([
    [{ url: 'https://other.example/{{ run.id }}' }, 'may not be sent to https://other.example: its allowed_hosts do'],
    [{ headers: { Authorization: '{{ run.id }}' } }, "sets the header 'authorization', as the node does itself"],
  ])('reports a bearer token that does not fit the request: %j', async (config, words) => {
    const id = await addToolCredential(api, bearer());
    const message = expect.stringContaining(`Node 'get' names credential ${id}, which ${words}`);
    const wanted = { severity: 'warning', node_id: 'get', field: 'credential_id', message };
    expect(await issueOf(id, { url: `${remote.origin}/`, ...config })).toMatchObject(wanted);
  });

  test('reports nothing for a text with a usable credential, in every way to check the text', async () => {
    const id = await addToolCredential(api, bearer());
    const slug = newSlug();
    await addRequesting(api, { slug, credentialId: id, config: { url: `${remote.origin}/` } });
    const { yaml_str } = dslExport.parse((await api.get(`/api/v1/workflows/${slug}/export/`)).body);
    const sound = { issues: [] };
    expect((await api.post('/api/v1/workflows/validate-dsl/', { yaml_str })).body).toMatchObject(sound);
    for (const other of [undefined, newSlug()]) {
      const { body } = await api.post('/api/v1/workflows/import/', { yaml_str, slug: other });
      expect(body).toMatchObject(sound);
    }
    expect((await api.post(`/api/v1/workflows/${slug}/validate/`)).body).toMatchObject(sound);
  });

  test('reports the same for a text as for the workflow', async () => {
    const id = await addToolCredential(api, bearer(['api.example.com']));
    const slug = newSlug();
    await addRequesting(api, { slug, credentialId: id, config: { url: `${remote.origin}/` } });
    const { yaml_str } = dslExport.parse((await api.get(`/api/v1/workflows/${slug}/export/`)).body);
    const message = expect.stringContaining(`may not be sent to ${remote.origin}`);
    const issues = [{ code: 'unusable_credential', node_id: 'get', message }];
    expect((await api.post('/api/v1/workflows/validate-dsl/', { yaml_str })).body).toMatchObject({ issues });
    expect((await api.post(`/api/v1/workflows/${slug}/validate/`)).body).toMatchObject({ issues });
  });

  test.each([
    { query: { authorization: 1 } },
    { url: 'https://{{ run.id }}.example' },
    { url: '{{ run.id }}' },
    { url: undefined },
  ])('reports nothing that it cannot know: %j', async (config) => {
    const id = await addToolCredential(api, bearer());
    expect(await issueOf(id, { url: `${remote.origin}/`, ...config })).toBeUndefined();
  });

  test.each([
    { query: { key: 1 } },
    { url: 'https://a.example/?a=1&key=2#key' },
    { url: 'https://a.example/?k%65y={{ run.id }}' },
  ])('reports a query that already contains the key: %j', async (config) => {
    const id = await addToolCredential(api, { scheme: 'query', name: 'key', secret, allowed_hosts: ['a.example'] });
    const message = expect.stringContaining("which sets 'key' in the query, as the node does itself");
    expect(await issueOf(id, { url: 'https://a.example/', ...config })).toMatchObject({ message });
  });

  test('reports nothing for a name that an expression may continue', async () => {
    const id = await addToolCredential(api, { scheme: 'query', name: 'key', secret, allowed_hosts: ['a.example'] });
    expect(await issueOf(id, { url: 'https://a.example/?a=1&key{{ run.id }}=2' })).toBeUndefined();
  });

  test.each([
    'api.example.com:99999',
    '[::1',
    '127.0.0.1:8080:1',
    '<script>',
  ])('reports that %s is not a host, even if another host is allowed', async (host) => {
    const id = await addToolCredential(api, bearer([remote.origin, host]));
    const message = expect.stringContaining(`which has '${host}' in its allowed_hosts, which is not a host`);
    expect(await issueOf(id, { url: `${remote.origin}/` })).toMatchObject({ message });
  });

  test('reports an incomplete config, and a wrong type', async () => {
    const unsaid = 'which does not say how to authenticate (config.token: Field required): fix it, or set another';
    const id = await addToolCredential(api, { scheme: 'bearer' });
    expect(await issueOf(id, {})).toMatchObject({ message: expect.stringContaining(unsaid) });
    const { body } = await api.post(path, { name: 'Git', credential_type: 'git' });
    const message = expect.stringContaining("which is of type 'git' and not 'tool': set its credential_id");
    expect(await issueOf(credential.parse(body).id, {})).toMatchObject({ message });
  });
});

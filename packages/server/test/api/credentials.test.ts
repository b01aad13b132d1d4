import { credential } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startTestApp } from '../support/app.ts';

const path = '/api/v1/credentials/';
const key = 'sk-1234567890-abcdef';
const keyMask = 'sk-1****cdef';

let api: TestApp;
beforeEach(async () => {
  api = await startTestApp();
});

async function make(credentialType: string, detail?: unknown, name = 'Mine'): Promise<number> {
  const { status, text, body } = await api.post(path, { name, credential_type: credentialType, detail });
  expect([status, text]).toEqual([201, text]);
  return credential.parse(body).id;
}

async function detailOf(id: number): Promise<unknown> {
  return credential.parse((await api.get(`${path}${id}/`)).body).detail;
}

const defaults = {
  llm: {
    provider_type: 'provider_a_compatible',
    api_key: '',
    base_url: '',
    organization_id: '',
    custom_headers: {},
  },
  chat_bot: { bot_token: '', allowed_user_ids: '' },
  git: {
    provider: 'git_host_a',
    credential_type: 'token',
    username: '',
    ssh_private_key: '',
    access_token: '',
    webhook_secret: '',
  },
  tool: { tool_type: 'api', config: {} },
};

describe('POST credentials', () => {
  it('rejects the credential after the thousandth until one is deleted', async () => {
    const ids = [];
    for (let index = 0; index < 1000; index += 1) ids.push(await make('git', {}, `credential ${index}`));
    const answer = await api.post(path, { name: 'one more', credential_type: 'git' });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      detail: [{ type: 'too_many', loc: ['body'], msg: 'There are 1000 credentials: delete one first.' }],
    });
    expect((await api.delete(`${path}${ids[0]}/`)).status).toBe(204);
    await make('git', {}, 'one more');
  });

  it.each(
    Object.entries(defaults),
  )('creates one of type %s with the defaults of the specification', async (type, detail) => {
    const answer = await api.post(path, { name: 'Mine', credential_type: type });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.any(Number),
      name: 'Mine',
      credential_type: type,
      detail,
      created_at: '2026-01-01T00:00:00.000000',
      updated_at: '2026-01-01T00:00:00.000000',
    });
    expect((await api.post(path, { name: 'Mine', credential_type: type, detail: {} })).body).toMatchObject({ detail });
  });

  it('masks every secret and shows the rest', async () => {
    const ids = [
      await make('llm', {
        provider_type: 'provider_b',
        api_key: key,
        base_url: 'https://llm.example/v1',
        organization_id: 'org-1234567890',
        custom_headers: { 'X-Team': 'a-long-enough-value', 'X-Short': 'short' },
      }),
      await make('chat_bot', { bot_token: '123456:ABCDEFGH', allowed_user_ids: '1,2' }),
      await make('git', {
        provider: 'another-host',
        credential_type: 'ssh',
        username: 'a-user-with-a-name',
        ssh_private_key: '-----BEGIN KEY-----\nabc\n-----END KEY-----\n',
        access_token: 'token-of-eleven'.slice(0, 11),
        webhook_secret: 'twelve-chars'.slice(0, 12),
      }),
      await make('tool', {
        tool_type: 'search',
        config: {
          url: 'https://a.example',
          apiKey: key,
          nested: [{ Password: 'short', max_tokens: 5 }],
          tokens: [key],
        },
      }),
    ];
    expect(await Promise.all(ids.map(detailOf))).toEqual([
      {
        provider_type: 'provider_b',
        api_key: keyMask,
        base_url: 'https://llm.example/v1',
        organization_id: 'org-1234567890',
        custom_headers: { 'X-Team': 'a-lo****alue', 'X-Short': '****' },
      },
      { bot_token: '1234****EFGH', allowed_user_ids: '1,2' },
      {
        provider: 'another-host',
        credential_type: 'ssh',
        username: 'a-user-with-a-name',
        ssh_private_key: '****',
        access_token: '****',
        webhook_secret: 'twel****hars',
      },
      {
        tool_type: 'search',
        config: {
          url: 'https://a.example',
          apiKey: keyMask,
          nested: [{ Password: '****', max_tokens: 5 }],
          tokens: [keyMask],
        },
      },
    ]);
  });

  it('ignores unknown keys of the body', async () => {
    expect((await api.post(path, { name: 'x', credential_type: 'tool', id: 5, owner: 'me' })).status).toBe(201);
  });
});

describe('a credential is rejected, with the path of the error', () => {
  it.each([
    [{ name: 'x' }, { type: 'missing', loc: ['body', 'credential_type'], msg: 'Field required' }],
    [{ name: 'x', credential_type: 'bank' }, { msg: 'must be one of "llm", "chat_bot", "git", "tool"' }],
    [[], { type: 'invalid_type', loc: ['body'], msg: 'must be an object, not a list' }],
    [null, { type: 'invalid_type', loc: ['body'], msg: 'must be an object, not null' }],
  ])('and with the same messages as in other requests: %j', async (body, issue) => {
    expect(await api.post(path, body)).toMatchObject({ status: 422, body: { detail: [issue] } });
  });

  it.each([
    [{ credential_type: 'llm' }, ['name']],
    [{ name: 'x' }, ['credential_type']],
    [{ name: '', credential_type: 'llm' }, ['name']],
    [{ name: null, credential_type: 'llm' }, ['name']],
    [{ name: 5, credential_type: 'llm' }, ['name']],
    [{ name: 'x', credential_type: 'bank' }, ['credential_type']],
    [{ name: 'x', credential_type: null }, ['credential_type']],
    [{ name: 'x', credential_type: 'llm', detail: null }, ['detail']],
    [{ name: 'x', credential_type: 'llm', detail: [] }, ['detail']],
    [{ name: 'x', credential_type: 'llm', detail: { bot_token: 'x' } }, ['detail', 'bot_token']],
    [{ name: 'x', credential_type: 'llm', detail: { api_key: null } }, ['detail', 'api_key']],
    [{ name: 'x', credential_type: 'llm', detail: { api_key: 5 } }, ['detail', 'api_key']],
    [{ name: 'x', credential_type: 'llm', detail: { api_key: 'a\r\nx-b: c' } }, ['detail', 'api_key']],
    [{ name: 'x', credential_type: 'llm', detail: { api_key: keyMask } }, ['detail', 'api_key']],
    [{ name: 'x', credential_type: 'llm', detail: { api_key: '****' } }, ['detail', 'api_key']],
    [{ name: 'x', credential_type: 'llm', detail: { provider_type: 'provider_c' } }, ['detail', 'provider_type']],
    [{ name: 'x', credential_type: 'llm', detail: { base_url: 'ftp://a.example' } }, ['detail', 'base_url']],
    [{ name: 'x', credential_type: 'llm', detail: { base_url: 'https://u:p@a.example' } }, ['detail', 'base_url']],
    [{ name: 'x', credential_type: 'llm', detail: { base_url: 'https://a.example/?q=1' } }, ['detail', 'base_url']],
    [{ name: 'x', credential_type: 'llm', detail: { base_url: 'https://a.example/#f' } }, ['detail', 'base_url']],
    [{ name: 'x', credential_type: 'llm', detail: { base_url: 'https://a.example:99999' } }, ['detail', 'base_url']],
    [{ name: 'x', credential_type: 'llm', detail: { base_url: 'https://a\\.example' } }, ['detail', 'base_url']],
    [{ name: 'x', credential_type: 'llm', detail: { custom_headers: null } }, ['detail', 'custom_headers']],
    [{ name: 'x', credential_type: 'llm', detail: { custom_headers: { a: null } } }, ['detail', 'custom_headers', 'a']],
    [
      { name: 'x', credential_type: 'llm', detail: { custom_headers: { a: 'b\nc' } } },
      ['detail', 'custom_headers', 'a'],
    ],
    [
      { name: 'x', credential_type: 'llm', detail: { custom_headers: { 'a b': 'c' } } },
      ['detail', 'custom_headers', 'a b'],
    ],
    [
      { name: 'x', credential_type: 'llm', detail: { custom_headers: { Host: 'c' } } },
      ['detail', 'custom_headers', 'Host'],
    ],
    [
      { name: 'x', credential_type: 'llm', detail: { custom_headers: { Cookie: 'c' } } },
      ['detail', 'custom_headers', 'Cookie'],
    ],
    [
      { name: 'x', credential_type: 'llm', detail: { custom_headers: { A: '1', a: '2' } } },
      ['detail', 'custom_headers', 'a'],
    ],
    [{ name: 'x', credential_type: 'git', detail: { credential_type: 'password' } }, ['detail', 'credential_type']],
    [{ name: 'x', credential_type: 'git', detail: { provider: '' } }, ['detail', 'provider']],
    [{ name: 'x', credential_type: 'tool', detail: { config: [] } }, ['detail', 'config']],
    [{ name: 'x', credential_type: 'tool', detail: { config: { a: 'x'.repeat(70_000) } } }, ['detail', 'config']],
  ])('%.80j', async (body, place) => {
    const answer = await api.post(path, body);
    expect([answer.status, answer.body]).toMatchObject([422, { detail: [{ loc: ['body', ...place] }] }]);
    expect((await api.get(path)).body).toEqual({ items: [], total: 0 });
  });
});

describe('GET credentials', () => {
  it('lists all of them to every user with a full key, newest first, in pages', async () => {
    const ids = [await make('llm'), await make('git'), await make('tool')];
    const visitor = await api.addUser('visitor');
    const list = await visitor.get(`${path}?limit=2&offset=1`);
    expect(list.body).toMatchObject({ items: [{ id: ids[1] }, { id: ids[0] }], total: 3 });
    expect((await visitor.get(`${path}?limit=1001`)).status).toBe(422);
    expect((await visitor.get(`${path}${ids[0]}`)).body).toMatchObject({ id: ids[0], credential_type: 'llm' });
  });

  it.each([
    '99',
    '0',
    '-1',
    'x',
    '1e3',
    '99999999999999999999',
  ])('answers 404 for %s, before it checks the body', async (id) => {
    const missing = { status: 404, body: { detail: 'Credential not found.' } };
    expect(await api.get(`${path}${id}/`)).toMatchObject(missing);
    expect(await api.patch(`${path}${id}/`, { name: null })).toMatchObject(missing);
    expect(await api.delete(`${path}${id}/`)).toMatchObject(missing);
  });
});

describe('PATCH a credential', () => {
  it('changes the given fields and nothing else', async () => {
    const id = await make('llm', { api_key: key, organization_id: 'org' });
    api.time.advance(1000);
    const { status, body } = await api.patch(`${path}${id}/`, { name: 'Ours', detail: { organization_id: 'other' } });
    expect([status, body]).toMatchObject([
      200,
      {
        name: 'Ours',
        detail: { ...defaults.llm, api_key: keyMask, organization_id: 'other' },
        created_at: '2026-01-01T00:00:00.000000',
        updated_at: '2026-01-01T00:00:01.000000',
      },
    ]);
  });

  it('never changes the type', async () => {
    const id = await make('llm');
    expect((await api.patch(`${path}${id}/`, { credential_type: 'git' })).body).toMatchObject({
      credential_type: 'llm',
    });
  });

  it('accepts another secret, clears one by an empty text, and rejects a mask that is not the current one', async () => {
    const id = await make('llm', { api_key: key });
    const change = (apiKey: string) => api.patch(`${path}${id}/`, { detail: { api_key: apiKey } });
    expect((await change('another-secret-key')).body).toMatchObject({ detail: { api_key: 'anot****-key' } });
    const stale = await change(keyMask);
    expect([stale.status, stale.text]).toEqual([422, expect.stringContaining('looks like a masked value')]);
    expect(await detailOf(id)).toMatchObject({ api_key: 'anot****-key' });
    expect((await change('')).body).toMatchObject({ detail: { api_key: '' } });
  });

  it('merges headers and configs key by key', async () => {
    const llm = await make('llm', { custom_headers: { 'X-A': 'first-header-value', 'X-B': 'other' } });
    await api.patch(`${path}${llm}/`, {
      detail: { custom_headers: { 'x-a': 'firs****alue', 'X-B': '', 'X-C': 'new' } },
    });
    expect(await detailOf(llm)).toMatchObject({ custom_headers: { 'x-a': 'firs****alue', 'X-C': '****' } });
    const tool = await make('tool', { config: { url: 'https://a.example', token: key, nested: { password: 'p' } } });
    await api.patch(`${path}${tool}/`, { detail: { config: { url: null, token: keyMask, nested: { on: true } } } });
    expect(await detailOf(tool)).toMatchObject({ config: { token: keyMask, nested: { password: '****', on: true } } });
  });

  it.each([
    [{ name: null }, ['name']],
    [{ detail: null }, ['detail']],
    [{ detail: { api_key: null } }, ['detail', 'api_key']],
    [{ detail: { access_token: 'x' } }, ['detail', 'access_token']],
    [{ detail: { custom_headers: { a: null } } }, ['detail', 'custom_headers', 'a']],
    [{ detail: { custom_headers: { a: '****' } } }, ['detail', 'custom_headers', 'a']],
  ])('rejects %j with the path of the error', async (body, place) => {
    const id = await make('llm', { api_key: key });
    const answer = await api.patch(`${path}${id}/`, body);
    expect([answer.status, answer.body]).toMatchObject([422, { detail: [{ loc: ['body', ...place] }] }]);
  });

  it('rejects more headers than allowed when they are added in steps', async () => {
    const id = await make('llm');
    const headers = (from: number) =>
      Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`x-${from + index}`, 'v']));
    const add = (from: number) => api.patch(`${path}${id}/`, { detail: { custom_headers: headers(from) } });
    expect((await add(0)).status).toBe(200);
    expect(await add(15)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'detail', 'custom_headers'] }] },
    });
  });

  it('applies both of two concurrent changes', async () => {
    const id = await make('git');
    const changes = [{ access_token: 'token' }, { username: 'user' }].map((detail) =>
      api.patch(`${path}${id}/`, { detail }),
    );
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await detailOf(id)).toMatchObject({ access_token: '****', username: 'user' });
  });
});

describe('many concurrent changes of one credential', () => {
  it('are all applied, and a rejected one does not stop the others', async () => {
    const id = await make('tool');
    const configs = Array.from({ length: 20 }, (_, index) =>
      index % 5 === 0 ? 'no object' : { [`field${index}`]: index },
    );
    const answers = await Promise.all(configs.map((config) => api.patch(`${path}${id}/`, { detail: { config } })));
    expect(answers.map(({ status }) => status)).toEqual(configs.map((config) => (config === 'no object' ? 422 : 200)));
    const given = Object.assign({}, ...configs.filter((config) => config !== 'no object'));
    expect(await detailOf(id)).toMatchObject({ config: given });
  });
});

describe('DELETE credentials', () => {
  it('deletes one, and the nodes that used it keep its id', async () => {
    const id = await make('llm');
    await api.post('/api/v1/workflows/', { name: 'Test', slug: 'wf' });
    const config = { llm_credential_id: id, credential_id: id };
    const node = { node_id: 'n', component_type: 'ai_model', config };
    await api.post('/api/v1/workflows/wf/nodes/', node);
    expect(await api.delete(`${path}${id}/`)).toMatchObject({ status: 204, text: '' });
    expect((await api.get('/api/v1/workflows/wf/nodes/n/')).body).toMatchObject({
      config: { llm_credential_id: id, credential_id: id },
    });
    expect((await api.get(`${path}${id}/`)).status).toBe(404);
  });

  it('deletes several; unknown ones are ignored', async () => {
    const ids = [await make('llm'), await make('git'), await make('tool')];
    const batch = (body: unknown) => api.post(`${path}batch-delete/`, body);
    expect(await batch({ ids: [ids[0], ids[1], 99, -5] })).toMatchObject({ status: 204, text: '' });
    expect((await api.get(path)).body).toMatchObject({ items: [{ id: ids[2] }], total: 1 });
    expect((await batch({ ids: [] })).status).toBe(204);
    for (const body of [{}, { ids: null }, { ids: ['1'] }, { ids: [1.5] }, { ids: Array(501).fill(1) }]) {
      expect((await batch(body)).status).toBe(422);
    }
  });
});

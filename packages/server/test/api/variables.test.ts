import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startTestApp } from '../support/app.ts';

const instance = '/api/v1/variables/';
const own = '/api/v1/workflows/flow/variables/';
const secret = { name: 'token', value: 'sk-1234567890-abcdef', is_secret: true, allowed_hosts: ['api.example'] };
const mask = 'sk-1****cdef';

let api: TestApp;
beforeEach(async () => {
  api = await startTestApp();
  await api.post('/api/v1/workflows/', { name: 'Flow', slug: 'flow' });
});

const owners = [
  ['the instance', instance],
  ['a workflow', own],
] as const;

describe.each(owners)('variables of %s', (_whose, path) => {
  it.each([1, 'text', null, true, [1, { a: 'b' }], { deep: { list: [] } }])('contain any JSON: %j', async (value) => {
    const created = await api.post(path, { name: 'x', value });
    expect([created.status, created.body]).toEqual([201, { name: 'x', value, is_secret: false }]);
    expect((await api.get(`${path}x/`)).body).toEqual({ name: 'x', value, is_secret: false });
  });

  it('are listed newest first, changed and deleted', async () => {
    for (const name of ['a', 'b', 'c']) await api.post(path, { name, value: name });
    expect((await api.get(`${path}?limit=2`)).body).toEqual({
      items: ['c', 'b'].map((name) => ({ name, value: name, is_secret: false })),
      total: 3,
    });
    expect((await api.patch(`${path}b/`, { value: 2 })).body).toEqual({ name: 'b', value: 2, is_secret: false });
    expect((await api.delete(`${path}b/`)).status).toBe(204);
    for (const answer of [
      await api.get(`${path}b/`),
      await api.patch(`${path}b/`, {}),
      await api.delete(`${path}b/`),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { detail: 'Variable not found.' } });
    }
    expect((await api.get(path)).body).toMatchObject({ total: 2 });
  });

  it('can be renamed, but not to a name that is taken', async () => {
    await api.post(path, { name: 'old', value: 1 });
    await api.post(path, { name: 'taken', value: 2 });
    await api.post(path, { name: 'key', value: 'a secret text', is_secret: true, allowed_hosts: ['api.example'] });
    const detail = "Variable 'taken' already exists.";
    expect(await api.patch(`${path}old/`, { name: 'taken' })).toMatchObject({ status: 409, body: { detail } });
    expect((await api.patch(`${path}old/`, { name: 'not a name' })).status).toBe(422);
    expect(await api.patch(`${path}old/`, { name: 'old' })).toMatchObject({ status: 200, body: { name: 'old' } });
    expect((await api.patch(`${path}old/`, { name: 'new' })).body).toEqual({ name: 'new', value: 1, is_secret: false });
    expect((await api.get(`${path}old/`)).status).toBe(404);
    const { value } = (await api.get(`${path}key/`)).body as { value: string };
    expect((await api.patch(`${path}key/`, { name: 'token' })).body).toMatchObject({ name: 'token', value });
    expect((await api.get(`${path}token/`)).body).toMatchObject({ value, allowed_hosts: ['api.example'] });
  });

  it('have unique names', async () => {
    await api.post(path, { name: 'a', value: 1 });
    const again = await api.post(path, { name: 'a', value: 2 });
    expect(again).toMatchObject({ status: 409, body: { detail: "Variable 'a' already exists." } });
    expect((await api.get(`${path}a/`)).body).toMatchObject({ value: 1 });
  });

  it.each([
    [{ name: '1a', value: 1 }, 'name'],
    [{ name: 'a'.repeat(101), value: 1 }, 'name'],
    [{ name: 'a-b', value: 1 }, 'name'],
    [{ name: '', value: 1 }, 'name'],
    [{ name: 'a' }, 'value'],
    [{ name: 'a', value: 'x'.repeat(65_536) }, 'value'],
    [{ name: 'a', value: 1, allowed_hosts: ['api.example'] }, 'allowed_hosts'],
    [{ ...secret, allowed_hosts: undefined }, 'allowed_hosts'],
    [{ ...secret, allowed_hosts: [] }, 'allowed_hosts'],
    [{ ...secret, allowed_hosts: ['api.example/path'] }, 'allowed_hosts'],
    [{ ...secret, allowed_hosts: ['[::::]'] }, 'allowed_hosts'],
    [{ ...secret, value: { deep: 'secret' } }, 'value'],
    [{ ...secret, value: '' }, 'value'],
    [{ ...secret, value: '****' }, 'value'],
  ])('reject %j and name the field', async (body, field) => {
    const answer = await api.post(path, body);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(`"body","${field}"`)]);
    expect((await api.get(path)).body).toMatchObject({ total: 0 });
  });
});

describe.each(owners)('secret variables of %s', (_whose, path) => {
  it('explain that a secret is never shown only to callers that make one readable', async () => {
    expect((await api.post(path, { name: 'a' })).text).not.toContain('never shown');
    await api.post(path, secret);
    expect((await api.patch(`${path}token/`, { is_secret: false })).text).toContain('never shown');
  });

  it('mask a secret, which a returned mask leaves unchanged', async () => {
    const shown = { name: 'token', value: mask, is_secret: true, allowed_hosts: ['api.example'] };
    expect((await api.post(path, secret)).body).toEqual(shown);
    expect((await api.get(`${path}token/`)).body).toEqual(shown);
    expect((await api.get(path)).body).toEqual({ items: [shown], total: 1 });
    for (const value of [mask, '****']) expect((await api.patch(`${path}token/`, { value })).body).toEqual(shown);
    expect((await api.patch(`${path}token/`, shown)).body).toEqual(shown);
    const changed = await api.patch(`${path}token/`, { value: 'another-long-secret' });
    expect(changed.body).toEqual({ ...shown, value: 'anot****cret' });
  });

  it('send a secret to additional hosts only if its value is entered again', async () => {
    await api.post(path, secret);
    const hosts = ['api.example', 'other.example'];
    const rejected = await api.patch(`${path}token/`, { allowed_hosts: hosts });
    expect([rejected.status, rejected.text]).toEqual([422, expect.stringContaining("adds 'other.example'")]);
    const moved = await api.patch(`${path}token/`, { allowed_hosts: hosts, value: secret.value });
    expect(moved.body).toMatchObject({ allowed_hosts: hosts, value: mask });
    expect((await api.patch(`${path}token/`, { allowed_hosts: ['other.example'] })).status).toBe(200);
  });

  it('become secret with their value, and readable only with a new one', async () => {
    await api.post(path, { name: 'token', value: secret.value });
    const hidden = await api.patch(`${path}token/`, { is_secret: true, allowed_hosts: ['api.example'] });
    expect(hidden.body).toMatchObject({ value: mask, is_secret: true });
    for (const body of [{ is_secret: false }, { is_secret: false, value: mask }]) {
      expect((await api.patch(`${path}token/`, body)).status).toBe(422);
    }
    const shown = await api.patch(`${path}token/`, { is_secret: false, value: 'public' });
    expect(shown.body).toEqual({ name: 'token', value: 'public', is_secret: false });
  });
});

describe.each(owners)('the limits of variables of %s', (_whose, path) => {
  it('are values of 65,536 characters as JSON, and secrets of 8,192', async () => {
    const value = 'x'.repeat(65_534);
    expect((await api.post(path, { name: 'a', value })).status).toBe(201);
    expect((await api.post(path, { name: 'b', value: `${value}x` })).status).toBe(422);
    const longest = { ...secret, value: 'x'.repeat(8192) };
    expect((await api.post(path, longest)).status).toBe(201);
    expect((await api.post(path, { ...longest, name: 'other', value: `${longest.value}x` })).status).toBe(422);
  });

  it('are 4 MiB of values together: one more is 409, and a shorter one is accepted', async () => {
    const value = 'x'.repeat(65_000);
    for (let count = 0; count < 64; count += 1) {
      expect((await api.post(path, { name: `v${count}`, value })).status).toBe(201);
    }
    const detail =
      'The values of all variables here may have 4194304 characters of JSON together: shorten or delete some.';
    expect(await api.post(path, { name: 'further', value })).toMatchObject({ status: 409, body: { detail } });
    expect((await api.post(path, { name: 'further', value: 1 })).status).toBe(201);
    expect(await api.patch(`${path}further/`, { value })).toMatchObject({ status: 409, body: { detail } });
    expect((await api.patch(`${path}v0/`, { value: `${value}x` })).status).toBe(200);
    await api.delete(`${path}v0/`);
    expect((await api.patch(`${path}further/`, { value })).status).toBe(200);
  });

  it('are 1,000 variables: one more is 409', async () => {
    const workflow = await api.store.workflows.bySlug('flow');
    const workflowId = path === own ? (workflow?.id ?? 0) : null;
    const variable = { value: 1, isSecret: false, allowedHosts: [], sealed: null };
    for (let count = 1; count < 1000; count += 1) {
      await api.store.variables.insert({ ...variable, workflowId, name: `v${count}`, most: 1000, mostLength: 10_000 });
    }
    expect((await api.post(path, { name: 'last', value: 1 })).status).toBe(201);
    const detail = 'There are 1000 variables: delete one first.';
    expect(await api.post(path, { name: 'further', value: 1 })).toMatchObject({ status: 409, body: { detail } });
    expect((await api.post(path === own ? instance : own, { name: 'elsewhere', value: 1 })).status).toBe(201);
    expect((await api.delete(`${path}v1/`)).status).toBe(204);
    expect((await api.post(path, { name: 'further', value: 1 })).status).toBe(201);
  });
});

it('are separate for each workflow and the instance', async () => {
  await api.post(instance, { name: 'a', value: 'instance' });
  expect((await api.get(own)).body).toEqual({ items: [], total: 0 });
  expect((await api.post(own, { name: 'a', value: 'workflow' })).status).toBe(201);
  expect((await api.get(`${instance}a/`)).body).toMatchObject({ value: 'instance' });
});

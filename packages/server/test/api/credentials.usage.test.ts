import { credential } from '@millrace/contract';
import type { Json } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

const path = '/api/v1/credentials/';
const strict = { prefer: 'handling=strict' };

let api: TestApp;
beforeEach(async () => {
  api = await startTestApp();
});

async function make(type = 'llm'): Promise<number> {
  const { body } = await api.post(path, { name: 'Mine', credential_type: type });
  return credential.parse(body).id;
}

/** Creates a workflow with model nodes that use the credential. */
async function addWorkflow(
  by: Api,
  slug: string,
  { uses = {}, ...fields }: { uses?: Record<string, Json>; is_public?: boolean },
) {
  expect((await by.post('/api/v1/workflows/', { name: slug, slug, ...fields })).status).toBe(201);
  for (const [node_id, llm_credential_id] of Object.entries(uses)) {
    const node = { node_id, component_type: 'ai_model', config: { llm_credential_id } };
    expect((await by.post(`/api/v1/workflows/${slug}/nodes/`, node)).status).toBe(201);
  }
}

const usage = (id: number, by: Api = api, query = '') => by.get(`${path}${id}/usage/${query}`);
const remove = (id: number, headers = strict) => api.inject({ method: 'DELETE', url: `${path}${id}/`, headers });
const removeAll = (ids: readonly number[], headers: Record<string, string> = strict) =>
  api.inject({ method: 'POST', url: `${path}batch-delete/`, headers, payload: { ids } });

describe('GET usage', () => {
  // Requirement interface.credentials.usage: `GET …/usage/` lists the nodes that use a credential: `{items: [{workflow_slug, node_id}], total}`
  it('lists the nodes that use a credential, newest workflow first, in pages', async () => {
    const id = await make();
    await addWorkflow(api, 'one', { uses: { b: id, a: id, other: null } });
    await addWorkflow(api, 'two', { uses: { c: id } });
    const items = [
      { workflow_slug: 'two', node_id: 'c' },
      { workflow_slug: 'one', node_id: 'a' },
      { workflow_slug: 'one', node_id: 'b' },
    ];
    const answer = await usage(id);
    expect(answer).toMatchObject({ status: 200, body: { items, total: 3 } });
    expect(answer.headers['millrace-warning']).toBeUndefined();
    expect((await usage(id, api, '?limit=1&offset=1')).body).toEqual({ items: [items[1]], total: 3 });
    expect((await usage(await make())).body).toEqual({ items: [], total: 0 });
    for (const query of ['?limit=0', '?limit=1001', '?offset=-1']) {
      expect((await usage(id, api, query)).status).toBe(422);
    }
  });

  it('is 404 for a credential that does not exist', async () => {
    expect(await usage(9)).toMatchObject({ status: 404, body: { detail: 'Credential not found.' } });
  });

  // Requirement interface.credentials.usage.published: the uses of a credential are those of drafts and of published versions
  it('lists the nodes of a published version that are no longer in the draft', async () => {
    const id = await make();
    await addWorkflow(api, 'one', { uses: { a: id } });
    const own = '/api/v1/workflows/one/';
    expect((await api.post(`${own}publish/`, { force: true })).status).toBe(200);
    await api.patch(`${own}nodes/a/`, { config: { llm_credential_id: null } });
    const used = { items: [{ workflow_slug: 'one', node_id: 'a' }], total: 1 };
    expect((await usage(id)).body).toEqual(used);
    await api.post(`${own}unpublish/`);
    expect((await usage(id)).body).toEqual({ items: [], total: 0 });
    await api.post(`${own}publish/`, { version: 2, force: true });
    expect((await usage(id)).body).toEqual(used);
    await api.delete(own);
    expect((await usage(id)).body).toEqual({ items: [], total: 0 });
  });

  // Requirement interface.credentials.usage.visible: uses in workflows that the caller may not see are neither listed nor counted; a header says that there are some
  it('does not name workflows that the caller may not see, and reports in a header that there are some', async () => {
    const id = await make();
    const other = await api.addUser('other');
    await addWorkflow(api, 'secret', { uses: { a: id } });
    await addWorkflow(api, 'shown', { uses: { b: id }, is_public: true });
    const items = [{ workflow_slug: 'shown', node_id: 'b' }];
    const answer = await usage(id, other);
    expect(answer).toMatchObject({ status: 200, body: { items, total: 1 } });
    expect(answer.headers['millrace-warning']).toBe('Workflows that you may not see also use this credential');
    expect(answer.text).not.toContain('secret');
    await api.post('/api/v1/workflows/secret/collaborators/', { username: 'other', role: 'viewer' });
    const shared = await usage(id, other);
    expect(shared).toMatchObject({ body: { total: 2 } });
    expect(shared.headers['millrace-warning']).toBeUndefined();
  });
});

describe('a strict deletion', () => {
  // Requirement interface.credentials.delete.strict: a strict DELETE of a credential in use: 409 with the list of its uses
  it('of a credential in use is 409 with its uses, and deletes nothing', async () => {
    const id = await make();
    await addWorkflow(api, 'one', { uses: { a: id } });
    const items = [{ workflow_slug: 'one', node_id: 'a' }];
    const detail = `Credential ${id} is in use. Remove it from the nodes that use it first.`;
    expect(await remove(id)).toMatchObject({ status: 409, body: { detail, items, total: 1 } });
    expect((await api.get(`${path}${id}/`)).status).toBe(200);
    expect(await remove(id, { prefer: 'handling=lenient' })).toMatchObject({ status: 204, text: '' });
    expect((await api.get(`${path}${id}/`)).status).toBe(404);
  });

  // Requirement interface.credentials.delete.strict
  it('of a credential that is not in use is 204, and of a missing one 404', async () => {
    const id = await make();
    expect(await remove(id)).toMatchObject({ status: 204, text: '' });
    expect(await remove(id)).toMatchObject({ status: 404, body: { detail: 'Credential not found.' } });
  });

  // Requirement interface.credentials.delete.strict
  it('of a credential that only a published version uses is 409', async () => {
    const id = await make();
    await addWorkflow(api, 'one', { uses: { a: id } });
    await api.post('/api/v1/workflows/one/publish/', { force: true });
    await api.delete('/api/v1/workflows/one/nodes/a/');
    expect((await remove(id)).status).toBe(409);
    await api.delete('/api/v1/workflows/one/');
    expect((await remove(id)).status).toBe(204);
  });

  it('of a credential used in workflows of others reports that, without naming them', async () => {
    const id = await make();
    const other = await api.addUser('other');
    await addWorkflow(other, 'theirs', { uses: { a: id } });
    const detail = `Credential ${id} is in use. Remove it from the nodes that use it first. Workflows that you may not see also use it.`;
    const answer = await remove(id);
    expect(answer).toMatchObject({ status: 409, body: { detail, items: [], total: 0 } });
    expect(answer.text).not.toContain('theirs');
  });

  // Requirement interface.credentials.delete.strict
  it('of several deletes all or none, and lists the uses of all', async () => {
    const ids = [await make(), await make('git'), await make('tool')];
    await addWorkflow(api, 'one', { uses: { a: ids[0] ?? 0, b: ids[2] ?? 0 } });
    const answer = await removeAll([...ids, 99]);
    const items = [
      { workflow_slug: 'one', node_id: 'a' },
      { workflow_slug: 'one', node_id: 'b' },
    ];
    const detail = `Credentials ${ids[0]}, ${ids[2]} are in use. Remove them from the nodes that use them first.`;
    expect(answer).toMatchObject({ status: 409, body: { detail, items, total: 2 } });
    expect((await api.get(path)).body).toMatchObject({ total: 3 });
    expect(await removeAll([ids[1] ?? 0, 99])).toMatchObject({ status: 204, text: '' });
    expect(await removeAll(ids, {})).toMatchObject({ status: 204 });
    expect((await api.get(path)).body).toMatchObject({ total: 0 });
  });

  it('lists the first 50 uses, and counts all', async () => {
    const id = await make();
    await addWorkflow(api, 'one', {});
    const operations = Array.from({ length: 60 }, (_, index) => ({
      op: 'create_node',
      node: { node_id: `n${index + 10}`, component_type: 'ai_model', config: { llm_credential_id: id } },
    }));
    expect((await api.post('/api/v1/workflows/one/graph/', { version: 1, operations })).status).toBe(200);
    const { body } = await remove(id);
    expect(body).toMatchObject({ total: 60, items: { length: 50, 0: { node_id: 'n10' }, 49: { node_id: 'n59' } } });
  });
});

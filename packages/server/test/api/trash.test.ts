import { trashList } from '@millrace/contract';
import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startWorkflow } from '../support/app.ts';

/** A service whose only workflow, with one node, is in the trash. */
async function startTrashed(): Promise<TestApp & { readonly path: string; readonly item: string }> {
  const api = await startWorkflow();
  await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'template' });
  const { id } = (await api.get(`${api.path}/`)).body as { id: number };
  await api.delete(`${api.path}/`);
  return { ...api, item: `/api/v1/trash/${id}/` };
}

describe('GET /api/v1/trash/', () => {
  it('lists what the caller deleted, and nothing of others', async () => {
    const api = await startTrashed();
    const other = await api.addUser('other');
    const { items, total } = trashList.parse((await api.get('/api/v1/trash/')).body);
    expect(total).toBe(1);
    expect(items).toMatchObject([{ slug: 'wf', node_count: 1, deleted_at: expect.stringMatching(/^\d{4}-/) }]);
    expect((await other.get('/api/v1/trash/')).body).toEqual({ items: [], total: 0 });
    expect((await api.get('/api/v1/trash/?limit=0')).status).toBe(422);
  });
});

describe('POST /api/v1/trash/{workflow_id}/restore/', () => {
  it('restores the workflow with its nodes, edges and versions', async () => {
    const api = await startTrashed();
    expect((await api.get(`${api.path}/`)).status).toBe(404);
    expect(await api.post(`${api.item}restore/`)).toMatchObject({ status: 200, body: { slug: 'wf', node_count: 1 } });
    expect((await api.get(`${api.path}/`)).body).toMatchObject({ nodes: [{ node_id: 'say' }] });
    expect((await api.get(`${api.path}/versions/`)).body).toMatchObject({ total: 2 });
    expect((await api.get('/api/v1/trash/')).body).toMatchObject({ total: 0 });
    expect((await api.post(`${api.item}restore/`)).status).toBe(404);
  });

  it('answers 409 if the slug was taken meanwhile, and accepts another one', async () => {
    const api = await startTrashed();
    await api.post('/api/v1/workflows/', { name: 'New', slug: 'wf' });
    const taken = await api.post(`${api.item}restore/`, {});
    expect(taken).toMatchObject({ status: 409 });
    expect(taken.body).toEqual({
      detail: "Workflow with slug 'wf' already exists. Restore this one under another `slug`.",
    });
    expect(await api.post(`${api.item}restore/`, { slug: 'wf-2' })).toMatchObject({
      status: 200,
      body: { slug: 'wf-2' },
    });
  });

  it.each(['import', 'a b', '', null, 5])('answers 422 for the slug %j', async (slug) => {
    const api = await startTrashed();
    expect(await api.post(`${api.item}restore/`, { slug })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'slug'] }] },
    });
  });

  it('restores the collaborators', async () => {
    const api = await startWorkflow();
    const viewer = await api.addUser('viewer');
    await api.post(`${api.path}/collaborators/`, { username: 'viewer', role: 'viewer' });
    const { id } = (await api.get(`${api.path}/`)).body as { id: number };
    await api.delete(`${api.path}/`);
    expect((await viewer.get(`${api.path}/`)).status).toBe(404);
    expect((await viewer.post(`/api/v1/trash/${id}/restore/`)).status).toBe(404);
    await api.post(`/api/v1/trash/${id}/restore/`);
    expect((await viewer.get(`${api.path}/`)).status).toBe(200);
  });
});

describe('DELETE /api/v1/trash/{workflow_id}/', () => {
  it('deletes it permanently', async () => {
    const api = await startTrashed();
    expect(await api.delete(api.item)).toMatchObject({ status: 204, text: '' });
    const missing = { status: 404, body: { detail: 'Workflow not found.' } };
    expect(await api.delete(api.item)).toMatchObject(missing);
    expect(await api.post(`${api.item}restore/`)).toMatchObject(missing);
    expect((await api.get('/api/v1/trash/')).body).toEqual({ items: [], total: 0 });
  });

  it('never affects a workflow outside the trash, nor one of another user', async () => {
    const api = await startTrashed();
    const other = await api.addUser('other');
    expect((await other.delete(api.item)).status).toBe(404);
    await api.post(`${api.item}restore/`);
    expect((await api.delete(api.item)).status).toBe(404);
    expect((await api.get(`${api.path}/`)).status).toBe(200);
  });

  it.each(['0', 'x', '-1', '99999999999999999999'])('answers 404 for the id %s', async (id) => {
    const api = await startTrashed();
    expect((await api.delete(`/api/v1/trash/${id}/`)).status).toBe(404);
  });
});

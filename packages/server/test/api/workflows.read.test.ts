import { workflowList } from '@millrace/contract';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';

const collection = '/api/v1/workflows/';

describe('GET /api/v1/workflows/', () => {
  it('lists the newest first, 50 at a time', async () => {
    const api = await startTestApp();
    for (let index = 0; index < 52; index += 1) await api.post(collection, { name: `W${index}`, slug: `w${index}` });
    const answer = await api.get(collection);
    expect(answer.status).toBe(200);
    const { items, total } = workflowList.parse(answer.body);
    expect(total).toBe(52);
    expect(items).toHaveLength(50);
    expect(items[0]).toMatchObject({ slug: 'w51' });
    expect(items[49]).toMatchObject({ slug: 'w2' });
  });

  it('shows the page of limit and offset', async () => {
    const api = await startTestApp();
    for (const slug of ['a', 'b', 'c', 'd']) await api.post(collection, { name: slug, slug });
    const { items, total } = workflowList.parse((await api.get(`${collection}?limit=2&offset=1`)).body);
    expect(items.map(({ slug }) => slug)).toEqual(['c', 'b']);
    expect(total).toBe(4);
    expect(workflowList.parse((await api.get(`${collection}?offset=10`)).body)).toEqual({ items: [], total: 4 });
    expect((await api.get(`${collection}?limit=1000`)).status).toBe(200);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=a',
    'limit=',
    'limit=1.5',
    'limit=1&limit=2',
    'offset=-1',
    'offset=x',
  ])('answers 422 to ?%s', async (query) => {
    const api = await startTestApp();
    const answer = await api.get(`${collection}?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ['query', query.split('=')[0]] }] });
  });

  it('shows and counts only the caller’s workflows, not public ones of others', async () => {
    const api = await startTestApp();
    const other = await api.addUser('other');
    await api.post(collection, { name: 'A', slug: 'mine' });
    await other.post(collection, { name: 'B', slug: 'theirs', is_public: true });
    expect(workflowList.parse((await other.get(collection)).body)).toMatchObject({
      total: 1,
      items: [{ slug: 'theirs' }],
    });
    expect(workflowList.parse((await api.get(collection)).body)).toMatchObject({ total: 1, items: [{ slug: 'mine' }] });
  });
});

describe('GET /api/v1/workflows/{slug}/', () => {
  it('adds nodes and edges to the workflow', async () => {
    const api = await startTestApp();
    const made = await api.post(collection, { name: 'A', slug: 'a' });
    await api.post(`${collection}a/nodes/`, { node_id: 'start', component_type: 'trigger_manual' });
    await api.post(`${collection}a/nodes/`, { node_id: 'say', component_type: 'template' });
    const { body: edge } = await api.post(`${collection}a/edges/`, { source_node_id: 'start', target_node_id: 'say' });
    const answer = await api.get(`${collection}a/`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const { updated_at: _updated, version: _version, ...unchanged } = made.body as Record<string, unknown>;
    expect(answer.body).toMatchObject({ ...unchanged, node_count: 2, edge_count: 1 });
    expect(answer.body).toMatchObject({ nodes: [{ node_id: 'start' }, { node_id: 'say' }], edges: [edge] });
  });

  it('answers with and without a trailing slash', async () => {
    const api = await startTestApp();
    await api.post('/api/v1/workflows', { name: 'A', slug: 'a' });
    expect((await api.get('/api/v1/workflows/a')).text).toBe((await api.get('/api/v1/workflows/a/')).text);
    expect((await api.get('/api/v1/workflows')).status).toBe(200);
  });

  it.each([
    'missing',
    'a%2f..%2fb',
    '%00',
    'ä',
    'a'.repeat(300),
    'a'.repeat(3000),
    '__proto__',
    'constructor',
  ])('answers 404 for %s', async (slug) => {
    const api = await startTestApp();
    const answer = await api.get(`${collection}${slug}/`);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ detail: 'Workflow not found.' });
  });

  it('is 404 for a deleted one', async () => {
    const api = await startTestApp();
    await api.post(collection, { name: 'A', slug: 'a' });
    await api.delete(`${collection}a/`);
    expect(await api.get(`${collection}a/`)).toMatchObject({ status: 404, body: { detail: 'Workflow not found.' } });
  });

  it('updates updated_at and the version with every change of the graph', async () => {
    const api = await startTestApp();
    const made = await api.post(collection, { name: 'A', slug: 'a' });
    await api.post(`${collection}a/nodes/`, { component_type: 'template' });
    const first = (await api.get(`${collection}a/`)).body as { updated_at: string; version: number };
    await api.post(`${collection}a/nodes/`, { component_type: 'template' });
    const second = (await api.get(`${collection}a/`)).body as { updated_at: string; version: number };
    expect(first.updated_at > (made.body as { updated_at: string }).updated_at).toBe(true);
    expect(second.updated_at > first.updated_at).toBe(true);
    expect(second.version).toBe(first.version + 1);
  });
});

describe('access to a workflow', () => {
  const verbs = [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', 'validate/'],
    ['GET', 'nodes/'],
    ['POST', 'nodes/'],
    ['GET', 'nodes/n/'],
    ['PATCH', 'nodes/n/'],
    ['DELETE', 'nodes/n/'],
    ['GET', 'edges/'],
    ['POST', 'edges/'],
    ['PATCH', 'edges/1/'],
    ['DELETE', 'edges/1/'],
  ] as const;

  it.each(
    verbs,
  )('by a stranger with %s /%s is answered like a missing workflow, before the body is checked', async (method, rest) => {
    const api = await startTestApp();
    const other = await api.addUser('other');
    await api.post(collection, { name: 'A', slug: 'a' });
    await api.post(`${collection}a/nodes/`, { node_id: 'n', component_type: 'template' });
    const body = { payload: '{"name":5}', headers: { 'content-type': 'application/json' } };
    const foreign = await other.inject({ method, url: `${collection}a/${rest}`, ...body });
    const missing = await other.inject({ method, url: `${collection}b/${rest}`, ...body });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe('{"detail":"Workflow not found."}');
    expect(foreign.text).toBe(missing.text);
  });

  it('allows everybody to read a public workflow, and only its owner to change it', async () => {
    const api = await startTestApp();
    const other = await api.addUser('other');
    await api.post(collection, { name: 'A', slug: 'a', is_public: true });
    await api.post(`${collection}a/nodes/`, { node_id: 'n', component_type: 'template' });
    for (const [method, rest] of verbs) {
      const answer = await other.inject({ method, url: `${collection}a/${rest}` });
      const reads = method === 'GET' || rest === 'validate/';
      expect([rest, answer.status]).toEqual([rest, reads ? 200 : 403]);
      if (!reads) expect(answer.body).toEqual({ detail: 'You have read-only access to this workflow.' });
    }
  });

  it('lists only their own for an admin', async () => {
    const api = await startTestApp();
    const other = await api.addUser('other');
    await other.post(collection, { name: 'A', slug: 'a' });
    expect((await api.get(`${collection}a/`)).status).toBe(404);
  });
});

import { node, versionDetail, versionList, workflowDetail } from '@millrace/contract';
import type { Published } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startWorkflow } from '../support/app.ts';

type Api = TestApp & { readonly path: string };

const nothing = { created: 0, updated: 0, deleted: 0 };

async function detail(api: Api) {
  return workflowDetail.parse((await api.get(`${api.path}/`)).body);
}

/** Versions 1 to 4: an empty graph, a model, an agent, and the edge between them. */
async function startVersions(): Promise<Api> {
  const api = await startWorkflow();
  await api.post(`${api.path}/nodes/`, { node_id: 'model', component_type: 'ai_model' });
  await api.post(`${api.path}/nodes/`, { node_id: 'ai', component_type: 'agent' });
  await api.post(`${api.path}/edges/`, { source_node_id: 'model', target_node_id: 'ai', edge_label: 'llm' });
  return api;
}

describe('GET /api/v1/workflows/{slug}/versions/', () => {
  it('lists every version, newest first, with its author and its changes', async () => {
    const api = await startVersions();
    const answer = await api.get(`${api.path}/versions/?limit=2`);
    expect(answer.status).toBe(200);
    expect(versionList.parse(answer.body)).toMatchObject({
      total: 4,
      items: [
        {
          version: 4,
          author: 'admin',
          restored_from: null,
          nodes: { ...nothing, updated: 1 },
          edges: { ...nothing, created: 1 },
        },
        { version: 3, nodes: { ...nothing, created: 1 }, edges: nothing },
      ],
    });
    const rest = versionList.parse((await api.get(`${api.path}/versions/?offset=2`)).body);
    expect(rest.items.map(({ version }) => version)).toEqual([2, 1]);
  });

  it('is only for members: a viewer may read it, a public viewer may not, a stranger gets 404', async () => {
    const api = await startVersions();
    const [viewer, other] = [await api.addUser('viewer'), await api.addUser('other')];
    await api.post(`${api.path}/collaborators/`, { username: 'viewer', role: 'viewer' });
    for (const path of [`${api.path}/versions/`, `${api.path}/versions/2/`]) {
      expect((await viewer.get(path)).status).toBe(200);
      expect((await other.get(path)).status).toBe(404);
    }
    expect((await viewer.post(`${api.path}/versions/2/restore/`)).status).toBe(403);
    await api.patch(`${api.path}/`, { is_public: true });
    expect((await other.get(`${api.path}/versions/`)).status).toBe(403);
    expect((await other.get(`${api.path}/versions/2/`)).status).toBe(403);
    expect((await other.post(`${api.path}/versions/2/restore/`)).status).toBe(403);
  });
});

describe('GET /api/v1/workflows/{slug}/versions/{version}/', () => {
  it('returns the graph of that version', async () => {
    const api = await startVersions();
    const before = await detail(api);
    await api.delete(`${api.path}/nodes/model/`);
    const answer = await api.get(`${api.path}/versions/4/`);
    const { graph, version } = versionDetail.parse(answer.body);
    expect(version).toBe(4);
    expect(graph).toEqual({ nodes: before.nodes, edges: before.edges });
    expect(versionDetail.parse((await api.get(`${api.path}/versions/1/`)).body).graph).toEqual({
      nodes: [],
      edges: [],
    });
  });

  it.each(['0', '5', 'x', '-1', '99999999999999999999'])('answers 404 for the version %s', async (version) => {
    const api = await startVersions();
    const missing = { status: 404, body: { detail: 'Version not found.' } };
    expect(await api.get(`${api.path}/versions/${version}/`)).toMatchObject(missing);
    expect(await api.post(`${api.path}/versions/${version}/restore/`)).toMatchObject(missing);
  });
});

describe('many reads of versions at once', () => {
  it('are answered in turn, so that another user waits for few of them', async () => {
    const api = await startVersions();
    const other = await api.addUser('other');
    await api.post(`${api.path}/collaborators/`, { username: 'other', role: 'viewer' });
    const order: string[] = [];
    const path = `${api.path}/versions/4/`;
    const many = Array.from({ length: 40 }, () => api.get(path).then(({ status }) => order.push(`admin ${status}`)));
    await Promise.all([...many, other.get(path).then(({ status }) => order.push(`other ${status}`))]);
    expect(order.indexOf('other 200')).toBeLessThan(10);
    expect(order.filter((answer) => answer === 'admin 200')).toHaveLength(40);
  });

  it('beyond those that may wait are rejected, and later ones are answered', async () => {
    const api = await startVersions();
    const path = `${api.path}/versions/4/`;
    const answers = await Promise.all(Array.from({ length: 400 }, () => api.get(path)));
    const rejected = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 200).length + rejected.length).toBe(400);
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected[0]?.body).toEqual({
      detail: 'Too many versions of workflows are being read. Try again in a moment.',
    });
    expect((await api.post(`${path}restore/`)).status).toBe(200);
    expect((await api.get(path)).status).toBe(200);
  });
});

describe('POST /api/v1/workflows/{slug}/versions/{version}/restore/', () => {
  it('creates a new version with that graph, with its original ids, and returns the workflow', async () => {
    const api = await startVersions();
    const before = await detail(api);
    await api.delete(`${api.path}/nodes/model/`);
    await api.patch(`${api.path}/nodes/ai/`, { node_id: 'agent', position_x: 5 });
    const answer = await api.post(`${api.path}/versions/4/restore/`);
    const after = await detail(api);
    expect(answer).toMatchObject({ status: 200, body: after });
    const same = (nodes: typeof after.nodes) => nodes.map(({ updated_at: _at, ...rest }) => rest);
    expect(same(after.nodes)).toEqual(same(before.nodes));
    expect(after.edges).toEqual(before.edges);
    expect(after).toMatchObject({ version: 7, node_count: 2, edge_count: 1 });
    const { items } = versionList.parse((await api.get(`${api.path}/versions/`)).body);
    expect(items[0]).toMatchObject({ version: 7, restored_from: 4, author: 'admin' });
  });

  it('publishes each change, deletions first', async () => {
    const api = await startVersions();
    await api.delete(`${api.path}/nodes/model/`);
    await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'template' });
    const events: Published[] = [];
    api.store.subscribe({ published: (published) => void events.push(...published) });
    await api.post(`${api.path}/versions/4/restore/`, {});
    expect(events.map(({ event }) => event.type)).toEqual([
      'node_deleted',
      'node_updated',
      'node_created',
      'edge_created',
    ]);
  });

  it('keeps the id of a node that was recreated under the same name, and links to it', async () => {
    const api = await startVersions();
    await api.delete(`${api.path}/nodes/model/`);
    const again = await api.post(`${api.path}/nodes/`, { node_id: 'model', component_type: 'ai_model' });
    await api.post(`${api.path}/versions/4/restore/`);
    const { id } = node.parse(again.body);
    const { nodes } = await detail(api);
    expect(nodes.map(({ node_id, id: own, config }) => [node_id, own, config.llm_model_config_id])).toEqual([
      ['ai', expect.any(Number), id],
      ['model', id, null],
    ]);
  });

  it('changes nothing for the current graph', async () => {
    const api = await startVersions();
    const before = await detail(api);
    expect(await api.post(`${api.path}/versions/4/restore/`)).toMatchObject({ status: 200, body: before });
  });

  it('changes nothing on an old base version, and returns the current workflow', async () => {
    const api = await startVersions();
    const before = await detail(api);
    const stale = await api.post(`${api.path}/versions/2/restore/`, { base_version: 3 });
    expect(stale).toMatchObject({ status: 409, body: { workflow: before } });
    expect(await detail(api)).toEqual(before);
    expect((await api.post(`${api.path}/versions/2/restore/`, { base_version: 4 })).status).toBe(200);
  });

  it('answers 422 for an invalid base version', async () => {
    const api = await startVersions();
    expect(await api.post(`${api.path}/versions/2/restore/`, { base_version: '4' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'base_version'] }] },
    });
  });
});

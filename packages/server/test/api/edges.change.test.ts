import { edge, node } from '@millrace/contract';
import type { Published } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startWorkflow } from '../support/app.ts';

async function startEdge(body: object): Promise<TestApp & { readonly path: string; readonly edge: string }> {
  const api = await startWorkflow();
  const types = { start: 'trigger_manual', route: 'switch', say: 'template', other: 'template', keep: 'filter' };
  const ai = { first: 'agent', second: 'agent', model: 'ai_model', spare: 'ai_model' };
  for (const [node_id, component_type] of Object.entries({ ...types, ...ai })) {
    await api.post(`${api.path}/nodes/`, { node_id, component_type });
  }
  const { id } = edge.parse((await api.post(`${api.path}/edges/`, body)).body);
  return { ...api, edge: `${api.path}/edges/${id}/` };
}

const plain = { source_node_id: 'start', target_node_id: 'say' };
const llm = { source_node_id: 'model', target_node_id: 'first', edge_label: 'llm' };

async function modelOf(api: TestApp & { readonly path: string }, nodeId: string): Promise<number | null> {
  return node.parse((await api.get(`${api.path}/nodes/${nodeId}/`)).body).config.llm_model_config_id;
}

async function idOf(api: TestApp & { readonly path: string }, nodeId: string): Promise<number> {
  return node.parse((await api.get(`${api.path}/nodes/${nodeId}/`)).body).id;
}

describe('PATCH /api/v1/workflows/{slug}/edges/{edge_id}/', () => {
  it.each([
    ['source_node_id', 'route'],
    ['target_node_id', 'other'],
    ['target_node_id', 'not_yet'],
    ['edge_label', 'loop_body'],
    ['condition_mapping', { a: 'say' }],
    ['condition_mapping', null],
    ['condition_value', 'a'],
    ['priority', 9],
  ])('changes %s to %j and nothing else', async (field, value) => {
    const api = await startEdge(plain);
    const before = (await api.get(`${api.path}/edges/`)).body as object[];
    const answer = await api.patch(api.edge, { [field]: value });
    expect(answer).toMatchObject({ status: 200, body: { ...before[0], [field]: value } });
    expect((await api.get(`${api.path}/edges/`)).body).toEqual([answer.body]);
  });

  it('publishes an event to subscribers', async () => {
    const api = await startEdge(plain);
    const events: Published[] = [];
    api.store.subscribe({ published: (published) => void events.push(...published) });
    await api.patch(api.edge, { priority: 3 });
    expect(events.map(({ event }) => event)).toMatchObject([{ type: 'edge_updated', edge: { priority: 3 } }]);
  });

  it.each([
    [{ edge_type: 'conditional' }, 'Conditional edges require a non-empty condition_value'],
    [
      { edge_type: 'conditional', condition_value: 'a', target_node_id: '' },
      'Conditional edges require a non-empty target_node_id',
    ],
    [{ edge_type: 'conditional', condition_value: 'a' }, "Conditional edges can only originate from 'switch' nodes"],
    [{ target_node_id: 'start' }, 'An edge cannot lead from a node to itself'],
    [{ target_node_id: '' }, 'Edges require a non-empty target_node_id'],
    [
      { source_node_id: 'say', target_node_id: 'keep' },
      {
        validation_errors: [
          "Source type 'template' output 'output' (text) is not compatible with target 'filter' input 'input' (array)",
        ],
      },
    ],
    [
      { edge_label: 'tool' },
      {
        validation_errors: [
          "Source type 'trigger_manual' output 'payload' (any) is not compatible with target 'template', which has no 'tools' connection",
        ],
      },
    ],
  ])('validates the result of %j like a new edge', async (changes, detail) => {
    const api = await startEdge(plain);
    expect(await api.patch(api.edge, changes)).toMatchObject({ status: 422, body: { detail } });
    expect((await api.get(`${api.path}/edges/`)).body).toMatchObject([plain]);
  });
});

describe('the validation of a changed edge', () => {
  it('rejects a duplicate of another edge with 409', async () => {
    const api = await startEdge(plain);
    await api.post(`${api.path}/edges/`, { source_node_id: 'start', target_node_id: 'other' });
    expect((await api.patch(api.edge, { target_node_id: 'other' })).status).toBe(409);
    expect((await api.patch(api.edge, { target_node_id: 'say' })).status).toBe(200);
  });

  it.each([
    ['source_node_id', null],
    ['target_node_id', null],
    ['edge_type', null],
    ['edge_label', null],
    ['condition_value', null],
    ['priority', null],
    ['priority', '5'],
  ])('answers 422 if %s is %j', async (field, value) => {
    const api = await startEdge(plain);
    const answer = await api.patch(api.edge, { [field]: value });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
  });
});

describe('a change of an llm edge', () => {
  it('moves the model when an llm edge moves', async () => {
    const api = await startEdge(llm);
    const model = await idOf(api, 'model');
    expect([await modelOf(api, 'first'), await modelOf(api, 'second')]).toEqual([model, null]);
    await api.patch(api.edge, { target_node_id: 'second' });
    expect([await modelOf(api, 'first'), await modelOf(api, 'second')]).toEqual([null, model]);
    await api.patch(api.edge, { source_node_id: 'spare' });
    expect(await modelOf(api, 'second')).toBe(await idOf(api, 'spare'));
  });
});

describe('an edge’s id', () => {
  it.each([
    '0',
    '999999',
    '-1',
    'abc',
    '1.5',
    '1e3',
    '99999999999999999999',
    '%00',
  ])('answers 404 for the id %s', async (id) => {
    const api = await startEdge(plain);
    const missing = { status: 404, body: { detail: 'Edge not found.' } };
    expect(await api.patch(`${api.path}/edges/${id}/`, { priority: null })).toMatchObject(missing);
    expect(await api.delete(`${api.path}/edges/${id}/`)).toMatchObject(missing);
  });

  it('answers 404 for the edge of another workflow', async () => {
    const api = await startEdge(plain);
    await api.post('/api/v1/workflows/', { name: 'B', slug: 'b' });
    const foreign = api.edge.replace('/wf/', '/b/');
    expect(await api.patch(foreign, { priority: 1 })).toMatchObject({
      status: 404,
      body: { detail: 'Edge not found.' },
    });
    expect((await api.delete(foreign)).status).toBe(404);
    expect((await api.get(`${api.path}/edges/`)).body).toMatchObject([plain]);
  });
});

describe('DELETE /api/v1/workflows/{slug}/edges/{edge_id}/', () => {
  it('answers 204 without a body, and publishes an event', async () => {
    const api = await startEdge(plain);
    const events: Published[] = [];
    api.store.subscribe({ published: (published) => void events.push(...published) });
    expect(await api.delete(api.edge)).toMatchObject({ status: 204, text: '' });
    expect((await api.get(`${api.path}/edges/`)).body).toEqual([]);
    expect(events.map(({ event }) => event.type)).toEqual(['edge_deleted']);
    expect((await api.delete(api.edge)).body).toEqual({ detail: 'Edge not found.' });
  });

  it('clears the model of the target of an llm edge', async () => {
    const api = await startEdge(llm);
    await api.delete(api.edge);
    expect(await modelOf(api, 'first')).toBeNull();
  });

  it('leaves a model that another llm edge connects', async () => {
    const api = await startEdge(llm);
    await api.post(`${api.path}/edges/`, { ...llm, source_node_id: 'spare' });
    expect(await modelOf(api, 'first')).toBe(await idOf(api, 'spare'));
    await api.delete(api.edge);
    expect(await modelOf(api, 'first')).toBe(await idOf(api, 'spare'));
  });
});

describe('GET /api/v1/workflows/{slug}/edges/', () => {
  it('returns a flat list of all edges, in the order of their creation', async () => {
    const api = await startWorkflow();
    const names = Array.from({ length: 120 }, (_, index) => `n${index}`);
    for (const name of names) await api.post(`${api.path}/edges/`, { source_node_id: 'a', target_node_id: name });
    const answer = await api.get(`${api.path}/edges/`);
    expect(answer.status).toBe(200);
    expect((answer.body as { target_node_id: string }[]).map((entry) => entry.target_node_id)).toEqual(names);
  });
});

import { edge, node } from '@millrace/contract';
import type { Published } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startWorkflow } from '../support/app.ts';

/** A node of each kind, under short names. */
async function startNodes(): Promise<TestApp & { readonly path: string }> {
  const api = await startWorkflow();
  const types = { start: 'trigger_manual', route: 'switch', say: 'template', keep: 'filter', sum: 'calculator' };
  const others = { ai: 'agent', model: 'ai_model', note: 'notes', again: 'loop' };
  for (const [node_id, component_type] of Object.entries({ ...types, ...others })) {
    await api.post(`${api.path}/nodes/`, { node_id, component_type });
  }
  return api;
}

describe('POST /api/v1/workflows/{slug}/edges/', () => {
  it('answers 201 with every documented default', async () => {
    const api = await startNodes();
    const answer = await api.post(`${api.path}/edges/`, { source_node_id: 'start', target_node_id: 'say' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      source_node_id: 'start',
      target_node_id: 'say',
      edge_type: 'direct',
      edge_label: '',
      condition_mapping: null,
      condition_value: '',
      priority: 0,
    });
    expect((await api.get(`${api.path}/edges/`)).body).toEqual([answer.body]);
  });

  it('stores every given field', async () => {
    const api = await startNodes();
    const given = {
      source_node_id: 'route',
      target_node_id: 'say',
      edge_type: 'conditional',
      edge_label: '',
      condition_mapping: { hot: 'say', cold: '__end__' },
      condition_value: 'hot',
      priority: -3,
    };
    const answer = await api.post(`${api.path}/edges/`, given);
    expect(answer).toMatchObject({ status: 201, body: given });
  });

  it('publishes an event after the commit', async () => {
    const api = await startNodes();
    const events: Published[] = [];
    api.store.subscribe({ published: (published) => void events.push(...published) });
    const { body } = await api.post(`${api.path}/edges/`, { source_node_id: 'start', target_node_id: 'say' });
    expect(events.map(({ event }) => event)).toMatchObject([
      { type: 'edge_created', edge: { id: edge.parse(body).id } },
    ]);
  });

  it('accepts names of nodes that do not exist yet', async () => {
    const api = await startWorkflow();
    const answer = await api.post(`${api.path}/edges/`, { source_node_id: 'later', target_node_id: 'even_later' });
    expect(answer.status).toBe(201);
  });
});

describe('the validation of a new edge', () => {
  it('rejects a duplicate edge with 409', async () => {
    const api = await startNodes();
    const body = { source_node_id: 'route', target_node_id: 'say', edge_type: 'conditional', condition_value: 'a' };
    expect((await api.post(`${api.path}/edges/`, body)).status).toBe(201);
    expect(await api.post(`${api.path}/edges/`, { ...body, priority: 5 })).toMatchObject({
      status: 409,
      body: { detail: "An edge from 'route' to 'say' with this type, label and condition_value already exists." },
    });
    expect((await api.post(`${api.path}/edges/`, { ...body, condition_value: 'b' })).status).toBe(201);
    expect((await api.post(`${api.path}/edges/`, { source_node_id: 'route', target_node_id: 'say' })).status).toBe(201);
  });

  it.each([
    [
      'an edge from a node to itself',
      { source_node_id: 'say', target_node_id: 'say' },
      'An edge cannot lead from a node to itself',
    ],
    [
      'such an edge of a missing node',
      { source_node_id: 'x', target_node_id: 'x' },
      'An edge cannot lead from a node to itself',
    ],
    [
      'a direct edge without a target',
      { source_node_id: 'say', target_node_id: '' },
      'Edges require a non-empty target_node_id',
    ],
  ])('rejects %s', async (_what, body, detail) => {
    const api = await startNodes();
    expect(await api.post(`${api.path}/edges/`, body)).toMatchObject({ status: 422, body: { detail } });
  });

  it.each([
    ['source_node_id', undefined],
    ['source_node_id', null],
    ['source_node_id', ''],
    ['source_node_id', 5],
    ['target_node_id', undefined],
    ['target_node_id', null],
    ['target_node_id', []],
    ['edge_type', 'diagonal'],
    ['edge_type', null],
    ['edge_label', 'model'],
    ['edge_label', null],
    ['condition_mapping', 'a'],
    ['condition_mapping', []],
    ['condition_mapping', { a: 5 }],
    ['condition_mapping', Object.fromEntries(Array.from({ length: 201 }, (_, index) => [index, 'say']))],
    ['condition_value', null],
    ['condition_value', 5],
    ['priority', null],
    ['priority', 'high'],
    ['priority', 1.5],
    ['priority', 1e300],
  ])('answers 422 naming %s if it is %j', async (field, value) => {
    const api = await startNodes();
    const answer = await api.post(`${api.path}/edges/`, {
      source_node_id: 'start',
      target_node_id: 'say',
      [field]: value,
    });
    expect(answer.status).toBe(422);
    const { detail } = answer.body as { detail: { loc: string[] }[] };
    expect(detail[0]?.loc.slice(0, 2)).toEqual(['body', field]);
  });

  it('accepts any text as keys of condition_mapping, including names of prototype properties', async () => {
    const api = await startNodes();
    const condition_mapping = { constructor: 'say', toString: 'say', 'ä b': '__end__' };
    const answer = await api.post(`${api.path}/edges/`, {
      source_node_id: 'start',
      target_node_id: 'say',
      condition_mapping,
    });
    expect(answer).toMatchObject({ status: 201, body: { condition_mapping } });
  });
});

describe('a new llm edge', () => {
  it('sets the model of its target', async () => {
    const api = await startNodes();
    const model = node.parse((await api.get(`${api.path}/nodes/model/`)).body);
    const events: Published[] = [];
    api.store.subscribe({ published: (published) => void events.push(...published) });
    await api.post(`${api.path}/edges/`, { source_node_id: 'model', target_node_id: 'ai', edge_label: 'llm' });
    expect((await api.get(`${api.path}/nodes/ai/`)).body).toMatchObject({ config: { llm_model_config_id: model.id } });
    expect(events.map(({ event }) => event.type)).toEqual(['edge_created', 'node_updated']);
  });

  it('also sets it if the nodes are created after their edge', async () => {
    const api = await startWorkflow();
    await api.post(`${api.path}/edges/`, { source_node_id: 'm', target_node_id: 'a', edge_label: 'llm' });
    await api.post(`${api.path}/nodes/`, { node_id: 'a', component_type: 'agent' });
    const { id } = node.parse(
      (await api.post(`${api.path}/nodes/`, { node_id: 'm', component_type: 'ai_model' })).body,
    );
    expect((await api.get(`${api.path}/nodes/a/`)).body).toMatchObject({ config: { llm_model_config_id: id } });
  });
});

describe('many new edges', () => {
  it('are all created by concurrent requests, each as its own version', async () => {
    const api = await startWorkflow();
    const before = (await api.get(`${api.path}/`)).body as { version: number };
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const answers = await Promise.all(
      names.map((name) => api.post(`${api.path}/edges/`, { source_node_id: 'a', target_node_id: name })),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
    const after = (await api.get(`${api.path}/`)).body as { version: number; edges: unknown[]; edge_count: number };
    expect(after.edges).toHaveLength(40);
    expect(after).toMatchObject({ edge_count: 40, version: before.version + 40 });
  });
});

describe('conditional edges', () => {
  it.each([
    ['route', { condition_value: '' }, 'Conditional edges require a non-empty condition_value'],
    ['route', {}, 'Conditional edges require a non-empty condition_value'],
    ['route', { condition_value: 'a', target_node_id: '' }, 'Conditional edges require a non-empty target_node_id'],
    ['say', { condition_value: 'a' }, "Conditional edges can only originate from 'switch' nodes"],
    ['missing', { condition_value: 'a' }, "Conditional edges can only originate from 'switch' nodes"],
    // If there are several errors, the first one in the order of the specification is reported.
    ['say', { condition_value: '', target_node_id: '' }, 'Conditional edges require a non-empty condition_value'],
    ['say', { condition_value: 'a', target_node_id: '' }, 'Conditional edges require a non-empty target_node_id'],
    [
      'note',
      { condition_value: 'a', target_node_id: 'start' },
      "Conditional edges can only originate from 'switch' nodes",
    ],
  ])('from %s with %j are rejected with the message of the specification', async (source_node_id, rest, detail) => {
    const api = await startNodes();
    const body = { source_node_id, target_node_id: 'keep', edge_type: 'conditional', ...rest };
    const answer = await api.post(`${api.path}/edges/`, body);
    expect(answer).toMatchObject({ status: 422, body: { detail } });
  });
});

/** Source, target and label, and the expected error. */
const cases: readonly (readonly [string, string, string, string | null])[] = [
  ['start', 'keep', '', null],
  ['sum', 'say', '', null],
  ['sum', 'ai', '', null],
  ['route', 'ai', '', null],
  [
    'say',
    'keep',
    '',
    "Source type 'template' output 'output' (text) is not compatible with target 'filter' input 'input' (array)",
  ],
  ['keep', 'ai', '', null],
  [
    'say',
    'start',
    '',
    "Source type 'template' output 'output' (text) is not compatible with target 'trigger_manual', which has no input",
  ],
  [
    'model',
    'ai',
    '',
    "Source type 'ai_model' output 'model' (llm) is not compatible with target 'agent' input 'input' (text)",
  ],
  [
    'model',
    'route',
    '',
    "Source type 'ai_model' output 'model' (llm) is not compatible with target 'switch' input 'input' (any)",
  ],
  ['note', 'say', '', "Source type 'notes' has no output"],
  ['model', 'ai', 'llm', null],
  ['sum', 'ai', 'tool', null],
  [
    'say',
    'ai',
    'llm',
    "Source type 'template' output 'output' (text) is not compatible with target 'agent' input 'model' (llm)",
  ],
  [
    'start',
    'ai',
    'llm',
    "Source type 'trigger_manual' output 'payload' (any) is not compatible with target 'agent' input 'model' (llm)",
  ],
  [
    'model',
    'ai',
    'tool',
    "Source type 'ai_model' output 'model' (llm) is not compatible with target 'agent' input 'tools' (tool)",
  ],
  [
    'model',
    'say',
    'llm',
    "Source type 'ai_model' output 'model' (llm) is not compatible with target 'template', which has no 'model' connection",
  ],
  [
    'say',
    'ai',
    'output_parser',
    "Source type 'template' output 'output' (text) is not compatible with target 'agent', which has no 'output_parser' connection",
  ],
  ['keep', 'route', 'error', null],
  ['keep', 'ai', 'error', null],
  [
    'say',
    'keep',
    'error',
    "Source type 'template' output 'error' (object) is not compatible with target 'filter' input 'input' (array)",
  ],
  ['model', 'route', 'error', "Source type 'ai_model' has no 'error' output"],
  ['say', 'keep', 'loop_body', null],
  ['note', 'start', 'loop_return', null],
];

describe('types', () => {
  it.each(cases)('%s -> %s with label "%s": %s', async (source_node_id, target_node_id, edge_label, message) => {
    const api = await startNodes();
    const answer = await api.post(`${api.path}/edges/`, { source_node_id, target_node_id, edge_label });
    if (message === null) expect(answer.status).toBe(201);
    else expect(answer).toMatchObject({ status: 422, body: { detail: { validation_errors: [message] } } });
  });

  it('are also checked for conditional edges, after their own rules', async () => {
    const api = await startNodes();
    const body = { source_node_id: 'route', target_node_id: 'start', edge_type: 'conditional', condition_value: 'a' };
    const answer = await api.post(`${api.path}/edges/`, body);
    const message =
      "Source type 'switch' output 'output' (any) is not compatible with target 'trigger_manual', which has no input";
    expect(answer).toMatchObject({ status: 422, body: { detail: { validation_errors: [message] } } });
  });
});

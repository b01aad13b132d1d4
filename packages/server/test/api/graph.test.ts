import { edge, graphAnswer, node, workflowDetail } from '@millrace/contract';
import type { Published } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startWorkflow } from '../support/app.ts';

type Api = TestApp & { readonly path: string };

async function detail(api: Api) {
  return workflowDetail.parse((await api.get(`${api.path}/`)).body);
}

async function apply(api: Api, operations: readonly object[], version?: number) {
  return api.post(`${api.path}/graph/`, { version: version ?? (await detail(api)).version, operations });
}

const createNode = (node_id: string, component_type: string) => ({
  op: 'create_node',
  node: { node_id, component_type },
});
const createEdge = (source_node_id: string, target_node_id: string, edge_label = '') => ({
  op: 'create_edge',
  edge: { source_node_id, target_node_id, edge_label },
});

describe('a list with a request_id', () => {
  it('answers a repeated request with the same version and results, and does not apply it again', async () => {
    const api = await startWorkflow();
    await apply(api, [createNode('old', 'template')]);
    const { version } = await detail(api);
    const body = {
      version,
      request_id: '0d3bd6a2-6a3c-4f0e-9a5e-3f5d9a6c1b11',
      operations: [
        { op: 'update_node', node_id: 'old', changes: { label: null } },
        createNode('start', 'trigger_manual'),
        createEdge('start', 'old'),
        { op: 'update_node', node_id: 'old', changes: { node_id: 'new' } },
        createNode('gone', 'template'),
        { op: 'delete_node', node_id: 'gone' },
      ],
    };
    const first = await api.post(`${api.path}/graph/`, body);
    expect(first.status).toBe(200);
    await apply(api, [{ op: 'delete_node', node_id: 'start' }]);
    const after = await detail(api);
    const again = await api.post(`${api.path}/graph/`, body);
    expect(again.status).toBe(200);
    const { results, ...rest } = graphAnswer.parse(first.body);
    // A result shows its object as the whole request left it.
    const [unchanged, start, line, renamed] = results;
    expect(unchanged).toMatchObject({ node: { node_id: 'old' } });
    const nothing = { node: null, edge: null };
    expect(again.body).toEqual({
      ...rest,
      results: [
        { ...renamed },
        start,
        { op: 'create_edge', node: null, edge: { ...line?.edge, target_node_id: 'new' } },
        renamed,
        { op: 'create_node', ...nothing },
        { op: 'delete_node', ...nothing },
      ],
    });
    expect(await detail(api)).toEqual(after);
  });

  it('applies the request once if it arrives several times at once', async () => {
    const api = await startWorkflow();
    const { version } = await detail(api);
    const request_id = '0d3bd6a2-6a3c-4f0e-9a5e-3f5d9a6c1b12';
    const body = { version, request_id, operations: [createNode('one', 'template')] };
    const answers = await Promise.all([1, 2, 3].map(() => api.post(`${api.path}/graph/`, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body: answer }) => JSON.stringify(answer))).size).toBe(1);
    expect(await detail(api)).toMatchObject({ version: version + 1, node_count: 1 });
  });

  it('treats another request on an old version as before: the version is not the current one', async () => {
    const api = await startWorkflow();
    const { version } = await detail(api);
    const send = (id: string, name: string) =>
      api.post(`${api.path}/graph/`, { version, request_id: id, operations: [createNode(name, 'template')] });
    expect((await send('0d3bd6a2-6a3c-4f0e-9a5e-3f5d9a6c1b13', 'one')).status).toBe(200);
    expect((await send('0d3bd6a2-6a3c-4f0e-9a5e-3f5d9a6c1b14', 'two')).status).toBe(409);
    expect((await send('not a uuid', 'two')).status).toBe(422);
  });
});

describe('POST /api/v1/workflows/{slug}/graph/', () => {
  it('creates nodes and the edges between them as one version, and returns each object', async () => {
    const api = await startWorkflow();
    const { version } = await detail(api);
    const operations = [
      createNode('start', 'trigger_manual'),
      createNode('say', 'template'),
      createEdge('start', 'say'),
    ];
    const answer = await apply(api, operations);
    const after = await detail(api);
    expect(answer).toEqual(expect.objectContaining({ status: 200 }));
    expect(answer.body).toEqual({
      version: version + 1,
      results: [
        { op: 'create_node', node: after.nodes[0], edge: null },
        { op: 'create_node', node: after.nodes[1], edge: null },
        { op: 'create_edge', node: null, edge: after.edges[0] },
      ],
    });
    expect(after).toMatchObject({ version: version + 1, node_count: 2, edge_count: 1 });
  });

  it('updates, renames and deletes, each on the result of the operations before it', async () => {
    const api = await startWorkflow();
    const made = graphAnswer.parse(
      (
        await apply(api, [
          createNode('start', 'trigger_manual'),
          createNode('old', 'template'),
          createEdge('start', 'old'),
        ])
      ).body,
    );
    const edgeId = made.results[2]?.edge?.id;
    const answer = await apply(api, [
      { op: 'update_node', node_id: 'old', changes: { node_id: 'say', position_x: 7 } },
      { op: 'update_edge', edge_id: edgeId, changes: { priority: 3 } },
      createNode('gone', 'template'),
      createEdge('say', 'gone'),
      { op: 'update_node', node_id: 'gone', changes: { node_id: 'really_gone' } },
      { op: 'delete_node', node_id: 'really_gone' },
      { op: 'delete_node', node_id: 'start' },
    ]);
    expect(answer.status).toBe(200);
    const after = await detail(api);
    expect(after.nodes).toMatchObject([{ node_id: 'say', position_x: 7 }]);
    expect(after.edges).toEqual([]);
  });

  it('only checks the version for an empty list', async () => {
    const api = await startWorkflow();
    const { version } = await detail(api);
    expect(await apply(api, [])).toMatchObject({ status: 200, body: { version, results: [] } });
    expect((await apply(api, [], version + 1)).status).toBe(409);
  });

  it('publishes the same events as single edits, in their order', async () => {
    const api = await startWorkflow();
    const events: Published[] = [];
    api.store.subscribe({ published: (published) => void events.push(...published) });
    const operations = [createNode('model', 'ai_model'), createNode('ai', 'agent'), createEdge('model', 'ai', 'llm')];
    await apply(api, [...operations, { op: 'delete_node', node_id: 'model' }]);
    expect(events.map(({ event }) => event.type)).toEqual([
      'node_created',
      'node_created',
      'edge_created',
      'node_updated',
      'edge_deleted',
      'node_updated',
      'node_deleted',
    ]);
  });

  it('links an agent to a model that is created in the same list, in any order', async () => {
    const api = await startWorkflow();
    const [model, ai, link] = [
      createNode('model', 'ai_model'),
      createNode('ai', 'agent'),
      createEdge('model', 'ai', 'llm'),
    ];
    for (const operations of [
      [model, ai, link],
      [link, ai, model],
      [link, model, ai],
      [ai, link, model],
    ]) {
      expect((await apply(api, operations)).status).toBe(200);
      const { nodes } = await detail(api);
      const modelId = nodes.find(({ node_id }) => node_id === 'model')?.id;
      expect(nodes.find(({ node_id }) => node_id === 'ai')?.config.llm_model_config_id).toBe(modelId);
      await apply(api, [
        { op: 'delete_node', node_id: 'model' },
        { op: 'delete_node', node_id: 'ai' },
      ]);
    }
  });
});

describe('a rejected list', () => {
  const first = createNode('start', 'trigger_manual');
  const cases: readonly [object, number, object][] = [
    [{ op: 'fly' }, 422, { loc: ['body', 'operations', 1, 'op'] }],
    [
      { op: 'create_node', node: { node_id: '1x', component_type: 'template' } },
      422,
      { loc: ['body', 'operations', 1, 'node', 'node_id'] },
    ],
    [createNode('a', 'nothing'), 422, { loc: ['body', 'operations', 1, 'node', 'component_type'] }],
    [
      { op: 'create_node', node: { component_type: 'template', config: { extra_config: { method: 'FLY' } } } },
      422,
      { loc: ['body', 'operations', 1, 'node', 'config', 'extra_config', 'method'] },
    ],
    [
      { op: 'create_node', node: { component_type: 'template', subworkflow_id: 99 } },
      422,
      { loc: ['body', 'operations', 1, 'node', 'subworkflow_id'] },
    ],
    [
      createNode('start', 'template'),
      409,
      { type: 'conflict', loc: ['body', 'operations', 1], msg: "Node with id 'start' already exists." },
    ],
    [
      { op: 'update_node', node_id: 'nobody', changes: {} },
      422,
      { type: 'not_found', loc: ['body', 'operations', 1, 'node_id'], msg: 'Node not found.' },
    ],
    [
      { op: 'update_node', node_id: 'start', changes: { component_type: 'switch' } },
      422,
      { loc: ['body', 'operations', 1, 'changes', 'component_type'] },
    ],
    [{ op: 'delete_node', node_id: 'nobody' }, 422, { type: 'not_found', loc: ['body', 'operations', 1, 'node_id'] }],
    [
      createEdge('start', 'start'),
      422,
      { type: 'value_error', loc: ['body', 'operations', 1], msg: 'An edge cannot lead from a node to itself' },
    ],
    [createEdge('start', 'start2', 'nothing'), 422, { loc: ['body', 'operations', 1, 'edge', 'edge_label'] }],
    [
      { op: 'update_edge', edge_id: 99, changes: {} },
      422,
      { type: 'not_found', loc: ['body', 'operations', 1, 'edge_id'], msg: 'Edge not found.' },
    ],
    [{ op: 'delete_edge', edge_id: 99 }, 422, { type: 'not_found', loc: ['body', 'operations', 1, 'edge_id'] }],
  ];

  it.each(cases)('with %j changes nothing, and the error names the operation', async (operation, status, issue) => {
    const api = await startWorkflow();
    const before = await detail(api);
    const events: Published[] = [];
    api.store.subscribe({ published: (published) => void events.push(...published) });
    const answer = await apply(api, [first, operation]);
    expect(answer).toMatchObject({ status, body: { detail: [issue] } });
    expect(await detail(api)).toEqual(before);
    expect(events).toEqual([]);
  });

  it('reports incompatible types of nodes created in the same list', async () => {
    const api = await startWorkflow();
    const answer = await apply(api, [
      createNode('say', 'template'),
      createNode('keep', 'filter'),
      createEdge('say', 'keep'),
    ]);
    const msg =
      "Source type 'template' output 'output' (text) is not compatible with target 'filter' input 'input' (array)";
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'edge_types', loc: ['body', 'operations', 2], msg }] },
    });
  });

  it('with a duplicate of an edge created in the same list is a 409 that names it', async () => {
    const api = await startWorkflow();
    expect(await apply(api, [createEdge('a', 'b'), createEdge('a', 'b')])).toMatchObject({
      status: 409,
      body: { detail: [{ type: 'conflict', loc: ['body', 'operations', 1] }] },
    });
  });

  it.each([
    ['version', { operations: [] }],
    ['version', { version: null, operations: [] }],
    ['version', { version: 0, operations: [] }],
    ['operations', { version: 1 }],
    ['operations', { version: 1, operations: Array.from({ length: 2001 }, () => ({ op: 'delete_edge', edge_id: 1 })) }],
  ])('with an invalid %s is a 422 that names it', async (field, body) => {
    const api = await startWorkflow();
    expect(await api.post(`${api.path}/graph/`, body)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', field] }] },
    });
  });
});

describe('many renames at once', () => {
  const rename = (index: number) => ({ op: 'update_node', node_id: `n${index}`, changes: { node_id: `m${index}` } });

  it('are rejected in a workflow so large that other requests would have to wait', async () => {
    const api = await startWorkflow();
    const nodes = Array.from({ length: 500 }, (_, index) => createNode(`n${index}`, 'template'));
    expect((await apply(api, nodes)).status).toBe(200);
    const renames = Array.from({ length: 36 }, (_, index) => rename(index));
    expect(await apply(api, renames)).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['body', 'operations', 35], msg: expect.stringContaining('send them in several requests') }],
      },
    });
    expect((await apply(api, renames.slice(0, 3))).status).toBe(200);
  });
});

describe('a list on an old version', () => {
  it('changes nothing, and is answered with the current workflow', async () => {
    const api = await startWorkflow();
    const { version } = await detail(api);
    await apply(api, [createNode('start', 'trigger_manual')], version);
    const current = await detail(api);
    const answer = await apply(api, [createNode('say', 'template')], version);
    const sentence = `The workflow is at version ${version + 1}, not ${version}: somebody else has changed it.`;
    expect(answer).toMatchObject({ status: 409, body: { detail: sentence, workflow: current } });
    expect(await detail(api)).toEqual(current);
  });

  it('is rejected if another list was applied at the same time', async () => {
    const api = await startWorkflow();
    const { version } = await detail(api);
    const answers = await Promise.all(['a', 'b'].map((name) => apply(api, [createNode(name, 'template')], version)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await detail(api)).nodes).toHaveLength(1);
  });
});

describe('a model connection to a missing model', () => {
  it('is linked in the commit that creates the node', async () => {
    const api = await startWorkflow();
    await apply(api, [createNode('ai', 'agent'), createEdge('model', 'ai', 'llm')]);
    const { version } = await detail(api);
    const answer = await api.post(`${api.path}/nodes/`, { node_id: 'model', component_type: 'ai_model' });
    const after = await detail(api);
    expect(after.version).toBe(version + 1);
    expect(after.nodes[0]?.config.llm_model_config_id).toBe(node.parse(answer.body).id);
  });

  it('is linked if a node is renamed to the missing name', async () => {
    const api = await startWorkflow();
    await apply(api, [createNode('ai', 'agent'), createNode('other', 'ai_model'), createEdge('model', 'ai', 'llm')]);
    const answer = await api.patch(`${api.path}/nodes/other/`, { node_id: 'model' });
    expect((await detail(api)).nodes[0]?.config.llm_model_config_id).toBe(node.parse(answer.body).id);
  });

  it('links a node to itself if it takes the name of its model, and validate reports that', async () => {
    const api = await startWorkflow();
    await apply(api, [createNode('ai', 'agent'), createEdge('model', 'ai', 'llm')]);
    const renamed = node.parse((await api.patch(`${api.path}/nodes/ai/`, { node_id: 'model' })).body);
    expect(renamed.config.llm_model_config_id).toBe(renamed.id);
    expect((await detail(api)).nodes).toEqual([renamed]);
    const { body } = await api.post(`${api.path}/validate/`, {});
    expect(JSON.stringify(body)).toContain('An edge cannot lead from a node to itself');
  });

  it('is in the answer if the new node is the one with the connection', async () => {
    const api = await startWorkflow();
    await apply(api, [createNode('model', 'ai_model'), createEdge('model', 'ai', 'llm')]);
    const answer = await api.post(`${api.path}/nodes/`, { node_id: 'ai', component_type: 'agent' });
    const [model, ai] = (await detail(api)).nodes;
    expect(node.parse(answer.body)).toEqual(ai);
    expect(ai?.config.llm_model_config_id).toBe(model?.id);
    expect(edge.parse((await detail(api)).edges[0]).source_node_id).toBe('model');
  });
});

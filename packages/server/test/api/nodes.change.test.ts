import { node } from '@millrace/contract';
import type { Published } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startWorkflow } from '../support/app.ts';

type Started = TestApp & { readonly path: string };

async function startNode(config: object = {}): Promise<Started> {
  const api = await startWorkflow();
  await api.post(`${api.path}/nodes/`, { node_id: 'start', component_type: 'trigger_manual' });
  await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'template', label: 'Say', config });
  return api;
}

function watch({ store }: TestApp): Published['event'][] {
  const events: Published['event'][] = [];
  store.subscribe({ published: (published) => void events.push(...published.map(({ event }) => event)) });
  return events;
}

describe('PATCH /api/v1/workflows/{slug}/nodes/{node_id}/', () => {
  it.each([
    ['label', 'New'],
    ['label', null],
    ['is_entry_point', true],
    ['interrupt_before', true],
    ['interrupt_after', true],
    ['position_x', 12],
    ['position_y', -12],
    ['code_block_id', 4],
    ['component_type', 'template'],
  ])('changes %s to %j and nothing else', async (field, value) => {
    const api = await startNode();
    const before = (await api.get(`${api.path}/nodes/say/`)).body as object;
    const answer = await api.patch(`${api.path}/nodes/say/`, { [field]: value });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, [field]: value, updated_at: expect.any(String) });
    expect((await api.get(`${api.path}/nodes/say/`)).body).toEqual(answer.body);
  });

  it('merges config and extra_config one level each', async () => {
    const api = await startNode({ system_prompt: 'Stay', extra_config: { template: 'old', method: 'POST' } });
    const answer = await api.patch(`${api.path}/nodes/say/`, {
      config: { temperature: 1, extra_config: { template: 'new' } },
    });
    const { config } = node.parse(answer.body);
    expect(config).toMatchObject({ system_prompt: 'Stay', temperature: 1 });
    expect(config.extra_config).toEqual({ template: 'new', method: 'POST' });
  });

  it('removes the keys of extra_config that are null, and no others', async () => {
    const api = await startNode({ extra_config: { template: 'old', method: 'POST' } });
    const answer = await api.patch(`${api.path}/nodes/say/`, { config: { extra_config: { method: null, url: null } } });
    expect(node.parse(answer.body).config.extra_config).toEqual({ template: 'old' });
    const { version } = (await api.get(`${api.path}/`)).body as { version: number };
    const changes = { config: { extra_config: { template: null, method: 'GET' } } };
    const operations = [{ op: 'update_node', node_id: 'say', changes }];
    await api.post(`${api.path}/graph/`, { version, operations });
    const after = await api.get(`${api.path}/nodes/say/`);
    expect(node.parse(after.body).config.extra_config).toEqual({ method: 'GET' });
    expect((await api.patch(`${api.path}/nodes/say/`, { config: { extra_config: null } })).status).toBe(422);
  });

  it('publishes an event, and updates updated_at', async () => {
    const api = await startNode();
    const before = node.parse((await api.get(`${api.path}/nodes/say/`)).body);
    const events = watch(api);
    const after = node.parse((await api.patch(`${api.path}/nodes/say/`, { position_x: 5 })).body);
    expect(events).toMatchObject([{ type: 'node_updated', node: { nodeId: 'say', positionX: 5 } }]);
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it.each([
    [{ config: { extra_config: { metod: 1 } } }, ['config', 'extra_config', 'metod']],
    [{ config: { temperature: 'x' } }, ['config', 'temperature']],
    [{ config: null }, ['config']],
    [{ label: 5 }, ['label']],
    [{ position_x: null }, ['position_x']],
    [{ node_id: null }, ['node_id']],
    [{ node_id: 'a b' }, ['node_id']],
    [{ component_type: 'switch' }, ['component_type']],
    [{ subworkflow_id: 424_242 }, ['subworkflow_id']],
  ])('answers 422 to %j and changes nothing', async (changes, path) => {
    const api = await startNode({ extra_config: { template: 'x' } });
    const before = (await api.get(`${api.path}/nodes/say/`)).body;
    const answer = await api.patch(`${api.path}/nodes/say/`, changes);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', ...path] }] } });
    expect((await api.get(`${api.path}/nodes/say/`)).body).toEqual(before);
  });

  it.each(['missing', '%00', 'a%2fb', 'toString'])('answers 404 for %s, before it checks the body', async (name) => {
    const api = await startNode();
    const missing = { status: 404, body: { detail: 'Node not found.' } };
    expect(await api.get(`${api.path}/nodes/${name}/`)).toMatchObject(missing);
    expect(await api.patch(`${api.path}/nodes/${name}/`, { label: 5 })).toMatchObject(missing);
    expect(await api.delete(`${api.path}/nodes/${name}/`)).toMatchObject(missing);
  });
});

describe('renaming a node', () => {
  it('renames it in its edges and in condition mappings, in one transaction', async () => {
    const api = await startNode();
    await api.post(`${api.path}/nodes/`, { node_id: 'route', component_type: 'switch' });
    await api.post(`${api.path}/edges/`, { source_node_id: 'start', target_node_id: 'say' });
    await api.post(`${api.path}/edges/`, {
      source_node_id: 'say',
      target_node_id: 'route',
      condition_mapping: { a: 'say', b: 'start' },
    });
    await api.post(`${api.path}/edges/`, { source_node_id: 'start', target_node_id: 'route' });
    const events = watch(api);
    const before = (await api.get(`${api.path}/`)).body as { version: number };
    expect(await api.patch(`${api.path}/nodes/say/`, { node_id: 'reply' })).toMatchObject({
      status: 200,
      body: { node_id: 'reply' },
    });
    expect((await api.get(`${api.path}/edges/`)).body).toMatchObject([
      { source_node_id: 'start', target_node_id: 'reply' },
      { source_node_id: 'reply', target_node_id: 'route', condition_mapping: { a: 'reply', b: 'start' } },
      { source_node_id: 'start', target_node_id: 'route' },
    ]);
    expect(events.map(({ type }) => type)).toEqual(['node_updated', 'edge_updated', 'edge_updated']);
    expect((await api.get(`${api.path}/`)).body).toMatchObject({ version: before.version + 1 });
    expect((await api.get(`${api.path}/nodes/say/`)).status).toBe(404);
  });

  it('is rejected if so many texts contain the name that other requests would have to wait', async () => {
    const api = await startNode();
    const [plain, template] = [`say${'x'.repeat(400_000)}`, `{{ say.output }}${'x'.repeat(400_000)}`];
    const saying = { node_id: 'c', component_type: 'template', config: { extra_config: { template: plain } } };
    expect((await api.post(`${api.path}/nodes/`, saying)).status).toBe(201);
    for (const node_id of ['a', 'b']) {
      const text = { node_id, component_type: 'template', config: { extra_config: { template } } };
      expect((await api.post(`${api.path}/nodes/`, text)).status).toBe(201);
    }
    expect(await api.patch(`${api.path}/nodes/say/`, { node_id: 'reply' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'node_id'], msg: expect.stringContaining('one by one') }] },
    });
    await api.delete(`${api.path}/nodes/a/`);
    expect((await api.patch(`${api.path}/nodes/say/`, { node_id: 'reply' })).status).toBe(200);
  });

  it('renames it in the expressions that name it, including its own, and publishes each changed node', async () => {
    const api = await startNode({ extra_config: { template: '{{ say.output }} say' } });
    const rules = [{ id: 'say', field: 'say.output', operator: 'equals', value: '{{ nodes.say.output }}' }];
    await api.post(`${api.path}/nodes/`, {
      node_id: 'route',
      component_type: 'switch',
      config: { extra_config: { rules } },
    });
    const events = watch(api);
    const answer = await api.patch(`${api.path}/nodes/say/`, { node_id: 'reply' });
    expect(answer.body).toMatchObject({
      node_id: 'reply',
      config: { extra_config: { template: '{{ reply.output }} say' } },
    });
    expect((await api.get(`${api.path}/nodes/route/`)).body).toMatchObject({
      config: {
        extra_config: {
          rules: [{ id: 'say', field: 'reply.output', operator: 'equals', value: '{{ nodes.reply.output }}' }],
        },
      },
    });
    expect(events).toMatchObject([
      { type: 'node_updated', node: { nodeId: 'reply' } },
      { type: 'node_updated', node: { nodeId: 'route' } },
    ]);
  });

  it('rejects a name in use with 409', async () => {
    const api = await startNode();
    const answer = await api.patch(`${api.path}/nodes/say/`, { node_id: 'start' });
    expect(answer).toMatchObject({ status: 409, body: { detail: "Node with id 'start' already exists." } });
  });

  it('accepts its own name', async () => {
    const api = await startNode();
    expect((await api.patch(`${api.path}/nodes/say/`, { node_id: 'say' })).status).toBe(200);
  });
});

describe('DELETE /api/v1/workflows/{slug}/nodes/{node_id}/', () => {
  it('answers 204, and publishes each deleted edge before the node', async () => {
    const api = await startNode();
    await api.post(`${api.path}/edges/`, { source_node_id: 'start', target_node_id: 'say' });
    await api.post(`${api.path}/edges/`, { source_node_id: 'say', target_node_id: 'later' });
    await api.post(`${api.path}/edges/`, { source_node_id: 'start', target_node_id: 'later' });
    const events = watch(api);
    expect(await api.delete(`${api.path}/nodes/say/`)).toMatchObject({ status: 204, text: '' });
    expect(events.map(({ type }) => type)).toEqual(['edge_deleted', 'edge_deleted', 'node_deleted']);
    expect(events.at(-1)).toEqual({ type: 'node_deleted', nodeId: 'say', version: expect.any(Number) });
    expect((await api.get(`${api.path}/`)).body).toMatchObject({ node_count: 1, edge_count: 1 });
    expect((await api.delete(`${api.path}/nodes/say/`)).body).toEqual({ detail: 'Node not found.' });
  });

  it('clears the link of nodes whose model it was', async () => {
    const api = await startWorkflow();
    for (const [node_id, component_type] of [
      ['ai', 'agent'],
      ['model', 'ai_model'],
    ]) {
      await api.post(`${api.path}/nodes/`, { node_id, component_type });
    }
    await api.post(`${api.path}/edges/`, { source_node_id: 'model', target_node_id: 'ai', edge_label: 'llm' });
    await api.delete(`${api.path}/nodes/model/`);
    expect((await api.get(`${api.path}/nodes/ai/`)).body).toMatchObject({ config: { llm_model_config_id: null } });
  });
});

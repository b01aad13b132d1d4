import { catalogue } from '@millrace/components';
import { edge, node } from '@millrace/contract';
import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startTestApp } from '../support/app.ts';

const path = '/api/v1/workflows/wf';
const types = {
  start: 'trigger_webhook',
  ai: 'agent',
  other: 'agent',
  gpt: 'ai_model',
  claude: 'ai_model',
  reads: 'output_parser',
  past: 'conversation_memory',
  sum: 'calculator',
};

/** A workflow of real components, with the trigger leading to the agents. */
async function start(): Promise<TestApp> {
  const api = await startTestApp({ catalogue });
  await api.post('/api/v1/workflows/', { name: 'Test', slug: 'wf' });
  // The first credential: its id is 1.
  await api.post('/api/v1/credentials/', { name: 'Main', credential_type: 'llm', detail: { api_key: 'a-key-of-one' } });
  for (const [node_id, component_type] of Object.entries(types)) {
    const config = component_type === 'ai_model' ? { llm_credential_id: 1, model_name: 'small' } : {};
    expect((await api.post(`${path}/nodes/`, { node_id, component_type, config })).status).toBe(201);
  }
  for (const ai of ['ai', 'other']) expect((await connect(api, 'start', ai, '')).status).toBe(201);
  return api;
}

function connect(api: TestApp, source_node_id: string, target_node_id: string, edge_label: string) {
  return api.post(`${path}/edges/`, { source_node_id, target_node_id, edge_label });
}

async function idOf(api: TestApp, nodeId: string): Promise<number> {
  return node.parse((await api.get(`${path}/nodes/${nodeId}/`)).body).id;
}

async function modelOf(api: TestApp, nodeId = 'ai'): Promise<number | null> {
  return node.parse((await api.get(`${path}/nodes/${nodeId}/`)).body).config.llm_model_config_id;
}

describe('an llm edge between real components', () => {
  it('sets, changes and clears the model of the agent', async () => {
    const api = await start();
    const { id } = edge.parse((await connect(api, 'gpt', 'ai', 'llm')).body);
    expect(await modelOf(api)).toBe(await idOf(api, 'gpt'));
    await api.patch(`${path}/edges/${id}/`, { source_node_id: 'claude' });
    expect(await modelOf(api)).toBe(await idOf(api, 'claude'));
    await api.patch(`${path}/edges/${id}/`, { target_node_id: 'other' });
    expect([await modelOf(api), await modelOf(api, 'other')]).toEqual([null, await idOf(api, 'claude')]);
    expect((await api.delete(`${path}/edges/${id}/`)).status).toBe(204);
    expect(await modelOf(api, 'other')).toBeNull();
  });

  it('clears it if the model node is deleted', async () => {
    const api = await start();
    await connect(api, 'gpt', 'ai', 'llm');
    await api.delete(`${path}/nodes/gpt/`);
    expect(await modelOf(api)).toBeNull();
  });
});

describe('labelled edges between real components', () => {
  it.each([
    ['gpt', 'llm'],
    ['reads', 'output_parser'],
    ['past', 'memory'],
    ['sum', 'tool'],
  ])('connect %s by %s', async (source, label) => {
    const api = await start();
    expect((await connect(api, source, 'ai', label)).status).toBe(201);
  });

  it.each([
    [
      'sum',
      'llm',
      "Source type 'calculator' output 'result' (number) is not compatible with target 'agent' input 'model' (llm)",
    ],
    [
      'gpt',
      'tool',
      "Source type 'ai_model' output 'model' (llm) is not compatible with target 'agent' input 'tools' (tool)",
    ],
    [
      'gpt',
      '',
      "Source type 'ai_model' output 'model' (llm) is not compatible with target 'agent' input 'input' (text)",
    ],
    [
      'reads',
      'memory',
      "Source type 'output_parser' output 'parser' (output_parser) is not compatible with target 'agent' input 'memory' (memory)",
    ],
  ])('do not connect %s by %j', async (source, label, message) => {
    const api = await start();
    expect(await connect(api, source, 'ai', label)).toMatchObject({
      status: 422,
      body: { detail: { validation_errors: [message] } },
    });
  });
});

describe('validate, with real components', () => {
  it('reports a missing model with the documented message, and nothing else', async () => {
    const api = await start();
    await connect(api, 'gpt', 'other', 'llm');
    await connect(api, 'sum', 'ai', 'tool');
    const answer = await api.post(`${path}/validate/`);
    expect(answer.body).toMatchObject({
      valid: false,
      errors: ["Node 'ai' is missing required 'model' connection"],
    });
    await connect(api, 'gpt', 'ai', 'llm');
    await connect(api, 'reads', 'ai', 'output_parser');
    expect((await api.post(`${path}/validate/`)).body).toMatchObject({ valid: true, errors: [] });
  });

  it('accepts tools, and warns of a memory in a workflow without a chat trigger', async () => {
    const api = await start();
    for (const ai of ['ai', 'other']) await connect(api, 'gpt', ai, 'llm');
    await connect(api, 'past', 'ai', 'memory');
    await connect(api, 'sum', 'ai', 'tool');
    expect((await api.post(`${path}/validate/`)).body).toMatchObject({
      valid: true,
      errors: [],
      issues: [{ code: 'no_conversation', severity: 'warning', node_id: 'past' }],
    });
  });
});

describe('the config of an agent', () => {
  it.each([
    ['max_steps', 201],
    ['approve', 'mail'],
    ['guard', true],
  ])('is rejected with an invalid %s', async (key, value) => {
    const api = await start();
    expect(await api.patch(`${path}/nodes/ai/`, { config: { extra_config: { [key]: value } } })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'config', 'extra_config', key] }] },
    });
  });

  it('has a system prompt with expressions, which are validated and follow a rename', async () => {
    const api = await start();
    const change = (system_prompt: string) => api.patch(`${path}/nodes/ai/`, { config: { system_prompt } });
    expect(await change('Hello {{ 1 + }}')).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'config', 'system_prompt'] }] },
    });
    expect((await change('It is {{ start.payload }}.')).status).toBe(200);
    await api.patch(`${path}/nodes/start/`, { node_id: 'hook' });
    expect((await api.get(`${path}/nodes/ai/`)).body).toMatchObject({
      config: { system_prompt: 'It is {{ hook.payload }}.' },
    });
  });
});

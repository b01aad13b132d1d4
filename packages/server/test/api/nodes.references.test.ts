import { node, workflowDetail } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startWorkflow } from '../support/app.ts';

let api: TestApp & { readonly path: string };

beforeEach(async () => {
  api = await startWorkflow();
  for (const [node_id, component_type] of Object.entries({ ai: 'agent', gpt: 'ai_model', claude: 'ai_model' })) {
    await api.post(`${api.path}/nodes/`, { node_id, component_type });
  }
});

const read = async (nodeId: string) => node.parse((await api.get(`${api.path}/nodes/${nodeId}/`)).body);
const change = (nodeId: string, config: object) => api.patch(`${api.path}/nodes/${nodeId}/`, { config });

async function addCredential(): Promise<number> {
  const body = { name: 'Main', credential_type: 'llm' };
  return ((await api.post('/api/v1/credentials/', body)).body as { id: number }).id;
}

describe.each(['llm_credential_id', 'credential_id'])('a node that names a credential by its %s', (key) => {
  const rejection = (...loc: (string | number)[]) => {
    const msg = 'There is no credential 99: name one that GET /api/v1/credentials/ lists';
    return { status: 422, body: { detail: [{ type: 'value_error', loc: ['body', ...loc, 'config', key], msg }] } };
  };

  it('is rejected if there is none, wherever the id is sent', async () => {
    const config = { [key]: 99 };
    expect(await api.post(`${api.path}/nodes/`, { component_type: 'ai_model', config })).toMatchObject(rejection());
    expect(await change('gpt', config)).toMatchObject(rejection());
    const update = { op: 'update_node', node_id: 'gpt', changes: { config } };
    const create = { op: 'create_node', node: { component_type: 'ai_model', config } };
    const { version } = workflowDetail.parse((await api.get(`${api.path}/`)).body);
    const send = (operation: object) => api.post(`${api.path}/graph/`, { version, operations: [operation] });
    expect(await send(update)).toMatchObject(rejection('operations', 0, 'changes'));
    expect(await send(create)).toMatchObject(rejection('operations', 0, 'node'));
    expect((await read('gpt')).config).toMatchObject({ [key]: null });
  });

  it('may use a credential of any owner, or none', async () => {
    const id = await addCredential();
    expect(await change('gpt', { [key]: id })).toMatchObject({ status: 200, body: { config: { [key]: id } } });
    expect(await change('gpt', { [key]: null })).toMatchObject({ status: 200, body: { config: { [key]: null } } });
  });

  it('may be sent back unchanged, even if the credential was deleted since', async () => {
    const id = await addCredential();
    await change('gpt', { [key]: id });
    const { version } = workflowDetail.parse((await api.get(`${api.path}/`)).body);
    await api.delete(`/api/v1/credentials/${id}/`);
    await api.post(`${api.path}/versions/${version}/restore/`);
    const { config } = await read('gpt');
    expect(config).toMatchObject({ [key]: id });
    expect((await change('gpt', { ...config, model_name: 'small' })).status).toBe(200);
    expect((await change('claude', config)).status).toBe(422);
  });
});

describe('the link of a node to its model', () => {
  const msg = "Follows the edge labelled 'llm' that ends at the node: add, move or remove that edge instead";
  const loc = ['body', 'config', 'llm_model_config_id'];
  const rejection = { status: 422, body: { detail: [{ type: 'value_error', loc, msg }] } };
  const connect = () =>
    api.post(`${api.path}/edges/`, { source_node_id: 'gpt', target_node_id: 'ai', edge_label: 'llm' });

  it('is derived from the edges, so it cannot be set without an edge, or to another node', async () => {
    const [gpt, claude] = [(await read('gpt')).id, (await read('claude')).id];
    const setTo = (llm_model_config_id: number | null) => change('ai', { llm_model_config_id });
    expect(await setTo(gpt)).toMatchObject(rejection);
    await connect();
    for (const id of [claude, 99, null]) expect(await setTo(id)).toMatchObject(rejection);
    expect((await read('ai')).config.llm_model_config_id).toBe(gpt);
    const config = { llm_model_config_id: gpt };
    expect(await api.post(`${api.path}/nodes/`, { component_type: 'agent', config })).toMatchObject(rejection);
  });

  it('may be sent back with the whole unchanged config', async () => {
    await connect();
    const { config } = await read('ai');
    expect((await change('ai', { ...config, system_prompt: 'Be brief.' })).status).toBe(200);
    expect((await change('ai', { llm_model_config_id: config.llm_model_config_id })).status).toBe(200);
  });
});

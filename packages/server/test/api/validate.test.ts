import { describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { startWorkflow } from '../support/app.ts';

type Started = TestApp & { readonly path: string };

async function start(nodes: Readonly<Record<string, string>>, edges: readonly object[] = []): Promise<Started> {
  const api = await startWorkflow();
  for (const [node_id, component_type] of Object.entries(nodes)) {
    await api.post(`${api.path}/nodes/`, { node_id, component_type });
  }
  for (const edge of edges) expect((await api.post(`${api.path}/edges/`, edge)).status).toBe(201);
  return api;
}

function edge(source_node_id: string, target_node_id: string, rest: object = {}): object {
  return { source_node_id, target_node_id, ...rest };
}

/** A name that a template uses, in a workflow whose other node is called `start`. */
const unknownName = {
  code: 'unknown_name',
  severity: 'error',
  field: 'extra_config.template',
  hint: 'Available: start, trigger, input, run, vars, loop.',
};

describe('POST /api/v1/workflows/{slug}/validate/', () => {
  it('reports nothing for a valid workflow', async () => {
    const api = await start({ start: 'trigger_manual', say: 'template' }, [edge('start', 'say')]);
    expect(await api.post(`${api.path}/validate/`)).toMatchObject({
      status: 200,
      body: { valid: true, errors: [], issues: [] },
    });
  });

  it('accepts any body or none', async () => {
    const api = await start({});
    expect((await api.post(`${api.path}/validate/`, {})).status).toBe(200);
    expect(
      (await api.inject({ method: 'POST', url: `${api.path}/validate/`, headers: { 'content-type': 'text/plain' } }))
        .status,
    ).toBe(200);
  });

  it('reports an agent without a model with the documented message', async () => {
    const api = await start({ start: 'trigger_chat', ai: 'agent' }, [edge('start', 'ai')]);
    const message = "Node 'ai' is missing required 'model' connection";
    expect((await api.post(`${api.path}/validate/`)).body).toEqual({
      valid: false,
      errors: [message],
      issues: [
        {
          code: 'missing_connection',
          severity: 'error',
          node_id: 'ai',
          message,
          hint: "Connect a node of type 'ai_model' to it by an edge labelled 'llm'.",
        },
      ],
    });
    const detail = { credential_type: 'llm', detail: { api_key: 'a-key-of-a-provider' } };
    const credential = (await api.post('/api/v1/credentials/', { name: 'Main', ...detail })).body as { id: number };
    const config = { llm_credential_id: credential.id, model_name: 'small' };
    await api.post(`${api.path}/nodes/`, { node_id: 'model', component_type: 'ai_model', config });
    await api.post(`${api.path}/edges/`, edge('model', 'ai', { edge_label: 'llm' }));
    expect((await api.post(`${api.path}/validate/`)).body).toEqual({ valid: true, errors: [], issues: [] });
  });

  it('reports edges to nodes that do not exist', async () => {
    const api = await start({ start: 'trigger_manual', say: 'template' }, [edge('start', 'say'), edge('say', 'saay')]);
    expect((await api.post(`${api.path}/validate/`)).body).toMatchObject({
      valid: false,
      issues: [
        {
          code: 'missing_node',
          edge_id: expect.any(Number),
          message: expect.stringMatching(/names node 'saay', which does not exist\. Did you mean 'say'\?/),
        },
      ],
    });
  });

  it('reports an edge whose types do not match, because its nodes were created later', async () => {
    const api = await start({}, [edge('say', 'keep')]);
    await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'template' });
    await api.post(`${api.path}/nodes/`, { node_id: 'keep', component_type: 'filter' });
    const message =
      "Source type 'template' output 'output' (text) is not compatible with target 'filter' input 'input' (array)";
    expect((await api.post(`${api.path}/validate/`)).body).toMatchObject({ valid: false, errors: [message] });
  });

  it('reports unknown names in expressions, with their position', async () => {
    const api = await start({ start: 'trigger_manual' });
    const config = { extra_config: { template: 'Hello {{ strt.text }}' } };
    await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'template', config });
    await api.post(`${api.path}/edges/`, edge('start', 'say'));
    const message = "Node 'say', extra_config.template: Unknown name 'strt' (line 1, column 10) Did you mean 'start'?";
    expect((await api.post(`${api.path}/validate/`)).body).toEqual({
      valid: false,
      errors: [message],
      issues: [{ ...unknownName, node_id: 'say', message }],
    });
  });

  it('is valid with only warnings', async () => {
    const api = await start({ say: 'template' });
    expect((await api.post(`${api.path}/validate/`)).body).toMatchObject({
      valid: true,
      errors: [],
      issues: [{ code: 'no_trigger', severity: 'warning' }],
    });
  });

  it('is 404 for a missing workflow', async () => {
    const api = await start({});
    const answer = await api.post('/api/v1/workflows/missing/validate/');
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Workflow not found.' } });
  });
});

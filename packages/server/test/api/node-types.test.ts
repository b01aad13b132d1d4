import { catalogue } from '@millrace/components';
import { componentCatalogue } from '@millrace/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';

const path = '/api/v1/workflows/node-types/';

describe('GET /api/v1/workflows/node-types/', () => {
  it('is an object keyed by type, each entry with the documented fields', async () => {
    const api = await startTestApp();
    const answer = await api.get(path);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      agent: {
        component_type: 'agent',
        label: 'agent',
        category: 'AI',
        description: 'For tests.',
        icon: 'box',
        color: '#000000',
        inputs: [{ name: 'input', data_type: 'text', required: false }],
        outputs: [{ name: 'output', data_type: 'text' }],
        sub_inputs: [
          { name: 'model', data_type: 'llm', required: true },
          { name: 'tools', data_type: 'tool', required: false },
          { name: 'memory', data_type: 'memory', required: false },
        ],
        executable: true,
        effect: 'pure',
        version: 1,
      },
      ai_model: { executable: false },
    });
  });

  it('requires a key', async () => {
    const api = await startTestApp();
    expect((await api.inject({ url: path, headers: { authorization: '' } })).status).toBe(401);
  });

  it('shows the whole catalogue, with schemas that accept what nodes accept', async () => {
    const api = await startTestApp({ catalogue });
    const entries = componentCatalogue.parse((await api.get(path)).body);
    expect(Object.keys(entries)).toEqual([...catalogue.keys()]);
    for (const [type, { config_schema: schema, executable }] of Object.entries(entries)) {
      const validate = new Ajv2020({ strict: false }).compile(schema);
      const policies = { on_error: 'continue', timeout_seconds: 5 };
      expect([type, validate({ policies })]).toEqual([type, false]);
      if (executable)
        expect(schema.properties).toMatchObject({ retry: {}, join: {}, on_error: {}, timeout_seconds: {} });
    }
  });

  it('lists what a client needs to check connections: text-only inputs, keys that supply an input, typed outputs', async () => {
    const api = await startTestApp({ catalogue });
    const { loop, agent } = componentCatalogue.parse((await api.get(path)).body);
    expect(loop?.inputs[0]).toMatchObject({ name: 'items', text_only: false, supplied_by: ['items'] });
    expect(agent?.outputs[0]?.typed_by).toBe('output_parser');
  });

  it('describes the common keys that each node type reads, with hints for editors', async () => {
    const api = await startTestApp({ catalogue });
    const { agent, ai_model: model, filter, notes } = componentCatalogue.parse((await api.get(path)).body);
    expect(agent?.common_schema.properties).toMatchObject({ system_prompt: { ui: { widget: 'prompt' } } });
    expect(model?.common_schema.properties).toMatchObject({ llm_credential_id: { ui: { widget: 'llm_credential' } } });
    expect(filter?.config_schema.properties).toMatchObject({ rules: { ui: { widget: 'item_rules' } } });
    expect(notes?.common_schema.properties).toEqual({});
  });
});

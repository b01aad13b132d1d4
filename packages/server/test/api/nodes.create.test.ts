import { node } from '@millrace/contract';
import type { Published } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { startWorkflow } from '../support/app.ts';

const emptyConfig = {
  system_prompt: '',
  extra_config: {},
  llm_credential_id: null,
  model_name: '',
  temperature: null,
  max_tokens: null,
  frequency_penalty: null,
  presence_penalty: null,
  top_p: null,
  timeout: null,
  max_retries: null,
  response_format: null,
  llm_model_config_id: null,
  credential_id: null,
  is_active: true,
  priority: 0,
  trigger_config: {},
};

describe('POST /api/v1/workflows/{slug}/nodes/', () => {
  it('answers 201 with every default, and all common config keys', async () => {
    const api = await startWorkflow();
    const answer = await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'template' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      node_id: 'say',
      label: null,
      component_type: 'template',
      is_entry_point: false,
      interrupt_before: false,
      interrupt_after: false,
      position_x: 0,
      position_y: 0,
      config: emptyConfig,
      subworkflow_id: null,
      code_block_id: null,
      updated_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}$/),
      schedule_job: null,
    });
    expect((await api.get(`${api.path}/nodes/say/`)).body).toEqual(answer.body);
    expect((await api.get(`${api.path}/nodes/`)).body).toEqual([answer.body]);
  });

  it('stores every given field', async () => {
    const api = await startWorkflow();
    const given = {
      node_id: '_A9',
      component_type: 'template',
      label: 'Grüße',
      is_entry_point: true,
      interrupt_before: true,
      interrupt_after: true,
      position_x: -40,
      position_y: 2_000,
      config: {
        ...emptyConfig,
        system_prompt: 'Be kind.',
        temperature: 0.5,
        max_retries: 2,
        priority: 7,
        is_active: false,
        response_format: { type: 'json' },
        extra_config: { template: 'Hello', method: 'POST', headers: { 'X-A': 'b' }, on_error: 'continue' },
      },
      code_block_id: 3,
    };
    const answer = await api.post(`${api.path}/nodes/`, given);
    expect(answer).toMatchObject({ status: 201, body: given });
  });

  it('derives a name from the type if none is given', async () => {
    const api = await startWorkflow();
    const answer = await api.post(`${api.path}/nodes/`, { component_type: 'trigger_manual' });
    expect(node.parse(answer.body).node_id).toMatch(/^trigger_manual_[0-9a-f]{8}$/);
  });

  it('publishes an event, and counts the node', async () => {
    const api = await startWorkflow();
    const events: Published[] = [];
    api.store.subscribe({ published: (published) => void events.push(...published) });
    await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'template' });
    expect(events.map(({ event }) => event)).toMatchObject([{ type: 'node_created', node: { nodeId: 'say' } }]);
    expect((await api.get(`${api.path}/`)).body).toMatchObject({ node_count: 1 });
  });

  it('rejects a name in use with 409', async () => {
    const api = await startWorkflow();
    await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'template' });
    const answer = await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'switch' });
    expect(answer).toMatchObject({ status: 409, body: { detail: "Node with id 'say' already exists." } });
  });

  it('rejects an unknown type, with the closest known one', async () => {
    const api = await startWorkflow();
    const answer = await api.post(`${api.path}/nodes/`, { component_type: 'tempalte' });
    const msg = "Unknown component type 'tempalte'. Did you mean 'template'?";
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'component_type'], msg }] } });
  });

  it('rejects a subworkflow that the caller cannot see', async () => {
    const api = await startWorkflow();
    const other = await api.addUser('other');
    const theirs = await other.post('/api/v1/workflows/', { name: 'B', slug: 'theirs' });
    const subworkflow_id = (theirs.body as { id: number }).id;
    const answer = await api.post(`${api.path}/nodes/`, { component_type: 'template', subworkflow_id });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'subworkflow_id'] }] } });
  });
});

describe('a new node’s fields', () => {
  it.each([
    ['node_id', ''],
    ['node_id', '1a'],
    ['node_id', 'a-b'],
    ['node_id', 'a b'],
    ['node_id', 'ä'],
    ['node_id', 'a'.repeat(256)],
    ['node_id', null],
    ['component_type', undefined],
    ['component_type', null],
    ['component_type', '__proto__'],
    ['label', 5],
    ['label', 'a'.repeat(201)],
    ['is_entry_point', null],
    ['interrupt_before', 'true'],
    ['interrupt_after', 1],
    ['position_x', 1.5],
    ['position_x', '5'],
    ['position_y', null],
    ['position_y', 2 ** 40],
    ['config', null],
    ['config', []],
    ['config', 'a'],
    ['subworkflow_id', 'a'],
    ['subworkflow_id', 424_242],
    ['code_block_id', -1],
  ])('are answered with 422 naming %s if it is %j', async (field, value) => {
    const api = await startWorkflow();
    const answer = await api.post(`${api.path}/nodes/`, { component_type: 'template', [field]: value });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
  });

  it('accept a name of 255 characters', async () => {
    const api = await startWorkflow();
    const node_id = 'a'.repeat(255);
    expect((await api.post(`${api.path}/nodes/`, { node_id, component_type: 'template' })).status).toBe(201);
    expect((await api.get(`${api.path}/nodes/${node_id}/`)).status).toBe(200);
  });
});

describe('a new node’s config', () => {
  it.each([
    [{ system_prompt: null }, ['system_prompt'], expect.any(String)],
    [{ temperature: 'hot' }, ['temperature'], expect.any(String)],
    [{ timeout: 31_536_001 }, ['timeout'], expect.any(String)],
    [{ max_retries: -1 }, ['max_retries'], expect.any(String)],
    [{ extra_config: [] }, ['extra_config'], expect.any(String)],
    [{ extra_config: { method: 'FETCH' } }, ['extra_config', 'method'], 'must be one of "GET", "POST"'],
    [{ extra_config: { headers: { a: 5 } } }, ['extra_config', 'headers', 'a'], expect.any(String)],
    [{ extra_config: { metod: 'GET' } }, ['extra_config', 'metod'], "Unknown key 'metod'. Did you mean 'method'?"],
    [{ extra_config: { zzz: 1 } }, ['extra_config', 'zzz'], "Unknown key 'zzz'."],
    [{ extra_config: { on_error: 'ignore' } }, ['extra_config', 'on_error'], expect.any(String)],
    [
      { extra_config: { retry: { max_attempt: 3 } } },
      ['extra_config', 'retry', 'max_attempt'],
      "Unknown key 'max_attempt'. Did you mean 'max_attempts'?",
    ],
    [{ extra_config: { join: { count: 0 } } }, ['extra_config', 'join', 'count'], expect.any(String)],
  ])('answers 422 to %j, naming the field', async (config, path, msg) => {
    const api = await startWorkflow();
    const answer = await api.post(`${api.path}/nodes/`, { component_type: 'template', config });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ['body', 'config', ...path], msg }] });
  });

  it('reports every field that is wrong', async () => {
    const api = await startWorkflow();
    const config = { extra_config: { method: 'FETCH', template: 5, timeout_seconds: -1 } };
    const answer = await api.post(`${api.path}/nodes/`, { component_type: 'template', config });
    const { detail } = answer.body as { detail: { loc: string[] }[] };
    expect(detail.map(({ loc }) => loc.at(-1)).sort()).toEqual(['method', 'template', 'timeout_seconds']);
  });

  it('has no policies for nodes that never run', async () => {
    const api = await startWorkflow();
    const config = { extra_config: { retry: {} } };
    const answer = await api.post(`${api.path}/nodes/`, { component_type: 'ai_model', config });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'config', 'extra_config', 'retry'] }] },
    });
  });

  it('ignores unknown common keys', async () => {
    const api = await startWorkflow();
    const answer = await api.post(`${api.path}/nodes/`, { component_type: 'template', config: { colour: 'red' } });
    expect(answer).toMatchObject({ status: 201, body: { config: emptyConfig } });
    expect(answer.body).not.toMatchObject({ config: { colour: 'red' } });
  });
});

describe('a new node’s expressions', () => {
  it('are reported with their path if they are invalid', async () => {
    const api = await startWorkflow();
    const config = { extra_config: { template: 'a\n{{ trigger.payload. }}', headers: { 'X-Id': '{{ 1 | uper }}' } } };
    const answer = await api.post(`${api.path}/nodes/`, { component_type: 'template', config });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      detail: [
        {
          type: 'expression',
          loc: ['body', 'config', 'extra_config', 'template'],
          msg: expect.stringContaining('line 2'),
        },
        {
          type: 'expression',
          loc: ['body', 'config', 'extra_config', 'headers', 'X-Id'],
          msg: expect.stringContaining("'upper'"),
        },
      ],
    });
  });

  it('may name nodes that do not exist yet', async () => {
    const api = await startWorkflow();
    const config = { extra_config: { template: '{{ later.output }}' } };
    expect((await api.post(`${api.path}/nodes/`, { component_type: 'template', config })).status).toBe(201);
  });
});

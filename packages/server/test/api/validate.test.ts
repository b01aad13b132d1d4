import { catalogue } from '@millrace/components';
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

it('warns of code that uses an old name of a node, and no longer after the code is corrected', async () => {
  const api = await startWorkflow({ catalogue });
  for (const [node_id, component_type] of [
    ['start', 'trigger_manual'],
    ['fetch', 'transform'],
    ['use', 'code'],
  ]) {
    await api.post(`${api.path}/nodes/`, { node_id, component_type });
  }
  for (const [source, target] of ['start fetch', 'fetch use'].map((pair) => pair.split(' ') as [string, string])) {
    await api.post(`${api.path}/edges/`, edge(source, target));
  }
  await api.patch(`${api.path}/nodes/fetch/`, { config: { extra_config: { expression: '1' } } });
  const code = (name: string) => ({ config: { extra_config: { code: `return \`\${nodes.${name}.output}\`;` } } });
  await api.patch(`${api.path}/nodes/use/`, code('fetch'));
  expect((await api.post(`${api.path}/validate/`)).body).toEqual({ valid: true, errors: [], issues: [] });
  expect((await api.patch(`${api.path}/nodes/fetch/`, { node_id: 'fetched' })).status).toBe(200);
  expect((await api.post(`${api.path}/validate/`)).body).toMatchObject({
    valid: true,
    issues: [
      {
        code: 'unknown_name',
        severity: 'warning',
        node_id: 'use',
        field: 'extra_config.code',
        message: expect.stringContaining("The code names node 'fetch', which does not exist (line 1, column 11)"),
      },
    ],
  });
  await api.patch(`${api.path}/nodes/use/`, code('fetched'));
  expect((await api.post(`${api.path}/validate/`)).body).toMatchObject({ issues: [] });
});

const settings = new Set([
  'bad_setting',
  'missing_input',
  'missing_setting',
  'never_fires',
  'unusable_credential',
  'credential_missing',
]);

async function issuesOf(nodes: readonly object[]): Promise<readonly object[]> {
  const api = await startWorkflow({ catalogue });
  const body = { name: 'A bot', credential_type: 'chat_bot' };
  const { id } = (await api.post('/api/v1/credentials/', body)).body as { id: number };
  // The first credential of this service.
  expect(id).toBe(1);
  for (const node of nodes) expect((await api.post(`${api.path}/nodes/`, node)).status).toBe(201);
  const { issues } = (await api.post(`${api.path}/validate/`)).body as { issues: readonly { code: string }[] };
  return issues.filter(({ code }) => settings.has(code));
}

describe('settings that would fail a run', () => {
  it('are credentials of another type', async () => {
    const config = { llm_credential_id: 1 };
    const [issue] = await issuesOf([{ node_id: 'gpt', component_type: 'ai_model', config }]);
    const message = expect.stringContaining("names credential 1, which is of type 'chat_bot' and not 'llm'");
    const field = 'llm_credential_id';
    expect(issue).toEqual({ code: 'unusable_credential', severity: 'warning', node_id: 'gpt', field, message });
  });

  it.each(['llm_credential_id', 'credential_id'])('are deleted credentials, in %s', async (field) => {
    const api = await startWorkflow({ catalogue });
    const { id } = (await api.post('/api/v1/credentials/', { name: 'A', credential_type: 'llm' })).body as {
      id: number;
    };
    await api.post(`${api.path}/nodes/`, { node_id: 'gpt', component_type: 'ai_model', config: { [field]: id } });
    await api.delete(`/api/v1/credentials/${id}/`);
    const message = expect.stringContaining(`names credential ${id}, which does not exist: set its ${field}`);
    const issue = { code: 'credential_missing', severity: 'warning', node_id: 'gpt', field, message };
    expect((await api.post(`${api.path}/validate/`)).body).toMatchObject({ issues: expect.arrayContaining([issue]) });
  });

  it('are numbers that no provider accepts', async () => {
    const config = { temperature: 2.5, top_p: -1, frequency_penalty: 3, presence_penalty: -2.1, max_tokens: 5 };
    const issues = await issuesOf([{ node_id: 'gpt', component_type: 'ai_model', config }]);
    expect(issues).toHaveLength(4);
    expect(issues[0]).toEqual({
      code: 'bad_setting',
      severity: 'warning',
      node_id: 'gpt',
      field: 'temperature',
      message: "Node 'gpt', temperature: must be from 0 to 2",
    });
    const fine = { temperature: 2, top_p: 0, frequency_penalty: -2, presence_penalty: 2 };
    expect(await issuesOf([{ node_id: 'gpt', component_type: 'ai_model', config: fine }])).toEqual([]);
    // A node without a model also has these keys, but nothing reads them.
    expect(await issuesOf([{ node_id: 'text', component_type: 'transform', config }])).toEqual([]);
  });

  it('are missing ones without a substitute', async () => {
    const issue = { code: 'missing_setting', severity: 'error' };
    expect(await issuesOf([{ node_id: 'a', component_type: 'code' }])).toMatchObject([
      { ...issue, message: "Node 'a' has no 'code', without which it cannot run: set its code" },
    ]);
    expect(await issuesOf([{ node_id: 'a', component_type: 'template' }])).toMatchObject([issue]);
  });

  it('are constant values that can never be valid', async () => {
    const of = (component_type: string, extra_config: object) =>
      issuesOf([{ node_id: 'a', component_type, config: { extra_config } }]);
    expect(await of('http_request', { url: 'ftp://x' })).toMatchObject([
      {
        code: 'bad_setting',
        severity: 'error',
        field: 'extra_config.url',
        message: "Node 'a', extra_config.url: must begin with http:// or https://",
      },
    ]);
    expect(await of('wait', { until: 'tomorrow' })).toMatchObject([
      { code: 'bad_setting', severity: 'error', field: 'extra_config.until' },
    ]);
  });

  it.each([
    ['output_parser', { parser: 'regex', pattern: '(a' }, 'extra_config.pattern', 'The pattern is invalid'],
    ['output_parser', { parser: 'regex', pattern: '(a)\\1' }, 'extra_config.pattern', 'The pattern is invalid'],
    ['output_parser', { schema: { type: 'word' } }, 'extra_config.schema', 'is not valid JSON Schema 2020-12'],
    [
      'switch',
      { rules: [{ id: 'a', field: 'input', operator: 'matches_regex', value: '[' }] },
      'extra_config.rules.0.value',
      'The pattern is invalid',
    ],
  ])('are values that %s cannot compile: %j', async (component_type, extra_config, field, words) => {
    const issues = await issuesOf([{ node_id: 'n', component_type, config: { extra_config } }]);
    const message = expect.stringContaining(words);
    expect(issues).toEqual([{ code: 'bad_setting', severity: 'error', node_id: 'n', field, message }]);
  });

  it('are also reported for a text, with their position, and do not prevent storing it', async () => {
    const api = await startWorkflow({ catalogue });
    const yaml_str =
      'name: T\nslug: parsed\nnodes:\n  - id: p\n    type: output_parser\n    parser: regex\n    pattern: "("\n';
    const checked = await api.post('/api/v1/workflows/validate-dsl/', { yaml_str });
    expect(checked.body).toMatchObject({ valid: false });
    const { issues } = checked.body as { issues: readonly { code: string }[] };
    expect(issues.find(({ code }) => code === 'bad_setting')).toMatchObject({ node_id: 'p', line: 7, column: 14 });
    expect((await api.post('/api/v1/workflows/import/', { yaml_str })).status).toBe(201);
  });

  it('are not values that contain an expression', async () => {
    const rules = [{ id: 'a', field: 'input', operator: 'matches_regex', value: '[{{ trigger.text }}' }];
    const config = { extra_config: { rules } };
    expect(await issuesOf([{ node_id: 'n', component_type: 'switch', config }])).toEqual([]);
  });
});

describe('an input that neither an edge nor the config supplies', () => {
  it.each([
    ['http_request', "Node 'a' has no value for its input 'url': set its url, or connect a node whose output is text"],
    [
      'calculator',
      "Node 'a' has no value for its input 'expression': set its expression, or connect a node whose output is text",
    ],
    ['loop', "Node 'a' has no value for its input 'items': set its items, or connect a node whose output is array"],
    ['filter', "Node 'a' has no value for its input 'input': connect a node whose output is array"],
  ])('is reported for %s', async (component_type, message) => {
    expect(await issuesOf([{ node_id: 'a', component_type }])).toEqual([
      { code: 'missing_input', severity: 'error', node_id: 'a', message },
    ]);
  });

  it.each([
    ['http_request', { url: 'https://shop.example' }],
    ['calculator', { expression: '1 + 1' }],
    ['loop', { items: [1] }],
    ['human_confirmation', {}],
  ])('is not reported for %s with %j', async (component_type, extra_config) => {
    expect(await issuesOf([{ node_id: 'a', component_type, config: { extra_config } }])).toEqual([]);
  });
});

describe('settings that are useless as a whole', () => {
  it('are a wait for nothing, and a schedule without a time or for a date that never occurs', async () => {
    const node = (node_id: string, component_type: string, extra_config: object, more: object = {}) => ({
      node_id,
      component_type,
      config: { extra_config, ...more },
    });
    const never = { cron: '0 0 30 2 *' };
    const found = await issuesOf([
      node('pause', 'wait', { unit: 'days' }),
      node('enough', 'wait', { duration: '{{ trigger.payload.n }}' }),
      node('never', 'trigger_schedule', never),
      node('off', 'trigger_schedule', never, { is_active: false }),
      node('sometimes', 'trigger_schedule', { cron: '0 0 29 2 *' }),
      node('often', 'trigger_schedule', { interval_seconds: 5 }),
      node('empty', 'trigger_schedule', {}),
    ]);
    expect(found).toMatchObject([
      { code: 'missing_setting', severity: 'error', node_id: 'pause' },
      {
        code: 'never_fires',
        severity: 'error',
        node_id: 'never',
        field: 'extra_config.cron',
        message: "Node 'never', extra_config.cron: Never fires: no date has this day, month and weekday",
      },
      { code: 'missing_setting', severity: 'warning', node_id: 'empty' },
    ]);
  });

  it('are a credential for checking signatures without a secret', async () => {
    const hook = (node_id: string, signature: string) => ({
      node_id,
      component_type: 'trigger_webhook',
      config: { credential_id: 1, extra_config: { signature } },
    });
    expect(await issuesOf([hook('signed', 'git_host_a'), hook('open', 'none')])).toMatchObject([
      { code: 'missing_setting', severity: 'warning', node_id: 'signed', field: 'credential_id' },
    ]);
  });

  it.each([
    [
      'a schedule that never fires',
      '  - id: s\n    type: trigger_schedule\n    cron: 0 0 30 2 *\n',
      'never_fires',
      6,
      11,
    ],
    ['a wait for nothing', '  - id: s\n    type: wait\n    unit: days\n', 'missing_setting', 4, 9],
  ])('are reported for %s in a text, which can still be stored', async (_, node, code, line, column) => {
    const api = await startWorkflow({ catalogue });
    const yaml_str = `name: T\nslug: odd\nnodes:\n${node}`;
    const issue = { code, severity: 'error', node_id: 's', line, column };
    const checked = await api.post('/api/v1/workflows/validate-dsl/', { yaml_str });
    expect(checked.body).toMatchObject({
      valid: false,
      issues: expect.arrayContaining([expect.objectContaining(issue)]),
    });
    const stored = await api.post('/api/v1/workflows/import/', { yaml_str });
    expect(stored).toMatchObject({
      status: 201,
      body: { issues: expect.arrayContaining([expect.objectContaining(issue)]) },
    });
    expect((await api.post('/api/v1/workflows/odd/validate/')).body).toMatchObject({ valid: false });
  });

  it('are reported at the position at which a text names the credential', async () => {
    const api = await startWorkflow({ catalogue });
    await api.post('/api/v1/credentials/', { name: 'host', credential_type: 'git' });
    const yaml_str =
      'name: T\nnodes:\n  - id: hook\n    type: trigger_webhook\n    signature: git_host_b\n    credential: host\n';
    expect((await api.post('/api/v1/workflows/validate-dsl/', { yaml_str })).body).toMatchObject({
      valid: true,
      issues: [{ code: 'missing_setting', severity: 'warning', node_id: 'hook', line: 6, column: 17 }],
    });
    await api.patch('/api/v1/credentials/1/', { detail: { webhook_secret: 'a-secret-of-mine' } });
    expect((await api.post('/api/v1/workflows/validate-dsl/', { yaml_str })).body).toMatchObject({ issues: [] });
  });
});

describe('the headers of nodes', () => {
  it('are checked if they are constant: those that cannot be set, and those that no answer contains', async () => {
    const headers = {
      'X-Order': '{{ trigger.payload.id }}',
      'Set-Cookie': 'a=b',
      'Cache-Control': '{{ trigger.text }}',
    };
    const answer = { node_id: 'say', component_type: 'respond', config: { extra_config: { headers } } };
    const ask = {
      node_id: 'ask',
      component_type: 'http_request',
      config: { extra_config: { url: 'https://shop.example', headers: { Host: 'x' } } },
    };
    const typed = { headers: { 'content-type': 'text/javascript' } };
    const page = { node_id: 'page', component_type: 'respond', config: { extra_config: typed } };
    const place = 'extra_config.headers';
    expect(await issuesOf([answer, ask, page])).toEqual([
      {
        code: 'bad_setting',
        severity: 'error',
        node_id: 'say',
        field: `${place}.Set-Cookie`,
        message: `Node 'say', ${place}.Set-Cookie: 'headers' must not set 'set-cookie': the service sets it.`,
      },
      {
        code: 'bad_setting',
        severity: 'warning',
        node_id: 'say',
        field: `${place}.Cache-Control`,
        message: expect.stringContaining('Is omitted from the response'),
      },
      expect.objectContaining({ node_id: 'ask', severity: 'error', field: `${place}.Host` }),
      expect.objectContaining({ node_id: 'page', severity: 'error', field: `${place}.content-type` }),
    ]);
  });
});

describe('code that names nodes', () => {
  const issuesIn = async (api: Started) =>
    ((await api.post(`${api.path}/validate/`)).body as { issues: { code: string }[] }).issues.filter(
      ({ code }) => code === 'unknown_name',
    );

  it('is reported with a warning if it names a missing node, because renaming a node does not change code', async () => {
    const api = await startWorkflow({ catalogue });
    const code = '// as nodes.gone did\nreturn nodes.fetched.output;';
    await api.post(`${api.path}/nodes/`, { node_id: 'fetched', component_type: 'template' });
    const make = { node_id: 'make', component_type: 'code', config: { extra_config: { code } } };
    await api.post(`${api.path}/nodes/`, make);
    expect(await issuesIn(api)).toEqual([]);
    await api.patch(`${api.path}/nodes/fetched/`, { node_id: 'fetch' });
    const place = "(line 2, column 8) Did you mean 'fetch'?";
    const message = `Node 'make', extra_config.code: The code names node 'fetched', which does not exist ${place}`;
    const issue = { severity: 'warning', node_id: 'make', field: 'extra_config.code', message };
    expect(await issuesIn(api)).toEqual([{ code: 'unknown_name', ...issue }]);
  });
});

import { catalogue } from '@millrace/components';
import { describe, expect, it } from 'vitest';
import { startWorkflow } from '../support/app.ts';
import { settingIssues } from '../support/setting-issues.ts';

describe('settings that would fail a run', () => {
  it('are credentials of another type', async () => {
    const config = { llm_credential_id: 1 };
    const [issue] = await settingIssues([{ node_id: 'gpt', component_type: 'ai_model', config }]);
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
    const issues = await settingIssues([{ node_id: 'gpt', component_type: 'ai_model', config }]);
    expect(issues).toHaveLength(4);
    expect(issues[0]).toEqual({
      code: 'bad_setting',
      severity: 'warning',
      node_id: 'gpt',
      field: 'temperature',
      message: "Node 'gpt', temperature: must be from 0 to 2",
    });
    const fine = { temperature: 2, top_p: 0, frequency_penalty: -2, presence_penalty: 2 };
    expect(await settingIssues([{ node_id: 'gpt', component_type: 'ai_model', config: fine }])).toEqual([]);
    // A node without a model also has these keys, but nothing reads them.
    expect(await settingIssues([{ node_id: 'text', component_type: 'transform', config }])).toEqual([]);
  });

  it('are missing ones without a substitute', async () => {
    const issue = { code: 'missing_setting', severity: 'error' };
    expect(await settingIssues([{ node_id: 'a', component_type: 'code' }])).toMatchObject([
      { ...issue, message: "Node 'a' has no 'code', without which it cannot run: set its code" },
    ]);
    expect(await settingIssues([{ node_id: 'a', component_type: 'template' }])).toMatchObject([issue]);
  });

  it('are constant values that can never be valid', async () => {
    const of = (component_type: string, extra_config: object) =>
      settingIssues([{ node_id: 'a', component_type, config: { extra_config } }]);
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
    const issues = await settingIssues([{ node_id: 'n', component_type, config: { extra_config } }]);
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
    expect(await settingIssues([{ node_id: 'n', component_type: 'switch', config }])).toEqual([]);
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
    const found = await settingIssues([
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
    expect(await settingIssues([hook('signed', 'git_host_a'), hook('open', 'none')])).toMatchObject([
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

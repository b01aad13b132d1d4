import { catalogue } from '@millrace/components';
import { dslValidation, importedWorkflow, validation } from '@millrace/contract';
import { describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';

type Api = Awaited<ReturnType<typeof startTestApp>>;

/** Workflows that call others: `a: ['b']`. */
async function workflows(api: Api, calls: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [slug, called] of Object.entries(calls)) {
    await api.post('/api/v1/workflows/', { name: slug, slug });
    await api.post(`/api/v1/workflows/${slug}/nodes/`, { node_id: 'begin', component_type: 'trigger_workflow' });
    for (const [index, workflow] of called.entries()) {
      const node_id = `call_${index}`;
      const config = { extra_config: { workflow } };
      await api.post(`/api/v1/workflows/${slug}/nodes/`, { node_id, component_type: 'workflow', config });
      await api.post(`/api/v1/workflows/${slug}/edges/`, { source_node_id: 'begin', target_node_id: node_id });
    }
  }
}

async function validate(api: Pick<Api, 'post'>, slug: string) {
  return (await api.post(`/api/v1/workflows/${slug}/validate/`, undefined)).body;
}

test('validate reports a workflow that calls itself, directly or through others', async () => {
  const api = await startTestApp({ catalogue });
  await workflows(api, {
    itself: ['itself'],
    a: ['b'],
    b: ['c'],
    c: ['a'],
    into: ['a'],
    fine: ['leaf', 'leaf'],
    leaf: [],
  });
  expect(await validate(api, 'itself')).toMatchObject({
    valid: false,
    errors: ["Node 'call_0' runs this workflow itself."],
    issues: [{ code: 'subworkflow_cycle', severity: 'error', node_id: 'call_0' }],
  });
  expect(await validate(api, 'a')).toMatchObject({
    valid: false,
    errors: ["Node 'call_0' runs workflow 'b', which calls this one again."],
  });
  // It leads to the cycle but is not part of it.
  expect(await validate(api, 'into')).toMatchObject({ valid: true });
  expect(await validate(api, 'fine')).toMatchObject({ valid: true });
});

test('validate reports a called workflow that cannot be started', async () => {
  const api = await startTestApp({ catalogue });
  await workflows(api, { main: ['leaf'], leaf: [] });
  expect(await validate(api, 'main')).toMatchObject({ valid: true });
  await api.patch('/api/v1/workflows/leaf/', { is_active: false });
  expect(await validate(api, 'main')).toMatchObject({
    valid: false,
    errors: ["Node 'call_0': workflow 'leaf' cannot be started: it is not active."],
    issues: [{ code: 'subworkflow_start', node_id: 'call_0', field: 'extra_config.workflow' }],
  });
  await api.patch('/api/v1/workflows/leaf/', { is_active: true });
  await api.patch('/api/v1/workflows/leaf/nodes/begin/', { config: { is_active: false } });
  expect(await validate(api, 'main')).toMatchObject({
    errors: ["Node 'call_0': workflow 'leaf' cannot be started: it has no active trigger_workflow."],
  });
});

test('validate reports a missing workflow; a slug by expression is looked up when the step runs', async () => {
  const api = await startTestApp({ catalogue });
  await workflows(api, { main: ['nowhere', '{{ trigger.text }}'] });
  expect(await validate(api, 'main')).toMatchObject({
    valid: false,
    errors: ["Node 'call_0': workflow 'nowhere' does not exist, or the workflow's owner may not see it."],
    issues: [{ code: 'unknown_workflow', node_id: 'call_0' }],
  });
});

const texts = '/api/v1/workflows/';

/** A text whose node `call` runs another workflow; its config starts on line 7. */
function calling(config: string, header = 'slug: main'): string {
  const lines = config.split('\n').map((line) => `    ${line}\n`);
  return `name: Main\n${header}\nnodes:\n  - {id: start, type: trigger_manual}\n  - id: call\n    type: workflow\n${lines.join('')}edges: [start -> call]\n`;
}

/** The issues of a text, which must be the same for its validation, its import and the imported workflow. */
async function issuesOf(api: Pick<Api, 'post'>, yaml_str: string) {
  const checked = dslValidation.parse((await api.post(`${texts}validate-dsl/`, { yaml_str })).body);
  const stored = importedWorkflow.parse((await api.post(`${texts}import/`, { yaml_str })).body);
  expect(stored.issues).toEqual(checked.issues);
  const later = validation.parse(await validate(api, stored.slug));
  expect(later.valid).toBe(checked.valid);
  expect(later.issues).toEqual(checked.issues.map(({ line: _line, column: _column, ...issue }) => issue));
  return checked.issues;
}

const contact = {
  type: 'object',
  required: ['email'],
  properties: { email: { type: 'string' }, age: { type: 'integer' } },
  additionalProperties: false,
};

/** Creates a workflow that can be called. */
async function callee(api: Api, slug: string, fields: object = {}): Promise<void> {
  await api.post(texts, { name: slug, slug, ...fields });
  await api.post(`${texts}${slug}/nodes/`, { node_id: 'begin', component_type: 'trigger_workflow' });
}

describe('a text that runs another workflow', () => {
  test('is reported with the position of the name if that workflow is missing, and can be stored', async () => {
    const api = await startTestApp({ catalogue });
    expect(await issuesOf(api, calling('workflow: nowhere'))).toMatchObject([
      { code: 'unknown_workflow', node_id: 'call', field: 'extra_config.workflow', line: 7, column: 15 },
    ]);
    expect(await issuesOf(api, calling('workflow: "{{ trigger.text }}"'))).toEqual([]);
  });

  test('is checked for cycles even before it is stored', async () => {
    const api = await startTestApp({ catalogue });
    await workflows(api, { back: ['main'], far: ['back'], other: [] });
    expect(await issuesOf(api, calling('workflow: main'))).toMatchObject([
      { code: 'subworkflow_cycle', message: "Node 'call' runs this workflow itself.", line: 7, column: 15 },
    ]);
    expect(await issuesOf(api, calling('workflow: far', 'slug: fresh'))).toEqual([]);
    await api.delete(`${texts}main/`);
    expect(await issuesOf(api, calling('workflow: far'))).toMatchObject([{ code: 'subworkflow_cycle' }]);
    expect(await issuesOf(api, calling('workflow: other'))).toEqual([]);
  });

  test('is checked as the workflow of the slug that an import names', async () => {
    const api = await startTestApp({ catalogue });
    await workflows(api, { back: ['elsewhere'] });
    const yaml_str = calling('workflow: back');
    const { body } = await api.post(`${texts}import/`, { yaml_str, slug: 'elsewhere' });
    expect(body).toMatchObject({ slug: 'elsewhere', issues: [{ code: 'subworkflow_cycle' }] });
    expect(await validate(api, 'elsewhere')).toMatchObject({ valid: false });
  });
});

describe('the payload for a called workflow', () => {
  test.each([
    ['payload: {email: a@example.org, age: 5}', null],
    ['payload: "{{ trigger.payload }}"', null],
    ['payload: {email: "{{ trigger.payload.a }}", age: "{{ trigger.payload.n }}"}', null],
    ['wait: false', null],
    ['payload: {age: 5}', 'extra_config.payload.email: is missing'],
    ['payload: {age: "{{ trigger.payload.n }}"}', 'extra_config.payload.email: is missing'],
    ['payload: {email: 5, age: "{{ 1 }}"}', 'extra_config.payload.email: must be string'],
    ['payload: {email: x, age: "5 {{ 1 }}"}', 'extra_config.payload.age: must be integer'],
    [
      'payload: {email: "{{ x.y }}", nme: 1}',
      'extra_config.payload.nme: is not one of the keys that the schema allows',
    ],
    ['payload: "Hello {{ trigger.payload.name }}"', 'extra_config.payload: must be object'],
  ])('must match its input_schema: %s', async (config, violation) => {
    const api = await startTestApp({ catalogue });
    await callee(api, 'enrich', { input_schema: contact });
    const found = await issuesOf(api, calling(`workflow: enrich\n${config}`));
    const message = `Node 'call', ${violation} (input_schema of workflow 'enrich')`;
    const issues = found.filter(({ code }) => code === 'subworkflow_input');
    expect(issues).toMatchObject(violation === null ? [] : [{ message, severity: 'error', node_id: 'call', line: 8 }]);
  });

  test('is reported at the wrong value, at the extra key, or at the object with a missing key', async () => {
    const api = await startTestApp({ catalogue });
    await callee(api, 'enrich', { input_schema: contact });
    const place = async (payload: string) => {
      const [found] = await issuesOf(api, calling(`workflow: enrich\npayload: ${payload}`));
      return [found?.line, found?.column];
    };
    expect(await place('{email: 5}')).toEqual([8, 22]);
    expect(await place('{email: x, nme: 1}')).toEqual([8, 25]);
    expect(await place('{}')).toEqual([8, 14]);
  });

  test('is not checked if the other workflow has no schema, or one that is too large', async () => {
    const api = await startTestApp({ catalogue });
    await callee(api, 'free');
    const long = { type: 'object', description: 'x'.repeat(40_000), required: ['a'] };
    await callee(api, 'long', { input_schema: long });
    expect(await issuesOf(api, calling('workflow: free\npayload: {}'))).toEqual([]);
    expect(await issuesOf(api, calling('workflow: long\npayload: {}'))).toEqual([]);
  });
});

describe('a user who may not see the called workflow', () => {
  const hidden = { required: ['secret_word'] };

  test('gets the same answer for workflows of others as for missing ones', async () => {
    const api = await startTestApp({ catalogue });
    await callee(api, 'mine', { input_schema: hidden });
    const stranger = await api.addUser('stranger');
    expect(await issuesOf(stranger, calling('workflow: mine\npayload: {}'))).toMatchObject([
      { code: 'unknown_workflow', message: expect.stringContaining("workflow 'mine' does not exist, or") },
    ]);
    const elsewhere = await issuesOf(stranger, calling('workflow: nothing', 'slug: second'));
    expect(elsewhere[0]?.message.replace('nothing', 'mine')).toBe(
      (await issuesOf(stranger, calling('workflow: mine')))[0]?.message,
    );
  });

  test('learns as an editor that the payload does not match the owner’s workflow, and nothing more', async () => {
    const api = await startTestApp({ catalogue });
    await callee(api, 'mine', { input_schema: hidden });
    await api.post(texts, { name: 'Main', slug: 'main' });
    const editor = await api.addUser('editor');
    await api.post(`${texts}main/collaborators/`, { username: 'editor', role: 'editor' });
    const text = calling('workflow: mine\npayload: {}');
    expect(await issuesOf(editor, text)).toMatchObject([
      {
        code: 'subworkflow_input',
        field: 'extra_config.payload',
        message: "Node 'call', extra_config.payload: is not what it accepts (input_schema of workflow 'mine')",
      },
    ]);
    expect(JSON.stringify(await validate(editor, 'main'))).not.toContain('secret_word');
    expect(JSON.stringify(await validate(api, 'main'))).toContain('secret_word');
  });

  test('does not learn as an editor whether it can be started now', async () => {
    const api = await startTestApp({ catalogue });
    await callee(api, 'mine', { is_active: false });
    await api.post(texts, { name: 'Main', slug: 'main' });
    const editor = await api.addUser('editor');
    await api.post(`${texts}main/collaborators/`, { username: 'editor', role: 'editor' });
    expect(await issuesOf(editor, calling('workflow: mine'))).toEqual([]);
    expect(JSON.stringify(await validate(editor, 'main'))).not.toContain('not active');
    expect(JSON.stringify(await validate(api, 'main'))).toContain('not active');
  });

  test('sees no cycle through it, unless the others may see this workflow', async () => {
    const api = await startTestApp({ catalogue });
    await workflows(api, { back: ['main'] });
    await api.patch(`${texts}back/`, { is_public: true });
    const stranger = await api.addUser('stranger');
    expect(await issuesOf(stranger, calling('workflow: back'))).toEqual([]);
    const shown = calling('workflow: back', 'slug: main\nis_public: true');
    expect(await issuesOf(stranger, shown)).toMatchObject([{ code: 'subworkflow_cycle' }]);
  });
});

test('validation follows a limited number of workflows', async () => {
  const api = await startTestApp({ catalogue });
  const row = (length: number) => Array.from({ length }, (_, index) => `w${String(index).padStart(4, '0')}`);
  await callee(api, 'w0000');
  const nodes = row(1500).map((slug) => `  - {id: ${slug}, type: workflow, workflow: ${slug}}\n`);
  const body = { yaml_str: `name: T\nnodes:\n${nodes.join('')}` };
  const { issues } = dslValidation.parse((await api.post(`${texts}validate-dsl/`, body)).body);
  const missing = issues.filter(({ code }) => code === 'unknown_workflow');
  // If there are very many issues, only the first are shown.
  expect(missing.length).toBeGreaterThan(100);
  expect(issues.some(({ node_id }) => node_id === 'w0000')).toBe(false);
});

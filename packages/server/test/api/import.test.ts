import { importedWorkflow, node, workflowDetail } from '@millrace/contract';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { WholeApp } from '../support/whole-app.ts';

const path = '/api/v1/workflows/import/';

const text = `name: Greeting
slug: greeting
nodes:
  - id: start
    type: trigger_manual
  - id: say
    type: template
    template: Hello {{ start.text }}
edges:
  - start -> say
layout:
  start: [0, 0]
  say: [200, 0]
`;

async function start() {
  const api = await startTestApp();
  const put = async (yaml_str: string, slug?: string) =>
    api.post(path, { yaml_str, ...(slug !== undefined && { slug }) });
  const read = async (slug = 'greeting') => workflowDetail.parse((await api.get(`/api/v1/workflows/${slug}/`)).body);
  const exported = async (slug = 'greeting') => (await api.get(`/api/v1/workflows/${slug}/export/`)).body;
  return { api, put, read, exported };
}

describe('POST /api/v1/workflows/import/', () => {
  it('creates the workflow of a text', async () => {
    const { put, read } = await start();
    const answer = await put(text);
    expect(answer).toMatchObject({ status: 201, body: { slug: 'greeting', node_count: 2, edge_count: 1, issues: [] } });
    expect(await read()).toMatchObject({
      name: 'Greeting',
      nodes: [
        { node_id: 'start' },
        { node_id: 'say', position_x: 200, config: { extra_config: { template: 'Hello {{ start.text }}' } } },
      ],
      edges: [{ source_node_id: 'start', target_node_id: 'say' }],
    });
  });

  it('creates it in one step: it is never visible without its graph, and models are linked', async () => {
    const { api, put, read } = await start();
    const events: string[][] = [];
    api.store.subscribe({ published: (list) => events.push(list.map(({ event }) => event.type)) });
    const agent = 'nodes:\n  - id: gpt\n    type: ai_model\n  - id: ai\n    type: agent\nedges:\n  - gpt -llm-> ai\n';
    expect((await put(`name: A\nslug: greeting\n${agent}`)).status).toBe(201);
    expect(events).toHaveLength(1);
    const { version, nodes } = await read();
    expect(version).toBe(2);
    expect(nodes[1]?.config.llm_model_config_id).toBe(nodes[0]?.id);
  });

  it('changes an existing workflow in one save, and unchanged parts keep their ids', async () => {
    const { api, put, read } = await start();
    await put(text);
    const before = await read();
    const events: string[] = [];
    api.store.subscribe({ published: (list) => events.push(...list.map(({ event }) => event.type)) });
    const changed = text
      .replace('name: Greeting', 'name: Farewell\ntags: [polite]')
      .replace('Hello', 'Goodbye')
      .replace('edges:', '  - id: note\n    type: notes\nedges:');
    expect(await put(changed)).toMatchObject({ status: 200, body: { name: 'Farewell', version: before.version + 1 } });
    const after = await read();
    expect(after.nodes.slice(0, 2).map(({ id }) => id)).toEqual(before.nodes.map(({ id }) => id));
    expect(after.edges).toEqual(before.edges);
    expect(after).toMatchObject({
      tags: ['polite'],
      nodes: [{}, { config: { extra_config: { template: 'Goodbye {{ start.text }}' } } }, { node_id: 'note' }],
    });
    expect(events).toEqual(['workflow_updated', 'node_updated', 'node_created']);
  });

  it('changes nothing if the text equals the workflow', async () => {
    const { put, read } = await start();
    await put(text);
    const before = await read();
    expect((await put(text)).status).toBe(200);
    expect(await read()).toEqual(before);
  });

  it('deletes what the text does not contain, and keeps the positions of nodes if it has no layout', async () => {
    const { put, read } = await start();
    await put(text);
    expect((await put(text.slice(0, text.indexOf('edges:')))).status).toBe(200);
    expect(await read()).toMatchObject({
      edges: [],
      nodes: [{ node_id: 'start' }, { node_id: 'say', position_x: 200 }],
    });
    await put('name: Greeting\nslug: greeting\n');
    expect(await read()).toMatchObject({ node_count: 0, nodes: [], edges: [] });
  });

  it('replaces a node whose type changes', async () => {
    const { put, read } = await start();
    await put(text);
    const before = await read();
    await put(text.replace('type: template', 'type: notes').replace(/ +template: .*\n/, ''));
    const after = await read();
    expect(after.nodes[0]).toEqual(before.nodes[0]);
    expect(after.nodes[1]).toMatchObject({ node_id: 'say', component_type: 'notes' });
    expect(after.nodes[1]?.id).not.toBe(before.nodes[1]?.id);
    expect(after.edges).toEqual(before.edges);
  });

  it('links nodes to the models of their edges, including new ones', async () => {
    const { api, put, read } = await start();
    const nodes = '  - {id: ai, type: agent}\n  - {id: m, type: ai_model}\n  - {id: m2, type: ai_model}\n';
    await put(`name: G\nslug: greeting\nnodes:\n${nodes}edges: [m -llm-> ai]`);
    const linkOf = async () =>
      node.parse((await api.get('/api/v1/workflows/greeting/nodes/ai/')).body).config.llm_model_config_id;
    const { nodes: made } = await read();
    expect(await linkOf()).toBe(made[1]?.id);
    await put(`name: G\nslug: greeting\nnodes:\n${nodes}edges: [m2 -llm-> ai]`);
    expect(await linkOf()).toBe(made[2]?.id);
    await put(`name: G\nslug: greeting\nnodes:\n${nodes}`);
    expect(await linkOf()).toBeNull();
  });
});

describe('an import into an existing workflow', () => {
  it.each([
    ['', false, false],
    ['', true, true],
    ['is_active: true', false, true],
    ['is_active: false', true, false],
  ])('with %j changes is_active from %j to %j', async (line, before, after) => {
    const api = await startTestApp();
    const text = (own: string) => `name: A\nslug: a\n${own}\nnodes:\n  - {id: start, type: trigger_manual}\n`;
    const made = await api.post('/api/v1/workflows/import/', { yaml_str: text('') });
    expect([made.status, importedWorkflow.parse(made.body).is_active]).toEqual([201, true]);
    await api.patch('/api/v1/workflows/a/', { is_active: before });
    const answer = await api.post('/api/v1/workflows/import/', { yaml_str: text(line) });
    expect([answer.status, importedWorkflow.parse(answer.body).is_active]).toEqual([200, after]);
  });
});

describe('an imported text', () => {
  it('may contain an unfinished workflow, whose issues are returned', async () => {
    const { put } = await start();
    const unfinished = text.replace('start -> say', 'start -> gone').replace('start.text', 'strt.text');
    const body = importedWorkflow.parse((await put(unfinished)).body);
    expect(body.issues.map(({ code, line }) => `${line} ${code}`)).toEqual([
      '6 unreachable',
      '8 unknown_name',
      '10 missing_node',
    ]);
  });

  it('is rejected with all errors that prevent storing it, and changes nothing', async () => {
    const { put, read } = await start();
    await put(text);
    const before = await read();
    const broken = text.replace('type: template', 'type: templat').replace('layout', 'layuot');
    expect(await put(broken)).toMatchObject({
      status: 422,
      body: {
        detail: [
          { type: 'unknown_component', loc: ['body', 'yaml_str', 7, 11], msg: expect.stringContaining("'templat'") },
          { type: 'unknown_key', loc: ['body', 'yaml_str', 11, 1] },
        ],
      },
    });
    expect(await put('a: [')).toMatchObject({ status: 422, body: { detail: [{ type: 'syntax' }] } });
    expect(await read()).toEqual(before);
  });

  it('is stored under the slug of the request', async () => {
    const { put, read } = await start();
    expect((await put(text, 'other')).status).toBe(201);
    expect((await put(text.replace('Greeting', 'Second'), 'other')).status).toBe(200);
    expect(await read('other')).toMatchObject({ name: 'Second', slug: 'other' });
    expect((await put(text, 'import')).status).toBe(422);
  });

  it('changes no workflow by a slug that was derived from its name', async () => {
    const { put, read } = await start();
    await put(text);
    const before = await read();
    expect(await put('name: Greeting\n')).toMatchObject({
      status: 409,
      body: { detail: "Workflow 'greeting' already exists: to change it, give its 'slug' explicitly." },
    });
    expect(await read()).toEqual(before);
    expect((await put('name: Greeting\n', 'greeting')).status).toBe(200);
  });

  it('conflicts with a slug of another user', async () => {
    const { api, put } = await start();
    const other = await api.addUser('other');
    await put(text);
    expect(await other.post(path, { yaml_str: text })).toMatchObject({
      status: 409,
      body: { detail: "Workflow with slug 'greeting' already exists." },
    });
    await api.patch('/api/v1/workflows/greeting/', { is_public: true });
    expect((await other.post(path, { yaml_str: text })).status).toBe(403);
  });
});

describe('an import by an editor', () => {
  it('preserves what the editor cannot see', async () => {
    const whole = await WholeApp.start();
    const [owner, editor] = [await whole.member('owner'), await whole.member('editor')];
    const put = async (member: typeof owner, yaml_str: string) => (await member.post(path, { yaml_str })).status;
    const exported = async (member: typeof owner) =>
      ((await member.get('/api/v1/workflows/greeting/export/')).body as { yaml_str: string }).yaml_str;
    expect(await put(owner, 'name: S\nslug: secret\nnodes:\n  - {id: begin, type: trigger_workflow}\n')).toBe(201);
    const call = '  - {id: call, type: template, subworkflow: secret}\n';
    expect(await put(owner, `${text.replace('nodes:\n', `nodes:\n${call}`)}error_handler: secret\n`)).toBe(201);
    const stored = await exported(owner);
    await owner.post('/api/v1/workflows/greeting/collaborators/', { username: 'editor', role: 'editor' });
    const shown = await exported(editor);
    expect(shown).not.toContain('secret');
    expect(await put(editor, shown)).toBe(200);
    expect(await exported(owner)).toBe(stored);
    // The owner can see it, so the same text of the owner removes it.
    expect(await put(owner, shown)).toBe(200);
    expect(await exported(owner)).toBe(shown);
    await whole.close();
  });
});

describe('GET /api/v1/workflows/{slug}/export/', () => {
  it('returns the canonical text, as JSON or as YAML', async () => {
    const { api, put, exported } = await start();
    await put(text);
    expect(await exported()).toEqual({ yaml_str: text });
    const url = '/api/v1/workflows/greeting/export/';
    const answer = await api.inject({ method: 'GET', url, headers: { accept: 'text/yaml' } });
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/yaml; charset=utf-8' }, text });
  });

  it('names no workflow that the caller may not see', async () => {
    const { api, put, exported } = await start();
    await put('name: Handler\nslug: handler\n');
    await put(`error_handler: handler\nis_public: true\n${text}`);
    expect(await exported()).toMatchObject({ yaml_str: expect.stringContaining('error_handler: handler') });
    const other = await api.addUser('other');
    const seen = await other.get('/api/v1/workflows/greeting/export/');
    expect(seen.status).toBe(200);
    expect(seen.text).not.toContain('handler');
  });
});

describe('a workflow that is too large for a text', () => {
  it('is not exported, because it could not be imported', async () => {
    const { api, put } = await start();
    await put(text);
    const template = 'x'.repeat(100_000);
    for (const node_id of ['a', 'b', 'c']) {
      const node = { node_id, component_type: 'template', config: { extra_config: { template } } };
      expect((await api.post('/api/v1/workflows/greeting/nodes/', node)).status).toBe(201);
    }
    expect(await api.get('/api/v1/workflows/greeting/export/')).toMatchObject({
      status: 409,
      body: {
        detail: 'The workflow is too large for a text that can be imported. The text may have at most 256 KiB.',
      },
    });
  });
});

describe('an import over an existing workflow', () => {
  it('changes it in one step: its new name is never visible with its old graph', async () => {
    const { api, put, read } = await start();
    await put(text);
    const batches: string[][] = [];
    api.store.subscribe({ published: (list) => batches.push(list.map(({ event }) => event.type)) });
    const more = text.replace('name: Greeting', 'name: Renamed').replace('Hello', 'Welcome');
    expect((await put(more)).body).toMatchObject({ name: 'Renamed', version: 3 });
    expect(batches).toEqual([['workflow_updated', 'node_updated']]);
    expect((await put(more.replace('Renamed', 'Once more'))).body).toMatchObject({ name: 'Once more', version: 3 });
    expect(await read()).toMatchObject({ name: 'Once more', version: 3 });
    expect(batches[1]).toEqual(['workflow_updated']);
  });
});

describe('credentials in texts', () => {
  const nodes = 'name: G\nslug: greeting\nnodes:\n  - id: model\n    type: ai_model\n    credential: main llm\n';
  const add = { name: 'main llm', credential_type: 'llm', detail: { api_key: 'sk-canary-0123456789' } };

  it('with the same name are distinguished by their ids, so that the text can be imported', async () => {
    const { api, put, read, exported } = await start();
    const ids: number[] = [];
    for (const times of [1, 2]) {
      ids.push(((await api.post('/api/v1/credentials/', { ...add, detail: {} })).body as { id: number }).id);
      if (times === 1) expect((await put(nodes)).status).toBe(201);
    }
    expect((await put(nodes)).status).toBe(422);
    const { yaml_str } = (await exported()) as { yaml_str: string };
    expect(yaml_str).toContain(`credential: main llm (#${ids[0]})`);
    expect((await put(yaml_str)).status).toBe(200);
    expect((await read()).nodes[0]?.config.llm_credential_id).toBe(ids[0]);
    expect((await put(yaml_str.replace(`#${ids[0]}`, `#${ids[1]}`))).status).toBe(200);
    expect((await read()).nodes[0]?.config.llm_credential_id).toBe(ids[1]);
  });

  it('are referenced by their names, and ids or secrets are never included', async () => {
    const { api, put, read, exported } = await start();
    const made = await api.post('/api/v1/credentials/', add);
    expect((await put(nodes)).status).toBe(201);
    expect((await read()).nodes[0]?.config.llm_credential_id).toBe((made.body as { id: number }).id);
    const answer = JSON.stringify(await exported());
    expect(answer).toContain('credential: main llm');
    expect(answer).not.toMatch(/credential_id|canary/);
  });

  it('that are missing or ambiguous prevent storing the text', async () => {
    const { api, put } = await start();
    await api.post('/api/v1/credentials/', { ...add, name: 'main lm' });
    const missing = "There is no credential named 'main llm'. Did you mean 'main lm'?";
    expect(await put(nodes)).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'unknown_credential', msg: missing }] },
    });
    await api.post('/api/v1/credentials/', add);
    await api.post('/api/v1/credentials/', add);
    expect(await put(nodes)).toMatchObject({ status: 422, body: { detail: [{ type: 'unknown_credential' }] } });
  });
});

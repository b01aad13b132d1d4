import { versionDetail, versionList, workflowDetail } from '@millrace/contract';
import type { JsonObject, Published } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { type Api, apiOf } from '../support/api.ts';
import { Clockwork } from '../support/clockwork.ts';
import { addKeyedUser } from '../support/keyed-user.ts';

const path = '/api/v1/workflows/w';

interface World {
  readonly clockwork: Clockwork;
  readonly api: Api;
}

/** Versions 1 to 4: an empty graph, a trigger, a template with the text `one`, and the edge between them. */
async function start(): Promise<World> {
  const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
  const { api } = await clockwork.start();
  await api.post('/api/v1/workflows/', { name: 'W', slug: 'w' });
  await api.post(`${path}/nodes/`, { node_id: 'start', component_type: 'trigger_manual' });
  const config = { extra_config: { template: 'one' } };
  await api.post(`${path}/nodes/`, { node_id: 'say', component_type: 'template', config });
  await api.post(`${path}/edges/`, { source_node_id: 'start', target_node_id: 'say' });
  return { clockwork, api };
}

/** Creates a version in which the template has another text. */
async function say(api: Api, template: string): Promise<void> {
  await api.patch(`${path}/nodes/say/`, { config: { extra_config: { template } } });
}

async function detail(api: Api) {
  return workflowDetail.parse((await api.get(`${path}/`)).body);
}

/** Runs the workflow by hand; returns the version that ran, and its output. */
async function run(api: Api, body: JsonObject = {}) {
  const { execution_id: id } = (await api.post(`${path}/execute/`, { ...body, wait: true })).body as JsonObject;
  const { workflow_version: version, final_output: output } = (await api.get(`/api/v1/executions/${id}/`))
    .body as JsonObject;
  return { version, output };
}

describe('POST /api/v1/workflows/{slug}/publish/', () => {
  it('publishes the newest version; later edits are a draft and do not run', async () => {
    const { api } = await start();
    expect(await detail(api)).toMatchObject({ published_version: null, has_unpublished_changes: false });
    const answer = await api.post(`${path}/publish/`);
    expect(answer).toMatchObject({ status: 200, body: { published_version: 4, has_unpublished_changes: false } });
    const { nodes: _nodes, edges: _edges, ...workflow } = await detail(api);
    expect(answer.body).toEqual(workflow);
    await say(api, 'two');
    expect(await detail(api)).toMatchObject({ version: 5, published_version: 4, has_unpublished_changes: true });
    expect(await run(api)).toEqual({ version: 4, output: 'one' });
    await api.post(`${path}/publish/`, {});
    expect(await run(api)).toEqual({ version: 5, output: 'two' });
  });

  it('rolls back to any stored version', async () => {
    const { api } = await start();
    await say(api, 'two');
    await api.post(`${path}/publish/`);
    expect((await api.post(`${path}/publish/`, { version: 4 })).body).toMatchObject({ published_version: 4 });
    expect(await run(api)).toEqual({ version: 4, output: 'one' });
  });

  it.each([5, 99, 2 ** 50])('answers 404 for the version %s, which is not stored', async (version) => {
    const { api } = await start();
    const answer = await api.post(`${path}/publish/`, { version });
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Version not found.' } });
    expect(await detail(api)).toMatchObject({ published_version: null });
  });

  it.each<[string, JsonObject]>([
    ['version', { version: 0 }],
    ['version', { version: 1.5 }],
    ['version', { version: 'draft' }],
    ['note', { note: 5 }],
    ['note', { note: 'x'.repeat(1001) }],
    ['force', { force: null }],
  ])('rejects an invalid %s with 422 (case %#)', async (field, body) => {
    const { api } = await start();
    const answer = await api.post(`${path}/publish/`, body);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
  });

  it('rejects a version with errors, with all issues and without any change, unless force is true', async () => {
    const { api } = await start();
    await api.post(`${path}/nodes/`, { node_id: 'ai', component_type: 'agent' });
    await api.post(`${path}/edges/`, { source_node_id: 'say', target_node_id: 'ai' });
    const before = await detail(api);
    const { issues } = (await api.post(`${path}/validate/`)).body as { issues: JsonObject[] };
    const answer = await api.post(`${path}/publish/`);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ detail: "Version 6 has errors: fix them, or publish it with 'force'.", issues });
    expect(issues.map(({ message }) => message)).toContain("Node 'ai' is missing required 'model' connection");
    expect(await detail(api)).toEqual(before);
    // The version before it has no errors.
    expect((await api.post(`${path}/publish/`, { version: 4 })).status).toBe(200);
    expect((await api.post(`${path}/publish/`, { force: true })).body).toMatchObject({ published_version: 6 });
  });
});

describe('a publication', () => {
  it('shows in the list of versions who last published a version, when, and with which note', async () => {
    const { clockwork, api } = await start();
    await api.post(`${path}/publish/`, { note: 'First' });
    await clockwork.pass(60_000, 60_000);
    await api.post(`${path}/publish/`, { version: 4, note: 'Again' });
    await say(api, 'two');
    const { items } = versionList.parse((await api.get(`${path}/versions/`)).body);
    const publication = { published_at: expect.stringMatching(/^2026-03-28T12:01:00/), author: 'admin', note: 'Again' };
    expect(items.map((item) => item.publication)).toEqual([null, publication, null, null, null]);
    const { body } = await api.get(`${path}/versions/4/`);
    expect(versionDetail.parse(body)).toMatchObject({ version: 4, publication });
  });

  it('publishes workflow_updated, and changes updated_at only if another version is published', async () => {
    const { clockwork, api } = await start();
    const events: Published[] = [];
    clockwork.store.subscribe({ published: (published) => void events.push(...published) });
    const [first, second] = [await api.post(`${path}/publish/`), await api.post(`${path}/publish/`)];
    expect(second.body).toEqual(first.body);
    await api.post(`${path}/unpublish/`);
    expect(events.map(({ event }) => event.type)).toEqual(Array(3).fill('workflow_updated'));
    expect(events.at(-1)?.event).toMatchObject({ workflow: { publishedVersion: null } });
  });

  it('requires the owner or an editor: viewers and public viewers may not publish, strangers get 404', async () => {
    const { clockwork, api } = await start();
    const server = clockwork.processes[0]?.app.server;
    if (server === undefined) throw new Error('nothing runs');
    const person = async (username: string, role?: string) => {
      const { key } = await addKeyedUser(clockwork.store, { username, at: clockwork.time.clock.now() });
      if (role !== undefined) await api.post(`${path}/collaborators/`, { username, role });
      return apiOf(server, key);
    };
    const [editor, viewer] = [await person('editor', 'editor'), await person('viewer', 'viewer')];
    const stranger = await person('stranger');
    for (const verb of ['publish', 'unpublish']) {
      expect((await editor.post(`${path}/${verb}/`)).status).toBe(200);
      expect((await viewer.post(`${path}/${verb}/`)).status).toBe(403);
      expect((await stranger.post(`${path}/${verb}/`)).status).toBe(404);
    }
    await api.patch(`${path}/`, { is_public: true });
    expect((await stranger.post(`${path}/publish/`)).status).toBe(403);
  });
});

describe('POST /api/v1/workflows/{slug}/unpublish/', () => {
  it('makes the workflow live again, so that its newest version runs', async () => {
    const { api } = await start();
    await api.post(`${path}/publish/`);
    await say(api, 'two');
    const answer = await api.post(`${path}/unpublish/`);
    expect(answer).toMatchObject({ status: 200, body: { published_version: null, has_unpublished_changes: false } });
    expect(await run(api)).toEqual({ version: 5, output: 'two' });
    expect((await api.post(`${path}/unpublish/`)).body).toEqual(answer.body);
  });
});

describe('execute/ with a version', () => {
  it('runs the draft, any stored version, or the published one', async () => {
    const { api } = await start();
    await api.post(`${path}/publish/`);
    await say(api, 'two');
    await say(api, 'three');
    expect(await run(api, { version: 'draft' })).toEqual({ version: 6, output: 'three' });
    expect(await run(api, { version: 5 })).toEqual({ version: 5, output: 'two' });
    expect(await run(api, { version: null })).toEqual({ version: 4, output: 'one' });
  });

  it.each([7, 0, 'live', 1.5])('rejects the version %j with 422 and starts nothing', async (version) => {
    const { clockwork, api } = await start();
    const answer = await api.post(`${path}/execute/`, { version });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: expect.arrayContaining(['version']) }] } });
    expect(await clockwork.runs()).toEqual([]);
  });
});

describe('import with publish', () => {
  const text = (template: string) =>
    `name: W\nslug: w\nnodes:\n  - {id: start, type: trigger_manual}\n  - {id: say, type: template, template: ${template}}\nedges:\n  - start -> say\n`;
  const load = (api: Api, body: JsonObject) => api.post('/api/v1/workflows/import/', body);

  it('stores and publishes in one step; without it, a text for a published workflow becomes a draft', async () => {
    const { api } = await start();
    const published = await load(api, { yaml_str: text('two'), publish: true });
    expect(published).toMatchObject({ status: 200, body: { version: 5, published_version: 5 } });
    const draft = await load(api, { yaml_str: text('three') });
    expect(draft.body).toMatchObject({ version: 6, published_version: 5, has_unpublished_changes: true });
    expect(await run(api)).toEqual({ version: 5, output: 'two' });
    const same = await load(api, { yaml_str: text('three'), publish: true });
    expect(same.body).toMatchObject({ version: 6, published_version: 6, has_unpublished_changes: false });
  });

  it('creates a new workflow with its first graph published', async () => {
    const { api } = await start();
    const made = await load(api, { yaml_str: text('one'), slug: 'other', publish: true });
    expect(made).toMatchObject({ status: 201, body: { slug: 'other', version: 2, published_version: 2 } });
  });

  it('rejects a text with errors, with their positions, and stores nothing', async () => {
    const { api } = await start();
    const before = await detail(api);
    const yaml_str = `${text('two').replace('edges:', '  - {id: ai, type: agent}\nedges:')}  - say -> ai\n`;
    const answer = await load(api, { yaml_str, publish: true });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'yaml_str', 6, expect.any(Number)], msg: expect.stringContaining("'model'") }] },
    });
    expect(await detail(api)).toEqual(before);
    expect((await load(api, { yaml_str })).status).toBe(200);
  });
});

describe('a schedule of a published workflow', () => {
  const timed = '/api/v1/workflows/timed';
  const node = `${timed}/nodes/tick/`;

  async function startTimed(): Promise<World> {
    const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
    const { api } = await clockwork.start();
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 60 });
    await api.post(`${timed}/publish/`);
    return { clockwork, api };
  }

  it('uses the times of the published version, and its node shows them even if the draft has others', async () => {
    const { clockwork, api } = await startTimed();
    const answer = await api.patch(node, { config: { extra_config: { interval_seconds: 3600 } } });
    const schedule_job = expect.objectContaining({ next_run_at: '2026-03-28T12:01:00.000000' });
    expect(answer.body).toMatchObject({ schedule_job });
    expect((await api.get(`${timed}/versions/2/`)).body).toMatchObject({ graph: { nodes: [{ schedule_job }] } });
    expect((await api.get(`${timed}/versions/3/`)).body).toMatchObject({ graph: { nodes: [{ schedule_job: null }] } });
    await clockwork.pass(120_000, 10_000);
    expect(await clockwork.times()).toEqual(['2026-03-28T12:01:00', '2026-03-28T12:02:00']);
    await api.post(`${timed}/publish/`);
    expect((await api.get(node)).body).toMatchObject({ schedule_job: { next_run_at: '2026-03-28T13:02:00.000000' } });
  });

  it('fires and can be stopped even if the draft has deleted or renamed its node', async () => {
    const { clockwork, api } = await startTimed();
    await api.patch(node, { node_id: 'tock' });
    await clockwork.pass(60_000, 10_000);
    // By its name in the published version, and by its name in the draft.
    expect((await api.post(`${node}schedule/pause/`)).body).toMatchObject({
      node_id: 'tock',
      schedule_job: { status: 'paused' },
    });
    expect((await api.post(`${timed}/nodes/tock/schedule/start/`)).status).toBe(200);
    await api.delete(`${timed}/nodes/tock/`);
    await clockwork.pass(60_000, 10_000);
    expect(await clockwork.times()).toHaveLength(2);
    const stopped = await api.post(`${node}schedule/stop/`);
    expect(stopped).toMatchObject({ status: 200, body: { node_id: 'tick', schedule_job: { status: 'stopped' } } });
    await clockwork.pass(120_000, 10_000);
    expect(await clockwork.times()).toHaveLength(2);
  });

  it('that is only in the draft does not fire, and cannot be started before it is published', async () => {
    const { clockwork, api } = await startTimed();
    const config = { extra_config: { interval_seconds: 10 } };
    const made = await api.post(`${timed}/nodes/`, { node_id: 'fast', component_type: 'trigger_schedule', config });
    expect(made.body).toMatchObject({ schedule_job: null });
    expect(await api.post(`${timed}/nodes/fast/schedule/start/`)).toMatchObject({
      status: 409,
      body: { detail: "Node 'fast' is only in the draft: publish it to start its schedule." },
    });
    await clockwork.pass(30_000, 10_000);
    expect(await clockwork.times()).toEqual([]);
    await api.post(`${timed}/publish/`);
    await clockwork.pass(10_000, 10_000);
    expect(await clockwork.times()).toEqual(['2026-03-28T12:00:40']);
  });
});

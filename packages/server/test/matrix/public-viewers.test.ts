import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, apiOf } from '../support/api.ts';
import { nameOf, paramsOf, requestOf } from './requests.ts';
import { castOf } from './roles.ts';
import { newScene, type Scene } from './scene.ts';
import { WholeApp } from './whole-app.ts';

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

// Wrong keys may be sent 20 times a minute.
beforeEach(() => app.time.advance(60_000));

const owner = apiOf(app.server, cast.keys.get('owner') ?? null);
const endpoints = app.endpoints.filter(({ method }) => method !== 'HEAD');

/** What only members may see; each text is unique. */
const secrets = {
  pinnedOutput: 'secret-pinned-output',
  schedulePayload: 'secret-schedule-payload',
  executionPayload: 'secret-execution-payload',
  state: 'secret-state',
  variable: 'secret-variable',
  publication: 'secret-publication-note',
  earlierVersion: 'secret-earlier-version',
};

/** A public workflow of the owner that contains all secrets. */
async function publicScene(): Promise<Scene> {
  const scene = await newScene(app, cast);
  const path = `/api/v1/workflows/${scene.slug}/`;
  const schedule = { cron: '0 9 * * *', trigger_payload: { order: secrets.schedulePayload } };
  const done = async (status: number, answer: ReturnType<Api['get']>): Promise<void> => {
    const got = await answer;
    if (got.status !== status) throw new Error(`${got.status}: ${got.text}`);
  };
  await done(200, owner.patch(`${path}nodes/say/`, { label: secrets.earlierVersion }));
  const pinned = { label: null, config: { extra_config: { pinned_output: { output: secrets.pinnedOutput } } } };
  await done(200, owner.patch(`${path}nodes/say/`, pinned));
  await done(
    201,
    owner.post(`${path}nodes/`, {
      node_id: 'tick',
      component_type: 'trigger_schedule',
      config: { extra_config: schedule },
    }),
  );
  await done(200, owner.post(`${path}execute/`, { trigger_node_id: 'start', payload: secrets.executionPayload }));
  await done(201, owner.post(`${path}variables/`, { name: 'hidden', value: secrets.variable }));
  const value = JSON.stringify({ value: secrets.state });
  const headers = { 'content-type': 'application/json' };
  await done(200, owner.inject({ method: 'PUT', url: `${path}state/counter/`, headers, payload: value }));
  await done(200, owner.post(`${path}publish/`, { note: secrets.publication, force: true }));
  await done(200, owner.patch(path, { is_public: true }));
  return scene;
}

/** The secrets that an answer contains. */
function leaksIn(text: string): readonly string[] {
  return Object.values(secrets).filter((secret) => text.includes(secret));
}

describe('a public workflow reveals nothing of its runs', () => {
  it.each(endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const))('in %s', async (_name, endpoint) => {
    for (const role of ['stranger', 'admin', 'none', 'webhook'] as const) {
      // The webhook key is the owner's, but it can only call webhooks.
      const scene = await publicScene();
      const caller = apiOf(app.server, cast.keys.get(role) ?? null);
      const params = await paramsOf(app, cast, endpoint.path, scene);
      const { text, status } = await caller.inject(requestOf(endpoint, scene, params));
      expect([role, status, leaksIn(text)]).toEqual([role, status, []]);
    }
  });

  it('and shows all of it to members', async () => {
    const scene = await publicScene();
    const path = `/api/v1/workflows/${scene.slug}/`;
    const member = apiOf(app.server, cast.keys.get('viewer') ?? null);
    const { body } = await member.get(`/api/v1/executions/?workflow_slug=${scene.slug}`);
    const { items } = body as { items: readonly { execution_id: string }[] };
    const executions = items.map(({ execution_id }) => `/api/v1/executions/${execution_id}/`);
    const shown = [`${path}`, `${path}nodes/`, `${path}export/`, `${path}versions/`, ...executions];
    const texts = await Promise.all(shown.map(async (url) => leaksIn((await member.get(url)).text)));
    const both = [secrets.pinnedOutput, secrets.schedulePayload];
    expect(texts.slice(0, 4)).toEqual([both, both, both, [secrets.publication]]);
    expect(texts.slice(4).flat()).toEqual([secrets.executionPayload]);
    const hidden = [`${path}variables/hidden/`, `${path}state/counter/`, `${path}versions/3/`];
    const found = await Promise.all(hidden.map(async (url) => leaksIn((await owner.get(url)).text)));
    expect(found).toEqual([[secrets.variable], [secrets.state], [secrets.earlierVersion]]);
  });
});

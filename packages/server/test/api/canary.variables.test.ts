import { expect, test } from 'vitest';
import { rotateKey } from '../../src/secrets/rotation.ts';
import { Canary, contextsOf } from '../support/canary.ts';
import { Installation } from '../support/installation.ts';
import {
  hangingUp,
  leadingAlongTo,
  leadingTo,
  repeating,
  startProvider,
  subscribe,
} from '../support/repeating-provider.ts';
import { addRequesting, runRequesting } from '../support/requesting.ts';

const instance = '/api/v1/variables/';
const own = '/api/v1/workflows/sends/variables/';

/** All canaries that the test has sent. */
const canaries: Canary[] = [];
function secret(kind: string): string {
  const canary = new Canary(kind);
  canaries.push(canary);
  return canary.secret;
}

/** Creates a secret variable, reads it, replaces its value, and makes every mistake. */
async function define({ api }: Installation, path: string, name: string, origin: string): Promise<void> {
  const variable = (kind: string) => ({ value: secret(kind), is_secret: true, allowed_hosts: [origin] });
  expect((await api.post(path, { name, ...variable('first') })).status).toBe(201);
  const { body } = await api.get(`${path}${name}/`);
  expect((await api.patch(`${path}${name}/`, body)).status).toBe(200);
  expect((await api.post(path, { name, ...variable('again') })).status).toBe(409);
  expect((await api.patch(`${path}${name}/`, variable('replaced'))).status).toBe(200);
  const wrong = [
    { ...variable('host'), allowed_hosts: ['a host'] },
    { ...variable('hosts'), allowed_hosts: [] },
    { ...variable('shape'), value: { deep: secret('deep') } },
    { is_secret: false, allowed_hosts: [secret('misplaced')] },
    { ...variable('unknown'), other: secret('other') },
  ];
  for (const change of wrong) {
    const headers = { 'content-type': 'application/json', prefer: 'handling=strict' };
    const payload = JSON.stringify(change);
    expect((await api.inject({ method: 'PATCH', url: `${path}${name}/`, headers, payload })).status).toBe(422);
    expect((await api.post(path, { name: `${name}_wrong`, ...change, is_secret: 'yes' })).status).toBe(422);
  }
  const payload = `{"value": "${secret('cut')}`;
  const headers = { 'content-type': 'application/json' };
  expect((await api.inject({ method: 'PATCH', url: `${path}${name}/`, headers, payload })).status).toBe(400);
  await api.get(path);
}

/** A workflow that sends both variables in a header, the query and the body of a request. */
async function addSender({ api }: Installation, url: string): Promise<void> {
  const config = {
    url,
    method: 'POST',
    headers: { 'x-token': 'Token {{ vars.of_all }}', authorization: 'Bearer {{ vars.of_workflow }}' },
    query: { key: '{{ vars.of_all }}', other: '{{ vars.of_workflow }}' },
    body: { deep: [{ text: '{{ vars.of_all }}' }, 'and {{ vars.of_workflow }}'] },
  };
  await addRequesting(api, { slug: 'sends', config });
}

/** Steps that may not use the variable, each in a workflow of its own. */
async function misuse({ api }: Installation, { origin, elsewhere }: { origin: string; elsewhere: string }) {
  const configs = [
    { url: `${origin}/{{ vars.of_all }}` },
    { url: origin, headers: { 'x-key': '{{ vars.of_all | upper }}' } },
    { url: elsewhere, headers: { 'x-key': '{{ vars.of_all }}' } },
  ];
  for (const [index, config] of configs.entries()) {
    await addRequesting(api, { slug: `misuse-${index}`, config });
    await run(api, `misuse-${index}`);
  }
  const nodes = [
    ['transform', { expression: 'vars.of_all' }],
    ['template', { template: '{{ vars.of_all }}' }],
    ['code', { code: 'return vars' }],
    ['state', { operation: 'set', key: 'kept', value: '{{ vars.of_all }}' }],
  ] as const;
  for (const [type, extra_config] of nodes) {
    const slug = `misuse-${type}`;
    const path = `/api/v1/workflows/${slug}/`;
    await api.post('/api/v1/workflows/', { name: slug, slug });
    await api.post(`${path}nodes/`, { node_id: 'start', component_type: 'trigger_manual' });
    const added = await api.post(`${path}nodes/`, { node_id: 'use', component_type: type, config: { extra_config } });
    expect([type, added.status]).toEqual([type, 201]);
    await api.post(`${path}edges/`, { source_node_id: 'start', target_node_id: 'use' });
    await run(api, slug);
    await api.get(`${path}state/kept/`);
  }
}

/** Runs a workflow, also without the check before it, and reads everything that shows the run. */
async function run(api: Installation['api'], slug: string): Promise<void> {
  const path = `/api/v1/workflows/${slug}/`;
  await api.post(`${path}validate/`);
  const { body } = await api.post(`${path}execute/`, { wait: true });
  const { execution_id: id } = body as { execution_id?: string };
  if (id !== undefined) await api.get(`/api/v1/executions/${id}/`);
}

test('the value of a secret variable is found nowhere except at the hosts that may receive it', async () => {
  const installation = await Installation.start();
  const { api } = installation;
  const provider = await startProvider();
  const elsewhere = await startProvider();
  const { origin } = new URL(provider.url);
  await addSender(installation, `${origin}/all`);
  await define(installation, instance, 'of_all', origin);
  await define(installation, own, 'of_workflow', origin);
  const frames = await subscribe(installation.socketUrl, 'workflow:sends');
  const outcomes: string[] = [];
  const answers = [repeating(200), repeating(400), leadingTo(elsewhere.url), leadingAlongTo(elsewhere.url), hangingUp];
  for (const answer of answers) {
    provider.state.answer = answer;
    const { status, code } = await runRequesting(api, 'sends');
    outcomes.push(`${status} ${code ?? ''}`.trim());
  }
  expect(outcomes[0]).toBe('completed');
  expect(outcomes[1]).toBe('failed http_status');
  expect(outcomes.at(-1)).toBe('failed http_connection');
  await misuse(installation, { origin, elsewhere: elsewhere.url });
  await rotateKey({ keys: installation.keys(), store: installation.store, newPhrase: null });
  provider.state.answer = repeating(200);
  expect(await runRequesting(api, 'sends')).toMatchObject({ status: 'completed' });
  for (const path of ['export/', 'versions/', 'nodes/', '']) await api.get(`/api/v1/workflows/sends/${path}`);
  await api.post('/api/v1/workflows/sends/publish/', {});
  await api.get('/api/v1/executions/?q=canary');
  await api.delete(`${own}of_workflow/`);
  await run(api, 'sends');

  const places = { frames, answers: installation.answers, log: installation.log, provider: provider.seen };
  for (const texts of Object.values(places)) expect(texts.length).toBeGreaterThan(4);
  const searched = [frames, installation.answers, installation.log, elsewhere.seen];
  const texts = searched.map((all) => Buffer.from(all.join('\n')));
  expect(contextsOf(canaries, [...texts, ...installation.files()])).toEqual([]);
  // The search works: the provider received the last value of each variable.
  const sent = Buffer.from(provider.seen.join('\n'));
  expect(canaries.filter((canary) => canary.findIn(sent) !== null)).toHaveLength(2);
  expect(canaries.length).toBeGreaterThan(15);
});

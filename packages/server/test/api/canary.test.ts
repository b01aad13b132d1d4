import { credential } from '@millrace/contract';
import { expect, test } from 'vitest';
import { rotateKey } from '../../src/secrets/rotation.ts';
import { Canary, contextsOf } from '../support/canary.ts';
import { Installation } from '../support/installation.ts';
import { counted, reached } from '../support/reached.ts';
import {
  hangingUp,
  leadingAlongTo,
  leadingTo,
  repeating,
  startProvider,
  subscribe,
} from '../support/repeating-provider.ts';
import { addRequesting, addToolCredential, runRequesting } from '../support/requesting.ts';

const path = '/api/v1/credentials/';

/** All canaries that the test has sent. */
const canaries: Canary[] = [];
function secret(kind: string): string {
  const canary = new Canary(kind);
  canaries.push(canary);
  return canary.secret;
}

/** A new detail with a new canary in each secret field. */
const details = {
  llm: (url: string) => ({
    api_key: secret('key'),
    base_url: url,
    organization_id: 'org',
    custom_headers: { 'X-Canary': secret('header'), 'X-Other': secret('header') },
  }),
  chat_bot: () => ({ bot_token: secret('bot'), allowed_user_ids: '1' }),
  git: () => ({
    ssh_private_key: `-----BEGIN\n${secret('ssh')}\n-----END\n`,
    access_token: secret('git'),
    webhook_secret: secret('hook'),
  }),
  tool: () => ({
    config: { apiKey: secret('tool'), deep: { list: [{ password: secret('tool') }], tokens: [secret('tool')] } },
  }),
} as const;

/** An agent whose model uses the credential. */
async function addAgent({ api }: Installation, credentialId: number): Promise<void> {
  await api.post('/api/v1/workflows/', { name: 'Agent', slug: 'agent' });
  const config = { llm_credential_id: credentialId, model_name: 'small' };
  const nodes = [
    { node_id: 'start', component_type: 'trigger_manual' },
    { node_id: 'ask', component_type: 'agent', config: { extra_config: { retry: { max_attempts: 1 } } } },
    { node_id: 'model', component_type: 'ai_model', config },
  ];
  for (const node of nodes) {
    const { status, text } = await api.post('/api/v1/workflows/agent/nodes/', node);
    if (status !== 201) await api.post('/api/v1/workflows/agent/nodes/', { ...node, config: {} });
    expect([status, text]).toEqual([201, text]);
  }
  const edges = [
    { source_node_id: 'start', target_node_id: 'ask' },
    { source_node_id: 'model', target_node_id: 'ask', edge_label: 'llm' },
  ];
  for (const edge of edges) expect((await api.post('/api/v1/workflows/agent/edges/', edge)).status).toBe(201);
}

/**
 * A config of each scheme, with a new canary in it. Headers accept the canary's characters because they are Latin-1.
 */
const auths = (origin: string) => [
  { scheme: 'bearer', token: secret('bearer'), allowed_hosts: [origin] },
  { scheme: 'basic', username: 'me', password: secret('basic'), allowed_hosts: [origin] },
  { scheme: 'header', name: 'X-Canary', secret: secret('header'), allowed_hosts: [origin] },
  { scheme: 'query', name: 'key', secret: secret('query'), allowed_hosts: [origin] },
];

/** Runs steps that send each credential to a server that repeats it, redirects with it, and drops the connection. */
async function sendAll(installation: Installation, provider: Awaited<ReturnType<typeof startProvider>>) {
  const { api } = installation;
  const { origin } = new URL(provider.url);
  const elsewhere = await startProvider();
  const outcomes: string[] = [];
  for (const config of auths(origin)) {
    const id = await addToolCredential(api, config);
    const slug = `send-${config.scheme}`;
    await addRequesting(api, { slug, credentialId: id, config: { url: `${origin}/all?a=1` } });
    await api.get(`/api/v1/workflows/${slug}/export/`);
    const frames = await subscribe(installation.socketUrl, `workflow:${slug}`);
    const { url } = elsewhere;
    for (const answer of [repeating(200), repeating(400), leadingTo(url), leadingAlongTo(url), hangingUp]) {
      provider.state.answer = answer;
      const { status, code } = await runRequesting(api, slug);
      outcomes.push(`${config.scheme} ${status} ${code ?? ''}`.trim());
    }
    installation.answers.push(...frames);
    await api.patch(`${path}${id}/`, { detail: { config: { allowed_hosts: [elsewhere.url] } } });
    await runRequesting(api, slug);
  }
  expect(outcomes).toEqual(
    ['bearer', 'basic', 'header', 'query'].flatMap((scheme) => [
      `${scheme} completed`,
      `${scheme} failed http_status`,
      `${scheme} completed`,
      `${scheme} failed http_blocked`,
      `${scheme} failed http_connection`,
    ]),
  );
  return elsewhere.seen;
}

/** A workflow whose nodes use credentials of all types, exported and imported again. */
async function exportAll({ api }: Installation, ids: ReadonlyMap<string, number>): Promise<void> {
  await api.post('/api/v1/workflows/', { name: 'All', slug: 'all' });
  const nodes = [...ids].map(([type, id]) => ({
    node_id: `use_${type}`,
    component_type: type === 'llm' ? 'ai_model' : 'http_request',
    config: {
      ...(type === 'llm' ? { llm_credential_id: id } : { credential_id: id }),
      extra_config: type === 'llm' ? {} : { url: 'https://example.com' },
    },
  }));
  const hook = {
    node_id: 'hook',
    component_type: 'trigger_webhook',
    config: { credential_id: ids.get('git'), extra_config: { signature: 'git_host_b' } },
  };
  for (const node of [hook, ...nodes]) {
    expect((await api.post('/api/v1/workflows/all/nodes/', node)).status).toBe(201);
  }
  const { status, text: yaml_str } = await api.get('/api/v1/workflows/all/export/');
  expect([status, yaml_str]).toEqual([200, expect.stringContaining('use_tool')]);
  for (const path of ['validate-dsl/', 'import/']) await api.post(`/api/v1/workflows/${path}`, { yaml_str });
  await api.get('/api/v1/workflows/all/versions/');
  await api.post('/api/v1/workflows/all/validate/');
}

/** Sends the secret in a request as a git host does, and then a wrong one. */
async function callSigned({ api }: Installation, gitId: number): Promise<void> {
  const token = secret('token');
  expect((await api.patch(`${path}${gitId}/`, { detail: { webhook_secret: token } })).status).toBe(200);
  for (const [sent, status] of [
    [token, 200],
    [secret('wrong'), 401],
  ] as const) {
    // Without the key that all other requests have.
    const headers = { 'x-gitlab-token': sent, authorization: '', 'content-type': 'application/json' };
    const answer = await api.inject({ method: 'POST', url: '/api/v1/webhooks/all', headers, payload: '{}' });
    expect(answer.status).toBe(status);
  }
}

async function run({ api }: Installation): Promise<string> {
  const started = await api.post('/api/v1/workflows/agent/execute/', { text: 'Hello', wait: true, record: true });
  const { execution_id: id, status } = started.body as { execution_id: string; status: string };
  await api.get(`/api/v1/executions/${id}/`);
  expect((await api.get(`/api/v1/executions/${id}/cassette/`)).text).toContain('models');
  return status;
}

async function create({ api }: Installation, type: keyof typeof details, url: string): Promise<number> {
  const body = { name: type, credential_type: type, detail: details[type](url) };
  const answer = await api.post(path, body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return credential.parse(answer.body).id;
}

/** Reads the credential, changes it with masks and with new secrets, and sends every kind of invalid change. */
async function changeAll({ api }: Installation, id: number, type: keyof typeof details, url: string): Promise<void> {
  const own = `${path}${id}/`;
  const read = credential.parse((await api.get(own)).body);
  expect((await api.patch(own, { detail: read.detail })).status).toBe(200);
  expect((await api.patch(own, { name: 'Renamed', detail: details[type](url) })).status).toBe(200);
  const wrong = [
    { detail: { unknown: secret('unknown') } },
    { detail: { ...read.detail, api_key: `${secret('broken')}\n` } },
    { detail: { custom_headers: { 'X-A': `${secret('broken')}\r\nX-B: c` } } },
    { detail: { base_url: `https://user:${secret('url').slice(0, 30)}@a.example` } },
    { detail: [secret('list')], name: 5 },
    { detail: secret('text') },
  ];
  for (const body of wrong) expect((await api.patch(own, body)).status).toBe(422);
  const payload = `{"detail": {"api_key": "${secret('cut')}`;
  const headers = { 'content-type': 'application/json' };
  expect((await api.inject({ method: 'PATCH', url: own, headers, payload })).status).toBe(400);
}

test('a secret is found nowhere except at its provider, not even in an exported text', async () => {
  const installation = await Installation.start();
  const provider = await startProvider();
  const { api } = installation;
  const ids = new Map<keyof typeof details, number>();
  for (const type of ['llm', 'chat_bot', 'git', 'tool'] as const) {
    ids.set(type, await create(installation, type, provider.url));
  }
  for (const [type, id] of ids) await changeAll(installation, id, type, provider.url);
  const llm = ids.get('llm') ?? 0;
  await addAgent(installation, llm);
  await exportAll(installation, ids);
  await callSigned(installation, ids.get('git') ?? 0);
  const frames = await subscribe(installation.socketUrl, 'workflow:agent');
  const outcomes: string[] = [];
  for (const status of [200, 400, 401, 302]) {
    provider.state.answer = repeating(status);
    outcomes.push(await run(installation));
    await api.post(`${path}${llm}/test/`);
    await api.get(`${path}${llm}/models/`);
  }
  expect(outcomes).toEqual(['completed', 'failed', 'failed', 'failed']);
  const elsewhere = await sendAll(installation, provider);
  await rotateKey({ keys: installation.keys(), store: installation.store, newPhrase: null });
  expect(await run(installation)).toBe('failed');
  await api.get(`${path}?limit=1000`);
  await api.delete(`${path}${ids.get('git')}/`);
  await api.post(`${path}batch-delete/`, { ids: [llm] });
  await api.get('/openapi.json');

  const places = { frames, answers: installation.answers, log: installation.log, provider: provider.seen };
  for (const texts of Object.values(places)) expect(texts.length).toBeGreaterThan(4);
  const searched = [frames, installation.answers, installation.log].map((texts) => Buffer.from(texts.join('\n')));
  const found = contextsOf(canaries, [...searched, ...installation.files()]);
  expect(found).toEqual([]);
  // The search works: it finds the key and headers that were sent last to the provider, and those of each scheme.
  const sent = Buffer.from(provider.seen.join('\n'));
  expect(canaries.filter((canary) => canary.findIn(sent) !== null)).toHaveLength(3 + 4);
  expect(elsewhere).toHaveLength(4);
  expect(canaries.filter((canary) => canary.findIn(Buffer.from(elsewhere.join('\n'))) !== null)).toEqual([]);
  expect(canaries.length).toBeGreaterThan(40);
  const texts = Object.values(places).reduce((sum, { length }) => sum + length, 0);
  reached('P7', `${canaries.length} secrets in ${counted(texts)} answers, events and lines of the log, 0 found`);
});

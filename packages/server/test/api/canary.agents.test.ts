import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executionDetail } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { expect, onTestFinished, test } from 'vitest';
import { McpRemote, text } from '../mcp/mcp-remote.ts';
import { Canary, contextsOf } from '../support/canary.ts';
import { FakeBotApi } from '../support/fake-bot-api.ts';
import { GitServer } from '../support/git-server.ts';
import { Installation } from '../support/installation.ts';
import { startProvider, subscribe } from '../support/repeating-provider.ts';
import { type ScriptedCall, scripted } from '../support/scripted-model.ts';
import { noSshServer, SshServer } from '../support/ssh-server.ts';

/** All canaries of the test. */
const canaries: Canary[] = [];
function secret(kind: string): string {
  const canary = new Canary(kind);
  canaries.push(canary);
  return canary.secret;
}

/** Headers of a request in several encodings, as the result of a tool. */
function repeated(headers: IncomingMessage['headers']): string {
  const words = Object.entries(headers).flat().join(' ');
  const bytes = Buffer.from(words);
  return `${words} ${encodeURIComponent(words)} ${bytes.toString('base64')} ${bytes.toString('hex')}`;
}

/** Every server repeats the secrets that it receives. */
async function startServers(sshFolder: string) {
  const [model, shop, search] = await Promise.all([startProvider(), startProvider(), startProvider()]);
  shop.state.answer = ({ headers, url }, response) => void response.end(`${repeated(headers)} ${url}`);
  search.state.answer = ({ headers, url }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ results: [{ title: repeated(headers), url, content: repeated(headers) }] }));
  };
  const wiki = await McpRemote.start({
    ask: { act: () => text(repeated(wiki.remote.received.at(-1)?.headers ?? {})) },
    fail: { act: () => ({ ...text(repeated(wiki.remote.received.at(-1)?.headers ?? {})), isError: true }) },
  });
  const bots = await FakeBotApi.start();
  const git = await GitServer.start();
  const ssh = noSshServer === null ? await SshServer.start(sshFolder) : null;
  onTestFinished(async () => {
    await Promise.all([bots.close(), git.close(), ssh?.close()]);
  });
  return { model, shop, search, wiki, bots, git, ssh };
}

type Servers = Awaited<ReturnType<typeof startServers>>;

/** A workflow for each protocol. A run that is watched streams. */
const runs = [
  { slug: 'a', isFirst: true, isStreamed: false },
  { slug: 'a', isFirst: false, isStreamed: true },
  { slug: 'b', isFirst: false, isStreamed: true },
] as const;

/** The model repeats its key and all that it was sent: in its errors, its reasoning, its arguments and its answers. */
function obey(
  { model, bots }: Servers,
  { token, fails }: { readonly token: string; readonly fails: boolean },
  calls: (words: string) => readonly ScriptedCall[],
): void {
  let requests = fails ? 0 : 1;
  model.state.answer = (request, response: ServerResponse, body) => {
    requests += 1;
    const words = repeated(request.headers);
    if (requests === 1) {
      response.writeHead(500, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end(JSON.stringify({ error: { message: words } }));
      return;
    }
    bots.reject('sendMessage', 400, `Bad request to /bot${token}/ and ${encodeURIComponent(token)}`);
    const path = request.url?.endsWith('/messages') === true ? '/v1/messages' : '/v1/chat/completions';
    const received = { method: 'POST', path, headers: {}, body: JSON.parse(body) as JsonObject };
    const answer = requests === 2 ? { calls: calls(words) } : {};
    scripted([{ text: `${words} ${body.slice(-4000)}`, thinking: words, ...answer }])(response, received);
  };
}

/** Credentials of all types and secret variables, each with a new canary, which only their servers may receive. */
async function addSecrets({ api }: Installation, servers: Servers): Promise<{ readonly token: string }> {
  const { model, shop, search, wiki, git, ssh } = servers;
  const token = `123456:${secret('bot').replace(/[^A-Za-z0-9_-]/g, '')}`;
  const bearer = (host: string) => ({ config: { scheme: 'bearer', token: secret('tool'), allowed_hosts: [host] } });
  const hosts = { shop: new URL(shop.url).origin, search: new URL(search.url).origin };
  const llm = (base_url: string, provider_type: string) => ({ api_key: secret('key'), base_url, provider_type });
  const details: Readonly<Record<string, readonly [type: string, detail: object]>> = {
    'Model A': ['llm', llm(model.url, 'provider_a_compatible')],
    'Model B': ['llm', llm(model.url.replace(/\/v1$/, ''), 'provider_b')],
    Shop: ['tool', bearer(hosts.shop)],
    Search: ['tool', bearer(hosts.search)],
    Wiki: ['tool', bearer(wiki.remote.origin)],
    Bot: ['chat_bot', { bot_token: token, allowed_user_ids: '1' }],
    Git: ['git', { access_token: secret('git'), provider: git.origin }],
    ...(ssh && { Ssh: ['git', { credential_type: 'ssh', ssh_private_key: ssh.key, provider: '127.0.0.1' }] as const }),
  };
  for (const [name, [credential_type, detail]] of Object.entries(details)) {
    const { status, text: answer } = await api.post('/api/v1/credentials/', { name, credential_type, detail });
    expect([status, answer]).toEqual([201, answer]);
  }
  const variable = { name: 'pin', value: secret('var'), is_secret: true, allowed_hosts: [hosts.shop] };
  expect((await api.post('/api/v1/variables/', variable)).status).toBe(201);
  const access = Buffer.from(canaries.at(-2)?.secret ?? '');
  git.commit({ 'secret.txt': `${access} ${access.toString('base64')}`, 'key.txt': ssh?.key ?? 'none' });
  return { token };
}

/** An agent with tools that use them all. */
async function addAgent({ api }: Installation, slug: string, { shop, search, wiki, git, ssh }: Servers): Promise<void> {
  const sshUrl = ssh === null ? '' : `ssh://${ssh.user}@127.0.0.1:${ssh.port}${git.bare}`;
  const tools: Readonly<Record<string, JsonObject>> = {
    find: { type: 'http_request', url: `${shop.url}/find`, credential: 'Shop' },
    pin: { type: 'http_request', url: `${shop.url}/pin`, headers: { 'x-pin': '{{ vars.pin }}' } },
    look: { type: 'web_search', endpoint: search.url, credential: 'Search' },
    wiki: { type: 'mcp_client', url: wiki.url, credential: 'Wiki' },
    say: { type: 'send_message', chat_id: 42, credential: 'Bot' },
    read: { type: 'git', url: git.url, credential: 'Git' },
    ...(ssh && { read_ssh: { type: 'git', url: sshUrl, credential: 'Ssh' } }),
  };
  const yaml = {
    name: slug,
    slug,
    nodes: [
      { id: 'start', type: 'trigger_manual' },
      { id: 'ai', type: 'agent', input: 'What do you know?' },
      { id: 'gpt', type: 'ai_model', model_name: 'small', credential: `Model ${slug.toUpperCase()}` },
      ...Object.entries(tools).map(([id, node]) => ({ id, ...node })),
    ],
    edges: ['start -> ai', 'gpt -llm-> ai', ...Object.keys(tools).map((id) => `${id} -tool-> ai`)],
  };
  const imported = await api.post('/api/v1/workflows/import/', { yaml_str: JSON.stringify(yaml) });
  expect([imported.status, imported.text]).toEqual([201, imported.text]);
}

/** Runs the agent, reads everything that shows the run, and returns the node of each log entry with its status. */
async function run({ api }: Installation, slug: string): Promise<readonly string[]> {
  const started = await api.post(`/api/v1/workflows/${slug}/execute/`, { text: 'Go', wait: true, record: true });
  const { execution_id: id } = started.body as { execution_id: string };
  const path = `/api/v1/executions/${id}/`;
  const { status, logs, error_message: error } = executionDetail.parse((await api.get(path)).body);
  expect([status, error]).toEqual(['completed', null]);
  for (const log of logs) await api.get(`${path}?log=${log.id}`);
  for (const more of ['cassette/', '?include=journal']) await api.get(`${path}${more}`);
  for (const more of ['usage/', 'versions/', 'export/', 'nodes/wiki/tools/'])
    await api.get(`/api/v1/workflows/${slug}/${more}`);
  return logs.map(({ node_id, status: end }) => `${node_id} ${end}`);
}

test('secrets of all kinds that servers and models repeat to an agent are in no prompt, log, event, answer or file', async () => {
  const sshFolder = mkdtempSync(join(tmpdir(), 'millrace-canary-'));
  onTestFinished(() => rmSync(sshFolder, { recursive: true }));
  const servers = await startServers(sshFolder);
  const { model, shop, search, wiki, bots, git, ssh } = servers;
  const installation = await Installation.start({ botApi: bots.url, ...(ssh && { sshKnownHosts: ssh.knownHosts }) });
  const { token } = await addSecrets(installation, servers);
  const watched: string[][] = [];
  for (const slug of ['a', 'b']) await addAgent(installation, slug, servers);
  for (const { slug, isFirst, isStreamed } of runs) {
    if (isStreamed) watched.push(await subscribe(installation.socketUrl, `workflow:${slug}`));
    obey(servers, { token, fails: isFirst }, (words) => [
      { id: '1', name: 'find', args: { query: { q: words.slice(0, 500) } } },
      { id: '2', name: 'pin' },
      { id: '3', name: 'look', args: { query: words.slice(0, 500) } },
      { id: '4', name: 'wiki__ask', args: {} },
      { id: '5', name: 'wiki__fail', args: {} },
      { id: '6', name: 'say', args: { text: words.slice(0, 500) } },
      { id: '7', name: 'read', args: { paths: ['secret.txt'] } },
      ...(isFirst && ssh ? [{ id: '8', name: 'read_ssh', args: { paths: ['key.txt'] } }] : []),
    ]);
    const steps = await run(installation, slug);
    const good = ['find', 'pin', 'look', 'wiki', 'read', ...(isFirst && ssh ? ['read_ssh'] : [])];
    expect(steps).toEqual(expect.arrayContaining(good.map((id) => `${id} success`)));
    expect(steps).toContain('say failed');
  }

  const frames = watched.flat();
  const prompts = model.seen.map((line) => String((JSON.parse(line) as [string, object, string])[2]));
  expect(prompts.length).toBe(2 * runs.length + 1);
  for (const words of ['bearer', 'x-pin', 'secret.txt', 'Bad request'])
    expect(prompts.join('\n').toLowerCase()).toContain(words.toLowerCase());
  const places = { prompts, frames, answers: installation.answers, log: installation.log };
  for (const texts of [frames, installation.answers]) expect(texts.join('').length).toBeGreaterThan(10_000);
  const searched = [...Object.values(places).map((texts) => Buffer.from(texts.join('\n'))), ...installation.files()];
  expect(contextsOf(canaries, searched)).toEqual([]);
  // The last whole lines of the key, where its secret is.
  const lines = (ssh?.key ?? '')
    .split('\n')
    .filter((line) => line.length >= 64)
    .slice(-2);
  for (const line of lines) for (const bytes of searched) expect(bytes.includes(line.slice(10, 40))).toBe(false);
  // The search works: each server received its secret.
  const sent = Buffer.from(
    [...shop.seen, ...search.seen, ...model.seen].join('\n') +
      JSON.stringify([wiki.remote.received.map(({ headers }) => headers), bots.calls, git.seen]),
  );
  expect(canaries.filter((canary) => canary.findIn(sent) === null)).toEqual([]);
  expect(canaries).toHaveLength(8);
});

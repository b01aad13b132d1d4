import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finishedText, type JsonObject, type ModelRequest, newDetails, runThrough, StepError } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { modelCaller } from '../../test/support/model-caller.ts';
import { VirtualTime } from '../ground/virtual-time.ts';
import { createAskModel } from '../models/model-calls.ts';
import { createProbes } from '../models/probes.ts';
import { createOutboundClient, type OutboundClient } from '../outbound/client.ts';
import { boundOrigins, type CredentialSecret, sealSecret } from './credential-secret.ts';
import { fixedKeyring } from './keys/keyring.ts';
import { keyOfText, newKeyText } from './keys/secret-key.ts';
import { createVault } from './keys/vault.ts';
import type { LlmEndpoint } from './llm-endpoint.ts';
import { createLlmEndpoints } from './llm-endpoints.ts';

/** A provider that records its requests. */
interface Provider {
  readonly url: string;
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  redirectTo: string | null;
  repeats: boolean;
  status: number;
}

const servers: Server[] = [];
let outbound: OutboundClient;
beforeEach(() => {
  outbound = createOutboundClient({ allowPrivate: true, ownPort: () => null });
});
afterEach(async () => {
  await outbound.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function startProvider(): Promise<Provider> {
  const asked: Provider['asked'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      response.statusCode = provider.status;
      asked.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
      if (provider.repeats) {
        const { authorization = '' } = request.headers;
        response.setHeader('x-seen', authorization);
        const uri = encodeURIComponent(String(request.headers['x-team']));
        response.end(JSON.stringify({ ...request.headers, uri }));
      } else if (provider.redirectTo === null || request.url === '/end') response.end('{"ok":true}');
      else response.writeHead(307, { location: provider.redirectTo }).end();
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider: Provider = { url: `http://127.0.0.1:${port}`, asked, redirectTo: null, repeats: false, status: 200 };
  return provider;
}

const key = keyOfText(newKeyText());
const vault = createVault(fixedKeyring([key]), key, async () => key.id);

/** The result of opening a credential with this detail, and the origins that its secrets were entered for. */
function open(given: JsonObject, origins?: CredentialSecret['origins'], credentialType = 'llm') {
  const detail = newDetails.llm.parse(given) as unknown as JsonObject;
  const subject = { id: 7, name: 'Mine', credentialType, masked: '{}' };
  const secret = { detail, origins: origins ?? boundOrigins(detail, new Set(), {}) };
  const stored = { ...subject, sealed: sealSecret(vault, subject, secret) };
  const store = { credentials: { sealedById: async (id: number) => (id === 7 ? stored : null) } };
  return createLlmEndpoints({ store, vault, outbound }).open(7);
}

async function endpoint(given: JsonObject): Promise<LlmEndpoint> {
  const opened = await open(given);
  if ('kind' in opened) throw new Error(opened.kind);
  return opened;
}

const noAbort = new AbortController().signal;
const ask = { method: 'POST', path: '/chat/completions', body: '{}' } as const;
const question: ModelRequest = {
  askedBy: 'agent',
  nodeId: 'model',
  credentialId: 7,
  model: 'small',
  system: '',
  messages: [{ role: 'user', content: 'Hello' }],
  settings: {
    temperature: null,
    maxTokens: null,
    frequencyPenalty: null,
    presencePenalty: null,
    topP: null,
    responseFormat: null,
  },
};

describe('an endpoint', () => {
  test('sends provider A its key, organization and headers', async () => {
    const provider = await startProvider();
    const opened = await endpoint({
      api_key: 'sk-1',
      base_url: `${provider.url}/v1/`,
      organization_id: 'org-1',
      custom_headers: { 'X-Team': 'blue' },
    });
    expect([opened.credentialId, opened.providerType]).toEqual([7, 'provider_a_compatible']);
    const answer = await opened.send(ask, noAbort);
    expect([answer.status, runThrough(finishedText(answer.body.text()))]).toEqual([200, '{"ok":true}']);
    expect(provider.asked).toMatchObject([
      {
        path: 'POST /v1/chat/completions',
        headers: {
          authorization: 'Bearer sk-1',
          'openai-organization': 'org-1',
          'x-team': 'blue',
          'content-type': 'application/json',
        },
        body: '{}',
      },
    ]);
  });

  test('sends provider B its key and version; a header of the credential overrides the default one', async () => {
    const provider = await startProvider();
    const common = { provider_type: 'provider_b', api_key: 'sk-2', base_url: provider.url };
    await (await endpoint(common)).send({ method: 'GET', path: '/models', body: null }, noAbort);
    await (await endpoint({ ...common, custom_headers: { 'Anthropic-Version': 'next' } })).send(ask, noAbort);
    expect(provider.asked).toMatchObject([
      { path: 'GET /models', headers: { 'x-api-key': 'sk-2', 'anthropic-version': '2023-06-01' } },
      { headers: { 'anthropic-version': 'next' } },
    ]);
    expect(provider.asked[0]?.headers).not.toHaveProperty('authorization');
  });

  test('sends no key if there is none', async () => {
    const provider = await startProvider();
    await (await endpoint({ base_url: provider.url })).send(ask, noAbort);
    expect(provider.asked[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    ['provider_a_compatible', '', 'https://api.openai.com/v1/models', 'https://api.openai.com/v1/chat/completions'],
    ['provider_b', '', 'https://api.anthropic.com/v1/messages', 'https://api.anthropic.com/v1/messages'],
    ['provider_b', 'https://b.example/v1/', 'https://b.example/v1/messages', 'https://b.example/v1/messages'],
    ['provider_a_compatible', 'https://a.example', 'https://a.example/models', 'https://a.example/chat/completions'],
  ])('of %s at "%s" is tested and called where its protocol is served', async (provider_type, base_url, tested, asked) => {
    const urls: string[] = [];
    const sendSecret: OutboundClient['sendSecret'] = async ({ url }) => {
      urls.push(url);
      throw new StepError('http_connection', 'no answer');
    };
    outbound = { ...outbound, sendSecret };
    const opened = await endpoint({ provider_type, base_url });
    const time = new VirtualTime();
    await createProbes(time).test(opened);
    const askModel = createAskModel({ endpoints: { open: async () => opened }, clock: time.clock });
    await expect(askModel(question, modelCaller())).rejects.toMatchObject({ code: 'http_connection' });
    expect(urls).toEqual([tested, asked]);
  });

  test('removes its secrets from what the provider repeats', async () => {
    const provider = await startProvider();
    const secrets = { api_key: 'sk-"quoted" key', custom_headers: { 'X-Team': 'blue/green team' } };
    provider.repeats = true;
    const { headers, body } = await (await endpoint({ ...secrets, base_url: provider.url })).send(ask, noAbort);
    const [plain, base64] = [body.text(), body.base64()].map((part) => runThrough(finishedText(part)));
    const text = `${JSON.stringify(headers)} ${plain} ${Buffer.from(base64 ?? '', 'base64')}`;
    expect(text).toContain('Bearer ****');
    expect(text).not.toMatch(/quoted|green/);
  });

  test('sends no secret to another origin, but sends it to another path of its own', async () => {
    const [provider, other] = [await startProvider(), await startProvider()];
    const detail = {
      api_key: 'sk-1',
      base_url: provider.url,
      organization_id: 'o',
      custom_headers: { 'X-Team': 'blue' },
    };
    const opened = await endpoint(detail);
    provider.redirectTo = `${other.url}/end`;
    expect(await opened.send(ask, noAbort)).toMatchObject({ lacksSecrets: true });
    expect(JSON.stringify(other.asked)).not.toMatch(/sk-1|blue|authorization|organization/);
    expect(other.asked).toHaveLength(1);
    const keyless = await endpoint({ base_url: provider.url });
    expect(await keyless.send(ask, noAbort)).toMatchObject({ lacksSecrets: false });
    provider.redirectTo = '/end';
    expect(await opened.send(ask, noAbort)).toMatchObject({ lacksSecrets: false });
    expect(provider.asked.at(-1)).toMatchObject({ path: 'POST /end', headers: { authorization: 'Bearer sk-1' } });
  });
});

test('sends an anonymous request without anything that identifies the caller', async () => {
  const provider = await startProvider();
  const secrets = { api_key: 'sk-1', organization_id: 'org-1', custom_headers: { 'X-Team': 'blue' } };
  const opened = await endpoint({ ...secrets, base_url: provider.url });
  await opened.send({ ...ask, isAnonymous: true }, noAbort);
  expect(JSON.stringify(provider.asked[0]?.headers)).not.toMatch(/authorization|sk-1|org-1|blue/);
  expect([opened.hasSecrets, (await endpoint({ base_url: provider.url })).hasSecrets]).toEqual([true, false]);
});

test('a key is not reported to work if the answering server did not get it because of a redirect', async () => {
  const [provider, other] = [await startProvider(), await startProvider()];
  provider.redirectTo = `${other.url}/end`;
  const probes = createProbes(new VirtualTime());
  const words = 'The provider redirects to another address, to which the API key is not sent: check base_url.';
  expect(await probes.test(await endpoint({ api_key: 'sk-1', base_url: provider.url }))).toBe(words);
  expect(await probes.test(await endpoint({ base_url: provider.url }))).toBeNull();
  other.status = 401;
  expect((await probes.list(await endpoint({ api_key: 'sk-1', base_url: provider.url }))).warning).toBe(words);
});

test('a model call that is redirected to another address is not reported as a rejected key', async () => {
  const [provider, other] = [await startProvider(), await startProvider()];
  provider.redirectTo = `${other.url}/v1/chat/completions`;
  other.status = 401;
  const opened = await endpoint({ api_key: 'sk-1', base_url: `${provider.url}/v1` });
  const time = new VirtualTime();
  const askModel = createAskModel({ endpoints: { open: async () => opened }, clock: time.clock });
  const words = "The provider of node 'model' redirects to another address, to which the API key is not sent: ";
  await expect(askModel(question, modelCaller())).rejects.toMatchObject({
    code: 'model_refused',
    message: `${words}check the base_url of LLM credential 7.`,
  });
});

describe('a credential is not opened', () => {
  test('if it is not an LLM credential, or is missing', async () => {
    expect(await open({}, {}, 'tool')).toEqual({ kind: 'missing' });
    const store = { credentials: { sealedById: async () => null } };
    expect(await createLlmEndpoints({ store, vault, outbound }).open(1)).toEqual({ kind: 'missing' });
  });

  test.each([
    ['its key', 'API key', { api_key: 'sk-1' }, { api_key: 'https://a.example' }],
    [
      'one of its headers',
      'custom headers',
      { custom_headers: { 'X-Team': 'blue' } },
      { 'custom_headers.x-team': 'https://a.example' },
    ],
    ['its key, as far as is known', 'API key', { api_key: 'sk-1' }, {}],
  ])('if %s was entered for another origin', async (_what, missing, detail, origins) => {
    const locked = { kind: 'locked', message: `base_url changed: enter the ${missing} again` };
    for (const url of [
      'https://b.example/v1',
      'http://a.example',
      'https://a.example:444',
      'https://a.example.b.example',
    ]) {
      expect(await open({ ...detail, base_url: url }, origins)).toEqual(locked);
    }
    const isKnown = Object.keys(origins).length > 0;
    expect('kind' in (await open({ ...detail, base_url: 'https://A.example:443/v2' }, origins))).toBe(!isKnown);
  });

  test('and requires its headers after the key was entered again', async () => {
    const detail = { api_key: 'sk-1', custom_headers: { 'X-Team': 'blue' }, base_url: 'https://b.example' };
    const header = { 'custom_headers.x-team': 'https://a.example' };
    const opened = [
      { api_key: 'https://a.example', ...header },
      { api_key: 'https://b.example', ...header },
    ].map((origins) => open(detail, origins));
    expect(await Promise.all(opened)).toEqual([
      { kind: 'locked', message: 'base_url changed: enter the API key again' },
      { kind: 'locked', message: 'base_url changed: enter the custom headers again' },
    ]);
  });

  test('if its seal is damaged', async () => {
    const stored = { id: 7, name: 'Mine', credentialType: 'llm', masked: '{}', sealed: vault.seal('elsewhere', '{}') };
    const store = { credentials: { sealedById: async () => stored } };
    await expect(createLlmEndpoints({ store, vault, outbound }).open(7)).rejects.toMatchObject({
      code: 'secret_unreadable',
    });
  });
});

test('a secret is not sent if the request itself starts at another origin', async () => {
  const provider = await startProvider();
  const request = { method: 'GET', url: provider.url, headers: {}, body: null };
  const secret = { origin: 'https://a.example', headers: { authorization: 'Bearer sk-1' }, isIn: () => false };
  await expect(outbound.sendSecret(request, secret, noAbort)).rejects.toMatchObject({ code: 'http_blocked' });
  expect(provider.asked).toEqual([]);
});

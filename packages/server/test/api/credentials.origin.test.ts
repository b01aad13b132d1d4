import { credential } from '@millrace/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { unlockVault } from '../../src/secrets/keys/unlock.ts';
import type { LlmEndpoints } from '../../src/secrets/llm-endpoint.ts';
import { createLlmEndpoints } from '../../src/secrets/llm-endpoints.ts';
import { Installation } from '../support/installation.ts';

const path = '/api/v1/credentials/';
const first = { api_key: 'sk-the-first-key-of-all', base_url: 'https://a.example/v1' };

let installation: Installation;
let endpoints: LlmEndpoints;
beforeEach(async () => {
  installation = await Installation.start();
  const { store } = installation;
  const vault = await unlockVault(installation.keys(), store.secretKeys);
  const outbound = { sendSecret: () => Promise.reject(new Error('nothing is sent here')) };
  endpoints = createLlmEndpoints({ store, vault, outbound });
});

async function make(detail: object): Promise<number> {
  const { body } = await installation.api.post(path, { name: 'Mine', credential_type: 'llm', detail });
  return credential.parse(body).id;
}

/** Whether the credential can be used after this change of its detail. */
async function after(id: number, detail: object): Promise<'open' | 'locked' | 'missing'> {
  const { status, text } = await installation.api.patch(`${path}${id}/`, { detail });
  expect([status, text]).toEqual([200, text]);
  const opened = await endpoints.open(id);
  return 'kind' in opened ? opened.kind : 'open';
}

describe('a base_url that moves to another origin', () => {
  test('locks the key until it is entered again', async () => {
    const id = await make(first);
    expect(await after(id, { base_url: 'https://a.example/v2' })).toBe('open');
    expect(await after(id, { base_url: 'https://b.example' })).toBe('locked');
    expect(await after(id, { api_key: '****' })).toBe('locked');
    expect(await after(id, { api_key: 'sk-t****-all' })).toBe('locked');
    expect(await after(id, { api_key: 'sk-the-first-key-of-all' })).toBe('open');
    expect(await after(id, { base_url: 'https://a.example' })).toBe('locked');
  });

  test('with the key in the same change locks nothing', async () => {
    expect(await after(await make(first), { base_url: 'https://b.example', api_key: 'another' })).toBe('open');
  });

  test('and back unlocks the key', async () => {
    const id = await make(first);
    expect(await after(id, { base_url: 'http://a.example/v1' })).toBe('locked');
    expect(await after(id, { base_url: 'https://A.EXAMPLE:443' })).toBe('open');
  });

  test('also locks the key if the move is due to another provider type', async () => {
    const id = await make({ api_key: first.api_key });
    expect(await after(id, { organization_id: 'o' })).toBe('open');
    expect(await after(id, { provider_type: 'provider_b' })).toBe('locked');
    expect(await after(id, { provider_type: 'provider_a_compatible' })).toBe('open');
  });

  test('locks custom headers like the key', async () => {
    const id = await make({ ...first, custom_headers: { 'X-Auth': 'a-secret-header-value' } });
    expect(await after(id, { base_url: 'https://b.example', api_key: 'another' })).toBe('locked');
    expect(await after(id, { custom_headers: { 'X-New': 'value' } })).toBe('locked');
    expect(await after(id, { custom_headers: { 'x-auth': 'entered-again' } })).toBe('open');
  });

  test('locks nothing if there is no secret', async () => {
    expect(await after(await make({ base_url: 'https://a.example' }), { base_url: 'https://b.example' })).toBe('open');
  });
});

test('the log contains who did what to which credential, by ids and field names', async () => {
  const { api, log } = installation;
  const id = await make(first);
  await api.patch(`${path}${id}/`, { name: 'Other', detail: { custom_headers: { 'X-Auth': 'value' } } });
  await api.delete(`${path}${id}/`);
  const lines = log
    .map((line) => JSON.parse(line) as { msg: string })
    .filter(({ msg }) => msg.startsWith('credential '));
  const actor = { userId: 1, keyId: 1, credentialId: id };
  expect(lines).toMatchObject([
    { ...actor, msg: 'credential created', fields: ['name', 'detail.api_key', 'detail.base_url'] },
    { ...actor, msg: 'credential changed', fields: ['name', 'detail.custom_headers'] },
    { ...actor, msg: 'credential deleted' },
  ]);
});

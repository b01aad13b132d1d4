import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startLocalApp } from '../support/local-app.ts';
import { Remote } from '../support/remote.ts';
import { addRequesting, addToolCredential, runRequesting } from '../support/requesting.ts';
import type { WholeApp } from '../support/whole-app.ts';

let app: WholeApp;
let api: Api;
let remote: Remote;
beforeAll(async () => {
  app = await startLocalApp();
  api = await app.member('admin', { isAdmin: true });
});
afterAll(() => app.close());
beforeEach(async () => {
  remote = await Remote.start();
  remote.answer = (_request, response) => response.end(JSON.stringify({ results: [{ title: 'Tea' }] }));
});

const found = { output: { result: [{ title: 'Tea', url: '', text: '', published: null }] } };

async function search(slug: string, credential: object): Promise<unknown> {
  const credentialId = await addToolCredential(api, credential);
  await addRequesting(api, { slug, type: 'web_search', credentialId, config: { query: 'tea' } });
  return runRequesting(api, slug);
}

test('a web search uses the endpoint of a credential that has no secret', async () => {
  expect(await search('open', { endpoint: remote.origin })).toMatchObject(found);
  expect(remote.received).toMatchObject([{ url: '/search?q=tea&format=json' }]);
  expect(remote.received[0]?.headers).not.toHaveProperty('authorization');
});

test('a web search authenticates with a credential that has a secret', async () => {
  const secret = 'a-secret-of-some-length';
  const bearer = { scheme: 'bearer', token: secret, allowed_hosts: [remote.origin] };
  expect(await search('closed', { ...bearer, endpoint: `${remote.origin}/searx/search` })).toMatchObject(found);
  expect(remote.received).toMatchObject([
    { url: '/searx/search?q=tea&format=json', headers: { authorization: `Bearer ${secret}` } },
  ]);
});

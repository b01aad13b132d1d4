import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Attack, HostileScene, named, type SketchedNode } from '../support/hostile-scene.ts';

let scene: HostileScene;
beforeAll(async () => {
  scene = await HostileScene.start();
});
afterAll(() => scene.close());

const parameters = { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] };
/** A request to an address that contains what the model gives. */
const loading = (url: string): SketchedNode => ({
  type: 'http_request',
  url,
  credential: 'Shop',
  tool: { parameters },
});

async function obeyed(tool: SketchedNode, values: readonly string[], page: Pick<Attack, 'page'> = {}) {
  const calls = values.map((value) => ({ name: 'load', args: { value } }));
  const outcome = await scene.run({ tools: { load: tool }, rounds: [calls], ...page });
  expect(outcome).toMatchObject({ status: 'completed', output: 'Done.' });
  expect(scene.inner.received).toEqual([]);
  expect(scene.leaks()).toEqual([]);
  return outcome.results;
}

describe('a value of a model in an address', () => {
  test('stays in its part of the path, or the request is not sent', async () => {
    const parts = ['a/../../admin', '../admin', '..', '.', '%2e%2e/admin', '..%2fadmin', '..\\admin'];
    const values = [...parts, '@127.0.0.1/', '//127.0.0.1/', '?admin=1', '#', 'a\r\nX-Admin: 1', '{{ vars.pin }}'];
    const results = await obeyed(loading(`${scene.url}/people/{{ args.value }}`), values);
    const rejected = results.filter((result) => /^Error (?:http_blocked|expression)/.test(result));
    expect(scene.requests).toHaveLength(values.length - rejected.length);
    for (const request of scene.requests) expect(request).toMatch(/^GET \/people\/(?!\.{1,2}$)[^/?#\\]+$/);
    expect(rejected).toHaveLength(2);
  });

  test.each([
    ['the host', () => 'http://{{ args.value }}/', () => new URL(scene.inner.origin).host],
    ['the whole address', () => '{{ args.value }}', () => scene.inner.origin],
    ['the port and a user name', () => `${scene.url}{{ args.value }}`, () => `@${new URL(scene.inner.origin).host}/`],
    ['a subdomain', () => 'http://{{ args.value }}.localhost/', () => `${new URL(scene.inner.origin).host}/#`],
    ['the scheme', () => '{{ args.value }}://localhost/', () => 'file'],
  ])('does not become %s', async (_part, url, value) => {
    expect(await obeyed(loading(url()), [value()])).toEqual([expect.stringContaining('Error http_blocked')]);
    expect(scene.requests).toEqual([]);
  });

  test('leads git to no other repository of the same server', async () => {
    const server = named(scene.git.origin);
    scene.git.seen.length = 0;
    const tool = { type: 'git', url: `${server}/team/{{ args.value }}.git`, tool: { parameters } };
    const values = ['../site', '%2e%2e/site', '../../site.git?x=', 'a/../../site', '/../../site'];
    const results = await obeyed(tool, values);
    expect(results).toEqual(values.map(() => expect.stringMatching(/^Error (?:http_blocked|git_failed|git_auth)/)));
    expect(scene.git.seen).toEqual([]);
  });

  test('leads git to no other server and no program', async () => {
    const values = [
      scene.inner.origin,
      'ext::sh -c id',
      '/etc',
      'file:///etc',
      'git@127.0.0.1:a/b',
      '-oProxyCommand=id',
    ];
    const results = await obeyed({ type: 'git', url: '{{ args.value }}', tool: { parameters } }, values);
    expect(results).toEqual(values.map(() => expect.stringContaining('Error http_blocked')));
  });

  test('leads a search to no other server', async () => {
    const { origin } = scene.inner;
    const search = { type: 'web_search', query: 'a', endpoint: '{{ args.value }}', tool: { parameters } };
    expect(await obeyed(search, [origin])).toEqual([expect.stringContaining('Error http_blocked')]);
  });
});

describe('a server that a tool asks leads it to no private address', () => {
  test('by a redirect', async () => {
    const { port } = new URL(scene.inner.origin);
    const names = ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'];
    const hosts = [...names, '169.254.169.254', '10.0.0.1', '[fe80::1]', '[fd00:ec2::254]'];
    const values = hosts.map((host) => `http://${host}:${port}/latest/meta-data/`);
    const results = await obeyed(loading(`${scene.url}/to/{{ args.value }}`), values);
    expect(results).toEqual(values.map(() => expect.stringContaining('Error http_blocked')));
    expect(scene.requests).toHaveLength(values.length);
  });

  test('by the address of a next page', async () => {
    const page = JSON.stringify({ items: [1], next: `${scene.inner.origin}/next` });
    const pagination = { by: 'next_url', next: 'next', items: 'items' };
    const tool = { type: 'http_request', url: `${scene.url}/page`, pagination, tool: { parameters } };
    expect(await obeyed(tool, ['x'], { page })).toEqual([expect.stringContaining('Error http')]);
  });
});

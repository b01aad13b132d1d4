import type { JsonObject } from '@millrace/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Attack, HostileScene, named, type SketchedNode } from '../support/hostile-scene.ts';
import type { ScriptedCall } from '../support/scripted-model.ts';

let scene: HostileScene;
let before: string;
beforeAll(async () => {
  scene = await HostileScene.start();
  before = await scene.state();
});
afterAll(() => scene.close());

interface Row extends Omit<Attack, 'rounds' | 'tools' | 'apart'> {
  readonly about: string;
  /** Made with the addresses of the scene. */
  readonly tools?: () => Readonly<Record<string, SketchedNode>>;
  readonly apart?: () => Readonly<Record<string, SketchedNode>>;
  readonly calls: readonly ScriptedCall[];
  /** What each result contains. */
  readonly results: readonly string[];
  /** What the calls do outside, which the config of the tools allows. */
  readonly requests?: readonly string[];
  readonly ran?: readonly (readonly string[])[];
}

/** The same call with different arguments. */
const each = (name: string, all: readonly (JsonObject | string)[]): readonly ScriptedCall[] =>
  all.map((args) => ({ name, args }));
const same = (result: string, count: number): readonly string[] => Array.from({ length: count }, () => result);

const order = (): SketchedNode => ({
  type: 'http_request',
  method: 'POST',
  url: `${scene.url}/orders`,
  credential: 'Shop',
});
const find = (): SketchedNode => ({ type: 'http_request', url: `${scene.url}/find?team=a`, credential: 'Shop' });
const anything: JsonObject = { allow: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /*`) };

const unconnected: readonly Row[] = [
  {
    about: 'a tool that is not connected',
    apart: () => ({ order: order() }),
    calls: [{ name: 'order', args: { body: 1 } }],
    results: ['Error tool_unknown'],
  },
  {
    about: 'the tool of another agent',
    apart: () => ({ order: order(), boss: { type: 'agent', input: 'Go' } }),
    edges: ['gpt -llm-> boss', 'order -tool-> boss'],
    calls: [{ name: 'order', args: { body: 1 } }],
    results: ['Error tool_unknown'],
  },
  {
    about: 'nodes that are no tools',
    calls: each('gpt', [{ prompt: 'x' }]).concat(each('ai', [{}]), each('start', [{}])),
    results: same('Error tool_unknown', 3),
  },
  {
    about: 'a tool by the id of its node, if it has another name',
    tools: () => ({ order: { ...order(), tool: { name: 'buy' } } }),
    calls: each('order', [{ body: 1 }]),
    results: ['Error tool_unknown'],
  },
  {
    about: 'names that every object has',
    calls: ['constructor', '__proto__', 'toString', 'hasOwnProperty'].map((name) => ({ name, args: {} })),
    results: same('Error tool_unknown', 4),
  },
  {
    about: 'a tool of an MCP server that the config does not list, and the name that the server knows',
    tools: () => ({
      wiki: { type: 'mcp_client', url: named(scene.mcp.url), tools: ['search'] },
    }),
    calls: [
      { name: 'wiki__delete_all', args: {} },
      { name: 'delete_all', args: {} },
      { name: 'search', args: {} },
    ],
    results: same('Error tool_unknown', 3),
  },
];

const config: readonly Row[] = [
  {
    about: 'the address, method, headers and credential of a request',
    tools: () => ({ find: find() }),
    calls: each('find', [
      { url: 'http://127.0.0.1/' },
      { method: 'DELETE' },
      { headers: { authorization: 'x' } },
      { credential_id: 1 },
      { credential: 'Model' },
      { tool: { asks: false } },
    ]),
    results: same('Error tool_arguments', 6),
  },
  {
    about: 'keys of the prototype of the arguments',
    tools: () => ({ find: find() }),
    calls: each('find', [
      '{"__proto__": {"url": "http://127.0.0.1/", "method": "DELETE"}}',
      '{"constructor": {"prototype": {"url": "http://127.0.0.1/"}}}',
    ]),
    results: same('Error tool_arguments', 2),
  },
  {
    about: 'the parameter that the address sets already',
    tools: () => ({ find: find() }),
    calls: each('find', [{ query: { team: 'b' } }, { query: { 'TEAM[]': 'b' } }]),
    results: ["Error config: 'query' must not have 'team'", "Error config: 'query' must not have 'TEAM[]'"],
  },
  {
    about: 'secrets, by expressions in the arguments, which are sent as they are written',
    tools: () => ({ find: find() }),
    calls: each('find', [{ query: { q: '{{ vars.pin }}{{ 6 * 7 }}' } }]),
    results: ['nothing'],
    requests: ['GET /find?team=a&q=%7B%7B%20vars.pin%20%7D%7D%7B%7B%206%20*%207%20%7D%7D'],
  },
  {
    about: 'variables and the trigger, by a calculation',
    tools: () => ({ calc: { type: 'calculator' } }),
    calls: each('calc', [{ expression: 'vars.pin' }, { expression: 'trigger' }, { expression: "'a'.constructor" }]),
    results: same('Error ', 3),
  },
  {
    about: 'the process and the network, by code',
    tools: () => ({ run: { type: 'code_execute' } }),
    calls: each('run', [
      { code: 'return [typeof process, typeof require, typeof fetch, typeof vars, typeof trigger].join()' },
      { code: `return fetch('http://127.0.0.1/')` },
      { code: `return (() => {}).constructor('return process.env')()` },
    ]),
    results: ['undefined,undefined,undefined,undefined,undefined', 'Error code', 'Error code'],
  },
  {
    about: 'the chat of a message and its bot',
    tools: () => ({ say: { type: 'send_message', credential: 'Bot', chat_id: 42 } }),
    calls: each('say', [
      { text: 'Hi', chat_id: 666 },
      { text: 'Hi', credential_id: 1 },
      { text: 'Hi', reply_to: 1 },
    ]),
    results: same('Error tool_arguments', 3),
  },
  {
    about: 'the engine of a search',
    tools: () => ({ search: { type: 'web_search', endpoint: scene.url } }),
    calls: each('search', [
      { query: 'a', endpoint: 'http://127.0.0.1/' },
      { query: 'a', categories: 'files' },
    ]),
    results: same('Error tool_arguments', 2),
  },
];

const programs: readonly Row[] = [
  {
    about: 'another command, an option that is not listed, and a shell',
    tools: () => ({ run: { type: 'run_command', command: 'repeat' } }),
    calls: each('run', [
      { command: 'sh', args: [] },
      { args: ['--help'] },
      { args: ['-e', 'x'] },
      { args: ['$(id); `id`'] },
    ]),
    results: ['Error tool_arguments', 'Error command_denied', 'Error command_denied', '$(id); `id`'],
    ran: [['repeat', '$(id); `id`']],
  },
  {
    about: 'another repository, operation and branch of git',
    tools: () => ({ git: { type: 'git', url: named(scene.git.url) } }),
    calls: each('git', [
      { url: 'ext::sh -c id' },
      { operation: 'commit', files: { 'a.txt': 'a' }, message: 'm' },
      { branch: '--upload-pack=id' },
      { workspace: '../..' },
    ]),
    results: same('Error tool_arguments', 4),
  },
  {
    about: 'files outside a repository, and options of git',
    tools: () => ({ git: { type: 'git', url: named(scene.git.url) } }),
    calls: each('git', [
      { paths: ['../../../etc/passwd'] },
      { paths: ['.git/config'] },
      { paths: ['--upload-pack=id'], files: { 'version.txt': '9' }, message: '--amend' },
    ]),
    results: ['Error config', 'Error config', "has no file '--upload-pack=id'"],
  },
];

const rights: readonly Row[] = [
  {
    about: 'a workflow of another user',
    tools: () => ({ spawn: { type: 'spawn_and_await' } }),
    calls: each('spawn', [{ workflow: 'plan-of-other' }, { workflow: '../plan-of-other' }]),
    results: same('Error subworkflow', 2),
  },
  {
    about: 'a workflow that the config does not list',
    tools: () => ({ spawn: { type: 'spawn_and_await', only: ['harmless'] } }),
    calls: each('spawn', [
      { workflow: 'plan-of-owner' },
      { workflow: 'harmless', only: ['plan-of-owner'] },
      { workflow: ['plan-of-owner'] },
      { workflow: 'PLAN-OF-OWNER' },
    ]),
    results: ['Error platform', 'Error tool_arguments', 'Error tool_arguments', 'Error platform'],
  },
  {
    about: 'another workflow than that of a workflow tool, and what its schema does not have',
    tools: () => ({ plan: { type: 'workflow_tool', workflow: 'plan-of-owner' } }),
    calls: each('plan', [{ workflow: 'plan-of-other' }, { payload: {} }]),
    results: same('Error tool_arguments', 2),
  },
  {
    about: 'a part of the API that the config does not allow',
    tools: () => ({ api: { type: 'platform_api' } }),
    calls: each('api', [
      { method: 'POST', path: '/workflows/plan-of-owner/execute/' },
      { method: 'DELETE', path: '/workflows/plan-of-owner/' },
      { path: '/credentials/' },
      { path: '/variables/' },
      { path: '/memory/facts/', query: { scope: 'global' } },
      { path: '/executions/', allow: ['GET /*'] },
    ]),
    results: [...same('may not be made with this tool', 5), 'Error tool_arguments'],
  },
  {
    about: 'credentials, keys, users and variables, if the config allows every request',
    tools: () => ({ api: { type: 'platform_api', ...anything } }),
    calls: each('api', [
      { path: '/credentials/' },
      { path: '/credentials/1/' },
      { method: 'POST', path: '/credentials/1/test/' },
      { method: 'POST', path: '/users/me/keys/', body: { name: 'mine' } },
      { path: '/users/' },
      { path: '/variables/' },
      { path: '/memory/facts/', query: { scope: 'global' } },
      { method: 'POST', path: '/workflows/plan-of-owner/collaborators/', body: { username: 'other', role: 'editor' } },
      { path: '/workflows/plan-of-other/' },
    ]),
    results: [...same('403', 8), '404'],
  },
  {
    about: 'another endpoint, by the spelling of a path',
    tools: () => ({ api: { type: 'platform_api' } }),
    calls: each('api', [
      { path: '/workflows/../credentials/' },
      { path: '/workflows/%2e%2e/credentials/' },
      { path: '/workflows/%2Fcredentials/' },
      { path: '//credentials/' },
      { path: 'http://127.0.0.1/api/v1/credentials/' },
      { path: '/workflows/?x=/../../credentials/' },
      { path: '/workflows/x\r\nHost: a/' },
    ]),
    results: same("'path' must be names separated by '/'", 7),
  },
  {
    about: 'a schedule that may only be listed',
    tools: () => ({ schedules: { type: 'scheduler_tools' }, all: { type: 'scheduler_tools', operations: ['pause'] } }),
    calls: [
      ...each('schedules', [{ operation: 'pause', workflow: 'plan-of-owner', node_id: 'called' }]),
      ...each('all', [{ operation: 'pause', workflow: '../credentials', node_id: 'a' }, { operation: 'delete' }]),
    ],
    results: ["may not 'pause'", 'Error config', 'Error config'],
  },
  {
    about: 'an existing workflow, by the text of a new one',
    tools: () => ({ make: { type: 'workflow_create' } }),
    calls: each('make', [
      { yaml_str: 'name: x\nslug: plan-of-owner\nnodes: [{id: a, type: trigger_manual}]\nedges: []\n' },
    ]),
    results: ['already exists'],
  },
];

const memory: readonly Row[] = [
  {
    about: 'the memory of another scope and of another person',
    tools: () => ({ recall: { type: 'memory_read' } }),
    calls: each('recall', [
      { key: 'pin', scope: 'global' },
      { key: 'pin', user_id: 'bob' },
      { key: 'pin' },
      { key: '../global/pin' },
      { query: 'pin OR 1=1 *' },
      { query: '"pin" NEAR(' },
    ]),
    results: ['Error tool_arguments', 'Error tool_arguments', 'null', 'null', '[]', '[]'],
  },
  {
    about: 'the memory of another person, from that of one person',
    tools: () => ({ recall: { type: 'memory_read', scope: 'user', user_id: 'ann' } }),
    calls: each('recall', [{ key: 'pin', user_id: 'bob' }, { key: 'pin' }, { query: 'pin' }]),
    results: ['Error tool_arguments', 'null', '[]'],
  },
  {
    about: 'to replace or delete what another scope remembers',
    tools: () => ({ keep: { type: 'memory_write', scope: 'user', user_id: 'carl' } }),
    calls: each('keep', [
      { key: 'pin', value: 'x', user_id: 'bob' },
      { key: 'pin', value: 'x', scope: 'global' },
      { key: 'pin', value: 'x', mode: 'delete' },
      { key: 'pin', value: 'x' },
    ]),
    results: [...same('Error tool_arguments', 3), 'pin'],
  },
];

describe('a hostile result of a tool does not get an agent to reach', () => {
  test.each([...unconnected, ...config, ...programs, ...rights, ...memory])('$about', async ({
    tools,
    apart,
    calls,
    results,
    requests = [],
    ran = [],
    ...rest
  }) => {
    const parts = { tools: tools?.() ?? {}, apart: apart?.() ?? {} };
    const outcome = await scene.run({ ...rest, ...parts, rounds: [calls] });
    expect(outcome.results).toEqual(results.map((result) => expect.stringContaining(result)));
    expect(outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(scene.requests).toEqual(requests);
    expect(scene.inner.received).toEqual([]);
    expect(scene.ran).toEqual(ran);
    expect(scene.bots.calls.filter(({ method }) => method === 'sendMessage')).toEqual([]);
    expect(scene.mcp.calls.filter((call) => call.startsWith('tools/call'))).toEqual([]);
    expect(scene.leaks()).toEqual([]);
    expect(await scene.state()).toEqual(before);
  });
});

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

import { executionDetail } from '@millrace/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { startLocalApp } from '../support/local-app.ts';
import { Remote } from '../support/remote.ts';
import { addRequesting, addToolCredential, runRequesting } from '../support/requesting.ts';
import type { WholeApp } from '../support/whole-app.ts';

const instance = '/api/v1/variables/';
const secret = 'a "secret" of some length';

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
});

let names = 0;
function newName(): string {
  names += 1;
  return `v${names}`;
}

/** Creates a variable of the instance; returns its name. */
async function define(value: unknown, rest: object = {}): Promise<string> {
  const name = newName();
  const { status, text } = await api.post(instance, { name, value, ...rest });
  expect([status, text]).toEqual([201, text]);
  return name;
}

function defineSecret(value = secret, hosts = [remote.origin]): Promise<string> {
  return define(value, { is_secret: true, allowed_hosts: hosts });
}

/** A workflow with one transform; returns its slug. */
async function addTransform(expression: string, extra: readonly object[] = []): Promise<string> {
  const slug = newName();
  await api.post('/api/v1/workflows/', { name: slug, slug });
  const path = `/api/v1/workflows/${slug}`;
  const nodes = [
    { node_id: 'start', component_type: 'trigger_manual' },
    ...extra,
    { node_id: 'read', component_type: 'transform', config: { extra_config: { expression } } },
  ];
  for (const node of nodes) await api.post(`${path}/nodes/`, node);
  const ids = nodes.map((node) => (node as { node_id: string }).node_id);
  for (const [index, source] of ids.slice(0, -1).entries()) {
    await api.post(`${path}/edges/`, { source_node_id: source, target_node_id: ids[index + 1] });
  }
  return slug;
}

/** The output of a run, or its error. */
async function run(slug: string): Promise<unknown> {
  const { body } = await api.post(`/api/v1/workflows/${slug}/execute/`, { wait: true });
  const { execution_id: id } = body as { execution_id: string };
  const detail = executionDetail.parse((await api.get(`/api/v1/executions/${id}/`)).body);
  return detail.error_message ?? detail.final_output;
}

async function issuesOf(slug: string): Promise<readonly { code: string; message: string }[]> {
  const { body } = await api.post(`/api/v1/workflows/${slug}/validate/`);
  return (body as { issues: { code: string; message: string }[] }).issues;
}

test('a request with more than ten secret variables is not sent', async () => {
  const names = await Promise.all(Array.from({ length: 11 }, () => defineSecret()));
  const slug = newName();
  const body = names.map((name) => `{{ vars.${name} }}`);
  await addRequesting(api, { slug, config: { url: remote.origin, method: 'POST', body: [...body, ...body] } });
  const { code, error } = await runRequesting(api, slug);
  expect([code, error]).toEqual(['config', expect.stringContaining('11 secret variables in one request')]);
  expect(remote.received).toEqual([]);
});

describe('expressions', () => {
  test.each([1, 'text', [1, { a: null }], { deep: true }])('read a variable with its type: %j', async (value) => {
    const name = await define(value);
    expect(await run(await addTransform(`vars.${name}`))).toEqual(value);
  });

  test("prefer the workflow's variable to the instance's with the same name", async () => {
    const name = await define('instance');
    const slug = await addTransform(`vars.${name}`);
    expect(await run(slug)).toBe('instance');
    await api.post(`/api/v1/workflows/${slug}/variables/`, { name, value: 'workflow' });
    expect(await run(slug)).toBe('workflow');
    expect(await run(await addTransform(`vars.${name}`))).toBe('instance');
    await api.delete(`/api/v1/workflows/${slug}/variables/${name}/`);
    expect(await run(slug)).toBe('instance');
  });

  test('read all variables, or one by a computed name', async () => {
    const name = await define('found');
    expect(await run(await addTransform(`vars['${name.slice(0, 1)}' ~ '${name.slice(1)}']`))).toBe('found');
    expect(await run(await addTransform('vars'))).toMatchObject({ [name]: 'found' });
  });

  test('are checked: an unknown variable is an error that names the available ones', async () => {
    const name = await define('x');
    const slug = await addTransform(`vars.${name}x`);
    expect(await issuesOf(slug)).toMatchObject([
      { code: 'unknown_name', message: expect.stringContaining(`Unknown variable '${name}x'`) },
    ]);
    const [issue] = await issuesOf(slug);
    expect(issue?.message).toContain(`Did you mean '${name}'?`);
    expect(issue?.message).toContain('Available: ');
    expect(await issuesOf(await addTransform(`vars.${name}x | default('none')`))).toEqual([]);
    const text = `name: X\nslug: x-y\nnodes:\n  - {id: start, type: trigger_manual}\n  - {id: t, type: transform, expression: vars.nothing}\nedges:\n  - start -> t\n`;
    const { body } = await api.post('/api/v1/workflows/validate-dsl/', { yaml_str: text });
    expect(body).toMatchObject({ valid: false, issues: [{ code: 'unknown_name', line: 5 }] });
  });
});

test('a run uses the variables as they were when it started, also after it was parked', async () => {
  const name = await define('before');
  const ask = { node_id: 'ask', component_type: 'human_confirmation', config: { extra_config: { prompt: 'Go on?' } } };
  const slug = await addTransform(`vars.${name}`, [ask]);
  const { body } = await api.post(`/api/v1/workflows/${slug}/execute/`, {});
  const path = `/api/v1/executions/${(body as { execution_id: string }).execution_id}/`;
  await expect.poll(async () => (await api.get(path)).body).toMatchObject({ status: 'interrupted' });
  await api.patch(`${instance}${name}/`, { value: 'after' });
  await api.post(`${path}resume/`, { node_id: 'ask', confirmed: true });
  await expect
    .poll(async () => (await api.get(path)).body)
    .toMatchObject({ status: 'completed', final_output: 'before' });
});

/** The result of one request with this config of the node. */
async function send(config: object, credentialId: number | null = null) {
  const slug = newName();
  await addRequesting(api, { slug, credentialId, config: { url: `${remote.origin}/v1`, ...config } });
  return { slug, ...(await runRequesting(api, slug)) };
}

describe('a secret variable', () => {
  test('is sent in headers, query and body, each with the right encoding', async () => {
    const name = await defineSecret();
    const use = `{{ vars.${name} }}`;
    const config = {
      method: 'POST',
      headers: { authorization: `Bearer ${use}` },
      query: { key: use },
      body: { deep: [`x ${use}`] },
    };
    expect(await send(config)).toMatchObject({ status: 'completed' });
    expect(remote.received[0]).toMatchObject({
      url: `/v1?key=${encodeURIComponent(secret)}`,
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(JSON.parse(String(remote.received[0]?.body))).toEqual({ deep: [`x ${secret}`] });
  });

  test('is shown nowhere, even if the server repeats it', async () => {
    remote.answer = (request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ seen: [request.headers['x-key'], request.url] }));
    };
    const name = await defineSecret();
    const { output } = await send({ headers: { 'x-key': `{{ vars.${name} }}` }, query: { q: `{{ vars.${name} }}` } });
    expect(output).toMatchObject({ result: { seen: ['****', '/v1?q=****'] } });
  });

  test('is sent together with a tool credential', async () => {
    const name = await defineSecret();
    const auth = { scheme: 'bearer', token: 'the-token-of-it', allowed_hosts: [remote.origin] };
    const id = await addToolCredential(api, auth);
    expect(await send({ headers: { 'x-key': `{{ vars.${name} }}` } }, id)).toMatchObject({ status: 'completed' });
    expect(remote.received[0]?.headers).toMatchObject({ authorization: 'Bearer the-token-of-it', 'x-key': secret });
  });

  test('is sent to its allowed_hosts only', async () => {
    const name = await defineSecret(secret, ['https://other.example']);
    expect(await send({ headers: { 'x-key': `{{ vars.${name} }}` } })).toMatchObject({
      status: 'failed',
      code: 'variable_origin',
      error: expect.stringContaining('which its allowed_hosts do not name'),
    });
    expect(remote.received).toEqual([]);
  });

  test('does not follow a redirect to another origin', async () => {
    const other = await Remote.start();
    remote.answer = (_request, response) => void response.writeHead(307, { location: `${other.origin}/x` }).end();
    const name = await defineSecret();
    const use = `{{ vars.${name} }}`;
    expect(await send({ headers: { 'x-key': use }, query: { q: use } })).toMatchObject({ status: 'completed' });
    expect(other.received[0]?.headers).not.toHaveProperty('x-key');
    expect(await send({ method: 'POST', body: { use } })).toMatchObject({ status: 'failed', code: 'http_blocked' });
    expect(JSON.stringify(other.received)).not.toContain('secret');
  });

  test.each([
    ['another component', (name: string) => addTransform(`vars.${name}`)],
    ['the URL', (name: string) => addUrl(`${remote.origin}/{{ vars.${name} }}`)],
    ['a filter', (name: string) => addHeader(`{{ vars.${name} | upper }}`)],
    ['a default', (name: string) => addHeader(`{{ vars.${name} | default('x') }}`)],
    ['a condition', (name: string) => addHeader(`{{ 'a' if vars.${name} == 'b' else 'c' }}`)],
  ])('in %s is a validation error, with which no step is performed', async (_place, add) => {
    const name = await defineSecret();
    const slug = await add(name);
    expect(await issuesOf(slug)).toContainEqual(
      expect.objectContaining({ code: 'secret_variable', message: expect.stringContaining(`'${name}' is secret`) }),
    );
    const { status, body } = await api.post(`/api/v1/workflows/${slug}/execute/`, { wait: true });
    expect([status, body]).toMatchObject([422, { detail: expect.stringContaining(`Variable '${name}' is secret`) }]);
    expect(remote.received).toEqual([]);
  });

  test('is not included in all variables', async () => {
    const name = await defineSecret();
    expect(await run(await addTransform('vars'))).not.toHaveProperty(name);
    const computed = await addTransform(`vars['v' ~ '${name.slice(1)}']`);
    expect(await run(computed)).not.toContain(secret);
  });

  test('that was deleted or replaced after the run started is no longer sent', async () => {
    const name = await defineSecret();
    const headers = { 'x-key': `{{ vars.${name} }}` };
    const { slug } = await send({ headers });
    await api.patch(`${instance}${name}/`, { value: 'a-new-secret-value' });
    expect(await runRequesting(api, slug)).toMatchObject({ status: 'completed' });
    expect(remote.received[1]?.headers).toMatchObject({ 'x-key': 'a-new-secret-value' });
  });
});

async function addUrl(url: string): Promise<string> {
  const slug = newName();
  await addRequesting(api, { slug, config: { url } });
  return slug;
}

async function addHeader(text: string): Promise<string> {
  const slug = newName();
  await addRequesting(api, { slug, config: { url: remote.origin, headers: { 'x-key': text } } });
  return slug;
}

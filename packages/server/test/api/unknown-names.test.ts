import { readdirSync, readFileSync } from 'node:fs';
import type { FieldIssue } from '@millrace/core';
import { afterAll, describe, expect, it } from 'vitest';
import { bodyOf as bodyIn } from '../matrix/bodies.ts';
import { filled, paramsOf } from '../matrix/requests.ts';
import { castOf, type Role } from '../matrix/roles.ts';
import { newScene, type Scene } from '../matrix/scene.ts';
import { type Endpoint, WholeApp } from '../matrix/whole-app.ts';
import { type OpenapiDocument, type Operation, operationsOf } from '../support/openapi.ts';

const app = await WholeApp.start();
const cast = await castOf(app);
afterAll(() => app.close());

const document = JSON.parse((await app.server.inject({ url: '/openapi.json' })).payload) as OpenapiDocument;
const operations = operationsOf(document);
const strict = { prefer: 'handling=strict' };

/** These receive the input of a workflow, so every name is valid. */
const takeAnything = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /api/v1/webhooks/{workflow_slug}`),
  'POST /api/v1/callbacks/{token}',
  'GET /api/v1/callbacks/{token}',
];
/** Their bodies are read after the token or the secret is checked, and those of the scene are not valid. */
const behindToken = ['POST /api/v1/answers/{token}', 'POST /api/v1/bots/{bot_id}/updates'];
const checked = operations.filter(({ name }) => ![...takeAnything, ...behindToken].includes(name));

interface Sent {
  readonly query?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

const routePath = ({ path }: Operation): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

function endpointOf(operation: Operation): Endpoint {
  const path = routePath(operation);
  const found = app.endpoints.find((each) => each.method === operation.method && each.path === path);
  if (found === undefined) throw new Error(`${operation.name} has no route`);
  return found;
}

/** A role that is allowed to make the request. */
function roleFor(operation: Operation): Role {
  return endpointOf(operation).declared === 'admin' ? 'admin' : 'owner';
}

async function send(operation: Operation, scene: Scene, { query = '', body, headers = {} }: Sent) {
  const path = routePath(operation);
  const url = filled(path, await paramsOf(app, cast, path, scene));
  const {
    statusCode: status,
    headers: answered,
    payload,
  } = await app.server.inject({
    method: operation.method as 'GET',
    url: `${url}${query}`,
    headers: {
      ...headers,
      ...(operation.needsKey && { authorization: `Bearer ${cast.keys.get(roleFor(operation))}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
  const json: unknown =
    payload === '' || !String(answered['content-type']).includes('json') ? null : JSON.parse(payload);
  return { status, warning: answered['millrace-warning'], applied: answered['preference-applied'], json };
}

/** The unknown names that a 422 lists, by their paths. */
function unknownIn(json: unknown): readonly string[] {
  const { detail } = (json ?? {}) as { detail?: readonly FieldIssue[] | string };
  if (!Array.isArray(detail)) return [];
  return (detail as readonly FieldIssue[]).filter(({ type }) => type === 'unknown_key').map(({ loc }) => loc.join('.'));
}

function bodyOf(operation: Operation, scene: Scene): object {
  return bodyIn(endpointOf(operation), scene) ?? {};
}

/** A scene whose workflow is also the default one, so that every operation of the table finds its object. */
async function scene(): Promise<Scene> {
  const made = await newScene(app, cast);
  await app.server.inject({
    method: 'PATCH',
    url: `/api/v1/workflows/${made.slug}/`,
    headers: { authorization: `Bearer ${cast.keys.get('owner')}` },
    payload: { is_default: true },
  });
  return made;
}

describe('an unknown query parameter', () => {
  it.each(checked.map((one) => [one.name, one] as const))('%s ignores with a warning', async (_name, operation) => {
    const { warning } = await send(operation, await scene(), { query: '?ofset=1' });
    expect(warning).toMatch(/^Ignored unknown query parameter 'ofset' \((closest known: '\w+'|none is taken here)\)/);
  });

  it.each(checked.map((one) => [one.name, one] as const))('%s rejects for strict callers', async (_name, operation) => {
    const answer = await send(operation, await scene(), { query: '?ofset=1', headers: strict });
    expect([answer.status, unknownIn(answer.json), answer.warning]).toEqual([422, ['query.ofset'], undefined]);
    expect(answer.applied).toBe('handling=strict');
  });
});

describe('an unknown body key', () => {
  const writing = checked.filter(({ method }) => method !== 'GET');

  it.each(writing.map((one) => [one.name, one] as const))('%s ignores with a warning', async (_name, operation) => {
    const plain = await scene();
    const expected = await send(operation, plain, { body: bodyOf(operation, plain) });
    // A new scene revokes the keys of the one before, so the first request is done by now.
    const odd = await scene();
    const answer = await send(operation, odd, { body: { ...bodyOf(operation, odd), nmae: 1 } });
    expect(answer.status).toBe(expected.status);
    expect(expected.warning).toBeUndefined();
    expect(answer.warning).toMatch(/^Ignored unknown body key 'nmae' \((closest known: '\w+'|none is taken here)\)$/);
  });

  it.each(writing.map((one) => [one.name, one] as const))('%s rejects for strict callers', async (_name, operation) => {
    const made = await scene();
    const answer = await send(operation, made, { body: { ...bodyOf(operation, made), nmae: 1 }, headers: strict });
    expect([answer.status, unknownIn(answer.json)]).toEqual([422, ['body.nmae']]);
  });

  it.each(
    writing.map((one) => [one.name, one] as const),
  )('%s does not report in a valid body', async (_name, operation) => {
    const made = await scene();
    const answer = await send(operation, made, { body: bodyOf(operation, made), headers: strict });
    expect([unknownIn(answer.json), answer.warning]).toEqual([[], undefined]);
  });
});

describe('the result of GET', () => {
  const patches = operations.filter(({ method }) => method === 'PATCH');

  it.each(
    patches.map((one) => [one.name, one] as const),
  )('may be sent back by strict callers of %s', async (_name, patch) => {
    const made = await scene();
    const get = operations.find(({ method, path }) => method === 'GET' && path === patch.path);
    const shown = get === undefined ? [] : [(await send(get, made, {})).json as object];
    const changed = await send(patch, made, { body: bodyOf(patch, made) });
    for (const body of [...shown, ...(changed.status === 200 ? [changed.json as object] : [])]) {
      expect(unknownIn((await send(patch, made, { body, headers: strict })).json)).toEqual([]);
      expect((await send(patch, made, { body })).warning).toBeUndefined();
    }
  });
});

describe('unknown names', () => {
  const graph = operations.find(({ name }) => name === 'POST /api/v1/workflows/{slug}/graph/') as Operation;
  const create = operations.find(({ name }) => name === 'POST /api/v1/workflows/{slug}/nodes/') as Operation;

  it('are found at any depth, including component settings outside extra_config', async () => {
    const made = await scene();
    const node = { component_type: 'template', config: { template: 'Hi', temprature: 1 }, lable: 'A' };
    const changes = { position_z: 1, updated_at: 'never', id: 7 };
    const operations = [
      { op: 'create_node', node },
      { op: 'update_node', node_id: 'say', changes },
    ];
    const answer = await send(graph, made, { body: { version: 2, operations }, headers: strict });
    expect(unknownIn(answer.json)).toEqual([
      'body.operations.0.node.lable',
      'body.operations.0.node.config.template',
      'body.operations.0.node.config.temprature',
      'body.operations.1.changes.position_z',
    ]);
    const { warning } = await send(create, made, { body: node });
    expect(warning).toBe(
      "Ignored unknown body key 'lable' (closest known: 'label'); " +
        "Ignored unknown body key 'config.template' (closest known: 'temperature'. The component's own settings belong in 'extra_config'); " +
        "Ignored unknown body key 'config.temprature' (closest known: 'temperature'. The component's own settings belong in 'extra_config')",
    );
    const { detail } = (await send(create, made, { body: node, headers: strict })).json as { detail: FieldIssue[] };
    expect(detail[1]?.msg).toContain("The component's own settings belong in 'extra_config'.");
  });

  it('are listed together with all other errors', async () => {
    const answer = await send(create, await scene(), { body: { component_typ: 'notes' }, headers: strict });
    const { detail } = answer.json as { detail: FieldIssue[] };
    expect(detail.map(({ loc }) => loc.join('.'))).toEqual(['body.component_typ', 'body.component_type']);
  });

  it('fit into a header for any characters and any number', async () => {
    const names = [
      '\u{1f600}\r\nx: y',
      'é'.repeat(200),
      '',
      ...Array.from({ length: 5000 }, (_, index) => `k${index}`),
    ];
    const body = Object.fromEntries(names.map((name) => [name, 1]));
    const { status, warning } = await send(create, await scene(), { body: { component_type: 'notes', ...body } });
    expect([status, String(warning).length < 4000]).toEqual([201, true]);
    expect(warning).toMatch(/^[\x20-\x7e]+; and 4983 more$/);
  });
});

describe('the pages of the product', () => {
  it('send handling=strict with every request', async () => {
    const folder = new URL('../../../web/public/', import.meta.url);
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
    for (const name of scripts) {
      const text = readFileSync(new URL(name, folder), 'utf8');
      expect(text.match(/handling=strict/g)?.length).toBe(text.match(/\bfetch\(/g)?.length);
    }
    const docs = await app.server.inject({ url: '/docs/static/swagger-initializer.js' });
    expect(docs.payload).toMatch(/requestInterceptor.*Prefer: ['"]handling=strict['"]/s);
  });
});

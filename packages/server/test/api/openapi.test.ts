import { catalogue } from '@millrace/components';
import { commonKeysOf, nodeConfig } from '@millrace/core';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { WholeApp } from '../matrix/whole-app.ts';
import { startTestApp } from '../support/app.ts';

interface Operation {
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>>; readonly securitySchemes: unknown };
}

const open = { authorization: '' };

/** These need no key: health, the operation that issues one, and paths that contain a secret. */
const publicPaths: ReadonlySet<string> = new Set([
  '/health/',
  '/api/v1/auth/token/',
  '/api/v1/auth/session/',
  '/api/v1/auth/setup/',
  '/api/v1/callbacks/{token}',
  '/api/v1/answers/{token}',
  // Its sender has the secret of a bot.
  '/api/v1/bots/{bot_id}/updates',
]);

/** The name of a component in the document: `http_request` is `HttpRequest`. */
function schemaName(type: string): string {
  return type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

async function load(): Promise<Document> {
  const api = await startTestApp({ catalogue });
  const answer = await api.inject({ url: '/openapi.json', headers: open });
  expect(answer.status).toBe(200);
  return answer.body as Document;
}

describe('GET /openapi.json', () => {
  it('is OpenAPI 3.1, without a key', async () => {
    expect((await load()).openapi).toBe('3.1.0');
  });

  it('has every route of the API', async () => {
    const whole = await WholeApp.start();
    const routes = whole.endpoints
      .filter(({ method, path }) => method !== 'HEAD' && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    const document = (await whole.server.inject({ url: '/openapi.json' })).json<Document>();
    await whole.close();
    const documented = Object.entries(document.paths)
      .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
      .filter((name) => name.includes(' /api/'));
    // The page of an answer link is for people.
    expect([...documented, 'GET /api/v1/answers/{token}'].sort()).toEqual(routes.sort());
  });

  it('describes for every operation its effect, its answers, and that it needs a key', async () => {
    const { paths } = await load();
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { summary, security, responses }] of Object.entries(operations)) {
        const where = `${method} ${path}`;
        expect([where, summary]).toEqual([where, expect.stringMatching(/\w/)]);
        const isWebhook = path.startsWith('/api/v1/webhooks/');
        const ways = [{ apiKey: [] }, isWebhook ? { apiKeyInQuery: [] } : { session: [] }];
        expect([where, security]).toEqual([where, publicPaths.has(path) ? [] : ways]);
        for (const { description } of Object.values(responses)) expect(description).not.toBe('Default Response');
      }
    }
  });

  it('refers only to what it contains, and contains only what it refers to', async () => {
    const { paths, components } = await load();
    const text = JSON.stringify({ paths, schemas: components.schemas });
    const named = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
    const configs = [...catalogue.keys()].map(schemaName).flatMap((name) => [`${name}Config`, `${name}NodeConfig`]);
    expect([...new Set([...named, ...configs])].sort()).toEqual(Object.keys(components.schemas).sort());
    expect(components.securitySchemes).toEqual({
      apiKey: { type: 'http', scheme: 'bearer' },
      apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
      session: { type: 'apiKey', in: 'cookie', name: 'millrace_session', description: expect.any(String) },
    });
  });

  it('names the required fields and the defaults of a new edge', async () => {
    const { paths, components } = await load();
    expect(paths['/api/v1/workflows/{slug}/edges/']?.post).toMatchObject({
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewEdge' } } } },
    });
    expect(components.schemas.NewEdge).toMatchObject({
      required: ['source_node_id', 'target_node_id'],
      properties: { edge_type: { default: 'direct' }, edge_label: { default: '' }, priority: { default: 0 } },
    });
  });
});

describe('the configs in the OpenAPI document', () => {
  it('have the keys of each component', async () => {
    const { components } = await load();
    expect(components.schemas.HttpRequestConfig).toMatchObject({
      properties: { method: {}, url: {}, retry: {} },
      additionalProperties: false,
    });
  });

  it('have the common keys that each component reads', async () => {
    const { schemas } = (await load()).components;
    for (const [type, component] of catalogue) {
      const config = schemas[`${schemaName(type)}NodeConfig`] as { properties: Record<string, unknown> };
      expect(Object.keys(config.properties), type).toEqual(['extra_config', ...commonKeysOf(component)]);
      expect(config.properties.extra_config).toEqual({ $ref: `#/components/schemas/${schemaName(type)}Config` });
    }
  });

  it('describe every key of a node to create or to change', async () => {
    const { schemas } = (await load()).components;
    for (const [name, hasDefaults] of [['NewNode', true] as const, ['NodeChanges', false] as const]) {
      const { config } = (schemas[name] as { properties: { config: { properties: Record<string, object> } } })
        .properties;
      expect(Object.keys(config.properties)).toEqual(Object.keys(nodeConfig.shape));
      for (const [key, schema] of Object.entries(config.properties)) {
        const where = `${name}.${key}`;
        expect(schema, where).toMatchObject({
          description: expect.stringMatching(/\.$/),
          examples: [expect.anything()],
        });
        expect('default' in schema, where).toBe(hasDefaults);
        expect('type' in schema || 'anyOf' in schema || '$ref' in schema, where).toBe(true);
      }
    }
  });
});

describe('GET /docs', () => {
  it('is a page with only our own scripts, without a key', async () => {
    const api = await startTestApp();
    const page = await api.inject({ url: '/docs', headers: open });
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("script-src 'self';");
    expect(page.text).not.toMatch(/<script>|https?:\/\//);
    for (const [, path] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect([path, (await api.inject({ url: path ?? '', headers: open })).status]).toEqual([path, 200]);
    }
  });

  it.each([
    '',
    'nope.js',
    '%00',
    '%69ndex.css',
    'a%5cb',
    '..%2findex.js',
    '/index.css',
    'index.css/',
    'INDEX.css',
    'a'.repeat(300),
  ])('is 404 for a static file that does not exist, without a line in the log: %s', async (file) => {
    const logged: string[] = [];
    const api = await startTestApp({ log: pino({}, { write: (line) => void logged.push(line) }) });
    const answer = await api.inject({ url: `/docs/static/${file}`, headers: open });
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Not found' } });
    expect(logged).toEqual([]);
  });
});

import { catalogue } from '@millrace/components';
import { describe, expect, it } from 'vitest';
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
  '/api/v1/callbacks/{token}',
  '/api/v1/answers/{token}',
]);

/** The name of a component's config in the document: `http_request` is `HttpRequestConfig`. */
function configName(type: string): string {
  return `${type.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Config`;
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

  it('has every path of the interface', async () => {
    const paths = Object.keys((await load()).paths);
    expect(paths).toEqual(
      expect.arrayContaining([
        '/api/v1/credentials/',
        '/api/v1/credentials/batch-delete/',
        '/api/v1/credentials/{credential_id}/',
        '/api/v1/credentials/{credential_id}/usage/',
        '/api/v1/trash/',
        '/api/v1/trash/{workflow_id}/',
        '/api/v1/trash/{workflow_id}/restore/',
        '/api/v1/workflows/',
        '/api/v1/workflows/batch-delete/',
        '/api/v1/workflows/import/',
        '/api/v1/workflows/node-types/',
        '/api/v1/workflows/validate-dsl/',
        '/api/v1/workflows/{slug}/',
        '/api/v1/workflows/{slug}/collaborators/',
        '/api/v1/workflows/{slug}/collaborators/{username}/',
        '/api/v1/workflows/{slug}/edges/',
        '/api/v1/workflows/{slug}/edges/{edge_id}/',
        '/api/v1/workflows/{slug}/export/',
        '/api/v1/workflows/{slug}/graph/',
        '/api/v1/workflows/{slug}/nodes/',
        '/api/v1/workflows/{slug}/nodes/{node_id}/',
        '/api/v1/workflows/{slug}/nodes/{node_id}/schedule/pause/',
        '/api/v1/workflows/{slug}/nodes/{node_id}/schedule/start/',
        '/api/v1/workflows/{slug}/nodes/{node_id}/schedule/stop/',
        '/api/v1/workflows/{slug}/publish/',
        '/api/v1/workflows/{slug}/unpublish/',
        '/api/v1/workflows/{slug}/state/{key}/',
        '/api/v1/workflows/{slug}/validate/',
        '/api/v1/workflows/{slug}/versions/',
        '/api/v1/workflows/{slug}/versions/{version}/',
        '/api/v1/workflows/{slug}/versions/{version}/restore/',
        '/api/v1/webhooks/{workflow_slug}',
        '/api/v1/variables/',
        '/api/v1/variables/{name}/',
        '/api/v1/workflows/{slug}/variables/',
        '/api/v1/workflows/{slug}/variables/{name}/',
        '/health/',
      ]),
    );
  });

  it('describes for every operation its effect, its answers, and that it needs a key', async () => {
    const { paths } = await load();
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { summary, security, responses }] of Object.entries(operations)) {
        const where = `${method} ${path}`;
        expect([where, summary]).toEqual([where, expect.stringMatching(/\w/)]);
        const ways = path.startsWith('/api/v1/webhooks/') ? [{ apiKey: [] }, { apiKeyInQuery: [] }] : [{ apiKey: [] }];
        expect([where, security]).toEqual([where, publicPaths.has(path) ? [] : ways]);
        for (const { description } of Object.values(responses)) expect(description).not.toBe('Default Response');
      }
    }
  });

  it('refers only to what it contains, and contains only what it refers to', async () => {
    const { paths, components } = await load();
    const text = JSON.stringify({ paths, schemas: components.schemas });
    const named = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
    const configs = [...catalogue.keys()].map(configName);
    expect([...new Set([...named, ...configs])].sort()).toEqual(Object.keys(components.schemas).sort());
    expect(components.securitySchemes).toEqual({
      apiKey: { type: 'http', scheme: 'bearer' },
      apiKeyInQuery: { type: 'apiKey', in: 'query', name: 'api_key' },
    });
  });

  it('has the config of each component, with its keys', async () => {
    const { components } = await load();
    expect(components.schemas.HttpRequestConfig).toMatchObject({
      properties: { method: {}, url: {}, retry: {} },
      additionalProperties: false,
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
});

import { METHODS } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startTestApp, startWorkflow } from '../support/app.ts';

const known = [
  'name',
  'slug',
  'tags',
  'is_active',
  'input_schema',
  'slugs',
  'node_id',
  'component_type',
  'config',
  'extra_config',
];
const more = [
  'label',
  'position_x',
  'source_node_id',
  'target_node_id',
  'edge_type',
  'edge_label',
  'condition_mapping',
  'priority',
];
const words = fc.constantFrom(
  '',
  'a',
  'wf',
  'say',
  'template',
  'switch',
  'direct',
  'conditional',
  'llm',
  '{{ x',
  'constructor',
  '\u0000',
  '\ud800',
);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    words,
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.oneof(fc.constantFrom(...known, ...more, '__proto__', 'constructor'), words), tie('value'), {
    maxKeys: 5,
  }),
}));

const routes = [
  ['POST', '/api/v1/workflows/'],
  ['PATCH', '/api/v1/workflows/wf/'],
  ['POST', '/api/v1/workflows/batch-delete/'],
  ['POST', '/api/v1/workflows/wf/nodes/'],
  ['PATCH', '/api/v1/workflows/wf/nodes/say/'],
  ['POST', '/api/v1/workflows/wf/edges/'],
  ['PATCH', '/api/v1/workflows/wf/edges/1/'],
  ['POST', '/api/v1/workflows/wf/validate/'],
] as const;

describe('any body', () => {
  it.each(routes)('%s %s gets an answer, and never a 500', async (method, url) => {
    const api = await startWorkflow();
    await api.post(`${api.path}/nodes/`, { node_id: 'say', component_type: 'template' });
    await api.post(`${api.path}/edges/`, { source_node_id: 'say', target_node_id: 'later' });
    await fc.assert(
      fc.asyncProperty(value, async (body) => {
        const payload = JSON.stringify(body);
        const answer = await api.inject({ method, url, payload, headers: { 'content-type': 'application/json' } });
        expect([200, 201, 204, 400, 404, 409, 422]).toContain(answer.status);
      }),
      { numRuns: 300 },
    );
  });

  it.each(['slug', 'node_id', 'edge_id'])('any %s in the path is either found or not found', async (name) => {
    const api = await startWorkflow();
    const paths = { slug: '/api/v1/workflows/*/', node_id: `${api.path}/nodes/*/`, edge_id: `${api.path}/edges/*/` };
    const path = paths[name as keyof typeof paths];
    await fc.assert(
      fc.asyncProperty(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 300 })), async (text) => {
        const url = path.replace('*', () => encodeURIComponent(text.toWellFormed()));
        const answer = await api.inject({
          method: 'PATCH',
          url,
          payload: '{}',
          headers: { 'content-type': 'application/json' },
        });
        expect([200, 404]).toContain(answer.status);
      }),
    );
  });
});

describe('a method without routes', () => {
  const usual = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
  // CONNECT has no path.
  const unusual = METHODS.filter((method) => method !== 'CONNECT' && !usual.has(method)) as 'GET'[];
  const headers = [
    {},
    { 'content-type': 'application/json' },
    { 'content-type': ';' },
    { 'content-type': 'text/plain; charset=x' },
    { 'content-length': '0' },
  ];

  it('is answered with an error of the caller, whatever the type of the body', async () => {
    const api = await startTestApp();
    for (const method of unusual) {
      for (const given of headers) {
        const known = await api.inject({ method, url: '/health/', headers: given });
        expect([known.status, method]).toEqual([given['content-type'] === ';' ? known.status : 405, method]);
        expect(known.status).toBeLessThan(500);
        expect((await api.inject({ method, url: '/api/v1/nothing/', headers: given })).status).toBeLessThan(500);
      }
      expect((await api.inject({ method, url: '/api/v1/nothing/' })).status).toBe(404);
    }
  });
});

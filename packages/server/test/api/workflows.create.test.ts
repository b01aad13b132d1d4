import { workflow } from '@millrace/contract';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';

const collection = '/api/v1/workflows/';
const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}$/;

describe('POST /api/v1/workflows/', () => {
  it('answers 201 with every documented default', async () => {
    const api = await startTestApp();
    const answer = await api.post(collection, { name: 'Orders', slug: 'orders' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      name: 'Orders',
      slug: 'orders',
      description: '',
      is_active: true,
      is_public: false,
      is_default: false,
      mcp: false,
      budget: null,
      tags: null,
      error_handler_workflow_id: null,
      input_schema: null,
      output_schema: null,
      node_count: 0,
      edge_count: 0,
      version: expect.any(Number),
      max_execution_seconds: 900,
      concurrency: null,
      concurrency_key: null,
      priority: 0,
      created_at: expect.stringMatching(timestamp),
      published_version: null,
      has_unpublished_changes: false,
      updated_at: expect.stringMatching(timestamp),
    });
  });

  it('stores every given field', async () => {
    const api = await startTestApp();
    const handler = workflow.parse((await api.post(collection, { name: 'Handler', slug: 'handler' })).body);
    const given = {
      name: 'Bestellungen ✓',
      slug: 'A-1_b',
      description: 'What it does',
      is_active: false,
      is_public: true,
      is_default: true,
      mcp: true,
      budget: { tokens: null, usd: 5, period: 'month' },
      tags: ['a', 'b'],
      error_handler_workflow_id: handler.id,
      input_schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      output_schema: {},
      max_execution_seconds: 60,
      concurrency: 3,
      concurrency_key: '{{ trigger.payload.customer }}',
      priority: -7,
    };
    expect((await api.post(collection, given)).body).toMatchObject(given);
    expect((await api.get(`${collection}A-1_b/`)).body).toMatchObject(given);
  });

  it('ignores unknown keys, including columns that the caller may not set', async () => {
    const api = await startTestApp();
    const answer = await api.post(collection, { name: 'A', slug: 'a', id: 99, owner_id: 7, node_count: 5, extra: [] });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ node_count: 0 });
    expect(answer.body).not.toMatchObject({ id: 99 });
    expect((await api.get(`${collection}a/`)).status).toBe(200);
  });
});

describe('a new workflow’s slug', () => {
  it('rejects a slug in use with 409', async () => {
    const api = await startTestApp();
    await api.post(collection, { name: 'A', slug: 'orders' });
    const answer = await api.post(collection, { name: 'B', slug: 'orders' });
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({ detail: "Workflow with slug 'orders' already exists." });
  });

  it('rejects a slug of another user with the same 409', async () => {
    const api = await startTestApp();
    const other = await api.addUser('other');
    await other.post(collection, { name: 'A', slug: 'orders' });
    expect((await api.post(collection, { name: 'B', slug: 'orders' })).status).toBe(409);
  });

  it('accepts the slug of a deleted workflow', async () => {
    const api = await startTestApp();
    await api.post(collection, { name: 'A', slug: 'orders' });
    await api.delete(`${collection}orders/`);
    expect((await api.post(collection, { name: 'B', slug: 'orders' })).status).toBe(201);
  });

  it.each(['node-types', 'batch-delete', 'validate-dsl', 'import'])('rejects the reserved slug %s', async (slug) => {
    const api = await startTestApp();
    const answer = await api.post(collection, { name: 'A', slug });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ detail: [{ type: 'custom', loc: ['body', 'slug'], msg: 'is a reserved word' }] });
  });

  it.each([
    '',
    '-a',
    'a-',
    '_a',
    'a b',
    'a/b',
    'ä',
    'a'.repeat(101),
    '..',
    'a%2fb',
  ])('rejects the slug "%s"', async (slug) => {
    const api = await startTestApp();
    const answer = await api.post(collection, { name: 'A', slug });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ['body', 'slug'] }] });
  });

  it.each(['a', 'A', '7', 'a'.repeat(100), 'a_b-c'])('accepts the slug "%s"', async (slug) => {
    const api = await startTestApp();
    expect((await api.post(collection, { name: 'A', slug })).status).toBe(201);
    expect((await api.get(`${collection}${slug}/`)).status).toBe(200);
  });
});

describe('a new workflow’s fields', () => {
  it.each([
    ['name', undefined],
    ['name', null],
    ['name', ''],
    ['name', '   '],
    ['name', 5],
    ['name', 'a'.repeat(201)],
    ['slug', undefined],
    ['slug', null],
    ['slug', 5],
    ['description', null],
    ['description', 'a'.repeat(10_001)],
    ['is_active', null],
    ['is_active', 'true'],
    ['is_active', 1],
    ['is_public', 'yes'],
    ['is_default', 0],
    ['mcp', 'yes'],
    ['tags', 'a'],
    ['tags', [1]],
    ['tags', [null]],
    ['tags', ['a'.repeat(51)]],
    ['tags', Array.from({ length: 51 }, () => 'a')],
    ['error_handler_workflow_id', 'a'],
    ['error_handler_workflow_id', 1.5],
    ['error_handler_workflow_id', 0],
    ['error_handler_workflow_id', 424_242],
    ['input_schema', 'a'],
    ['input_schema', []],
    ['input_schema', true],
    ['input_schema', { type: 'strin' }],
    ['output_schema', { properties: 5 }],
    ['max_execution_seconds', 0],
    ['concurrency', 0],
    ['concurrency_key', '{{ trigger. }}'],
    ['concurrency_key', '{{ nodes.hook.payload }}'],
    ['priority', 101],
  ])('answers 422 naming %s if it is %j', async (field, value) => {
    const api = await startTestApp();
    const answer = await api.post(collection, { name: 'A', slug: 'a', [field]: value });
    expect(answer.status).toBe(422);
    const { detail } = answer.body as { detail: { type: string; loc: string[]; msg: string }[] };
    expect(detail[0]?.loc.slice(0, 2)).toEqual(['body', field]);
    expect(detail[0]).toEqual({ type: expect.any(String), loc: expect.any(Array), msg: expect.any(String) });
  });

  it.each([
    ['max_execution_seconds', '12345678901234567890', 'has too many digits: integers outside ±(2^53 − 1) are text'],
    ['priority', '-9007199254740993', 'has too many digits'],
    ['priority', '1e400', 'is out of range: a number can be at most about 1.8e308'],
  ])('say that the number is too large for %s: %s', async (field, digits, words) => {
    const api = await startTestApp();
    const answer = await api.inject({
      method: 'POST',
      url: collection,
      headers: { 'content-type': 'application/json' },
      payload: `{"name": "A", "slug": "a", "${field}": ${digits}}`,
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', field], msg: expect.stringContaining(words) }] },
    });
  });

  it('reports a missing field as required', async () => {
    const api = await startTestApp();
    const answer = await api.post(collection, { slug: 'a' });
    expect(answer.body).toEqual({ detail: [{ type: 'missing', loc: ['body', 'name'], msg: 'Field required' }] });
  });
});

describe('a new workflow and others', () => {
  it('rejects an error handler that belongs to another user', async () => {
    const api = await startTestApp();
    const other = await api.addUser('other');
    const { id } = workflow.parse((await other.post(collection, { name: 'A', slug: 'theirs' })).body);
    const answer = await api.post(collection, { name: 'B', slug: 'mine', error_handler_workflow_id: id });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ['body', 'error_handler_workflow_id'] }] });
  });

  it('allows one default workflow per owner', async () => {
    const api = await startTestApp();
    await api.post(collection, { name: 'A', slug: 'a', is_default: true });
    await api.post(collection, { name: 'B', slug: 'b', is_default: true });
    expect((await api.get(`${collection}a/`)).body).toMatchObject({ is_default: false });
    expect((await api.get(`${collection}b/`)).body).toMatchObject({ is_default: true });
  });
});

import { workflow, workflowList } from '@millrace/contract';
import type { Published } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';

const collection = '/api/v1/workflows/';

describe('PATCH /api/v1/workflows/{slug}/', () => {
  it.each([
    ['name', 'New'],
    ['slug', 'new'],
    ['description', 'x'],
    ['is_active', false],
    ['is_public', true],
    ['is_default', true],
    ['mcp', true],
    ['budget', { tokens: 1000, usd: 2.5, period: 'day' }],
    ['tags', ['a']],
    ['tags', null],
    ['input_schema', { type: 'object' }],
    ['output_schema', null],
    ['max_execution_seconds', 10],
    ['concurrency', 2],
    ['concurrency_key', '{{ input.customer }}'],
    ['priority', 5],
  ])('changes %s and nothing else', async (field, value) => {
    const api = await startTestApp();
    const before = (await api.post(collection, { name: 'A', slug: 'a', tags: ['x'], description: 'd' })).body as object;
    const answer = await api.patch(`${collection}a/`, { [field]: value });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, [field]: value, updated_at: expect.any(String) });
  });

  it('frees the old slug and answers at the new one', async () => {
    const api = await startTestApp();
    await api.post(collection, { name: 'A', slug: 'old' });
    await api.patch(`${collection}old/`, { slug: 'new' });
    expect((await api.get(`${collection}old/`)).status).toBe(404);
    expect((await api.get(`${collection}new/`)).status).toBe(200);
    expect((await api.post(collection, { name: 'B', slug: 'old' })).status).toBe(201);
  });

  it('rejects the slug of another workflow with 409 and accepts its own', async () => {
    const api = await startTestApp();
    await api.post(collection, { name: 'A', slug: 'a' });
    await api.post(collection, { name: 'B', slug: 'b' });
    const answer = await api.patch(`${collection}a/`, { slug: 'b' });
    expect(answer).toMatchObject({ status: 409, body: { detail: "Workflow with slug 'b' already exists." } });
    expect((await api.patch(`${collection}a/`, { slug: 'a' })).status).toBe(200);
  });

  it.each([
    ['name', null],
    ['slug', null],
    ['slug', 'import'],
    ['description', null],
    ['is_active', null],
    ['is_public', null],
    ['is_default', null],
    ['mcp', null],
    ['budget', {}],
    ['input_schema', 7],
    ['error_handler_workflow_id', 99],
  ])('answers 422 if %s is %j, and changes nothing', async (field, value) => {
    const api = await startTestApp();
    const before = await api.post(collection, { name: 'A', slug: 'a' });
    const answer = await api.patch(`${collection}a/`, { description: 'changed', [field]: value });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc: ['body', field] }] });
    expect((await api.get(`${collection}a/`)).body).toMatchObject(before.body as object);
  });

  it('answers 404 for a missing workflow before it checks the body', async () => {
    const api = await startTestApp();
    const answer = await api.patch(`${collection}missing/`, { name: null });
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Workflow not found.' } });
  });

  it('sets and clears the error handler', async () => {
    const api = await startTestApp();
    const { id } = workflow.parse((await api.post(collection, { name: 'H', slug: 'h' })).body);
    await api.post(collection, { name: 'A', slug: 'a' });
    expect((await api.patch(`${collection}a/`, { error_handler_workflow_id: id })).body).toMatchObject({
      error_handler_workflow_id: id,
    });
    expect((await api.patch(`${collection}a/`, { error_handler_workflow_id: null })).body).toMatchObject({
      error_handler_workflow_id: null,
    });
  });
});

describe('a PATCH that changes nothing', () => {
  it('succeeds, publishes its event, and leaves version and updated_at unchanged', async () => {
    const api = await startTestApp();
    const before = (await api.post(collection, { name: 'A', slug: 'a', tags: ['x'], input_schema: { type: 'object' } }))
      .body;
    const events: Published[] = [];
    api.store.subscribe({ published: (published) => void events.push(...published) });
    for (const body of [{}, before as object]) {
      const answer = await api.patch(`${collection}a/`, body);
      expect([answer.status, answer.body]).toEqual([200, before]);
    }
    await api.patch(`${collection}a/`, { name: 'B' });
    expect(events.map(({ event }) => event)).toMatchObject([
      { type: 'workflow_updated', workflow: { name: 'A' } },
      { type: 'workflow_updated', workflow: { name: 'A' } },
      { type: 'workflow_updated', workflow: { name: 'B' } },
    ]);
  });
});

describe('DELETE /api/v1/workflows/{slug}/', () => {
  it('answers 204 without a body, and the workflow is no longer found', async () => {
    const api = await startTestApp();
    await api.post(collection, { name: 'A', slug: 'a' });
    const answer = await api.delete(`${collection}a/`);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect((await api.get(`${collection}a/`)).status).toBe(404);
    expect((await api.get(`${collection}a/edges/`)).status).toBe(404);
    expect((await api.delete(`${collection}a/`)).body).toEqual({ detail: 'Workflow not found.' });
    expect(workflowList.parse((await api.get(collection)).body).total).toBe(0);
  });
});

describe('POST /api/v1/workflows/batch-delete/', () => {
  it('deletes the caller’s workflows and ignores unknown slugs and those of others', async () => {
    const api = await startTestApp();
    const other = await api.addUser('other');
    for (const slug of ['a', 'b', 'c']) await api.post(collection, { name: slug, slug });
    await other.post(collection, { name: 'theirs', slug: 'theirs', is_public: true });
    const answer = await api.post(`${collection}batch-delete/`, { slugs: ['a', 'c', 'missing', 'theirs', 'a'] });
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(workflowList.parse((await api.get(collection)).body).items).toMatchObject([{ slug: 'b' }]);
    expect((await other.get(`${collection}theirs/`)).status).toBe(200);
  });

  it('accepts an empty list', async () => {
    const api = await startTestApp();
    expect((await api.post(`${collection}batch-delete/`, { slugs: [] })).status).toBe(204);
  });

  it.each([{}, { slugs: null }, { slugs: 'a' }, { slugs: [1] }, []])('answers 422 to %j', async (body) => {
    const api = await startTestApp();
    expect((await api.post(`${collection}batch-delete/`, body)).status).toBe(422);
  });
});

import { dataTypes } from '@millrace/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Member, WholeApp } from '../support/whole-app.ts';

let whole: WholeApp;
let member: Member;

beforeAll(async () => {
  whole = await WholeApp.start();
  member = await whole.member('owner');
});

afterAll(() => whole.close());

/** The implemented paths of the specification, in its notation. */
const specified = [
  'GET /api/v1/workflows/',
  'POST /api/v1/workflows/',
  'GET /api/v1/workflows/{slug}/',
  'PATCH /api/v1/workflows/{slug}/',
  'DELETE /api/v1/workflows/{slug}/',
  'POST /api/v1/workflows/batch-delete/',
  'POST /api/v1/workflows/{slug}/validate/',
  'GET /api/v1/workflows/node-types/',
  'GET /api/v1/workflows/{slug}/edges/',
  'POST /api/v1/workflows/{slug}/edges/',
  'PATCH /api/v1/workflows/{slug}/edges/{edge_id}/',
  'DELETE /api/v1/workflows/{slug}/edges/{edge_id}/',
  'GET /api/v1/credentials/',
  'POST /api/v1/credentials/',
  'GET /api/v1/credentials/{credential_id}/',
  'PATCH /api/v1/credentials/{credential_id}/',
  'DELETE /api/v1/credentials/{credential_id}/',
  'POST /api/v1/credentials/batch-delete/',
  'POST /api/v1/credentials/{credential_id}/test/',
  'GET /api/v1/credentials/{credential_id}/models/',
  'POST /api/v1/workflows/validate-dsl/',
  'POST /api/v1/webhooks/{workflow_slug}',
];

test('has every path of the specification in its documented form', async () => {
  const { paths } = await whole.document();
  const there = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(there).toEqual(expect.arrayContaining(specified));
});

test('checks the body before conflicts', async () => {
  await member.post('/api/v1/workflows/', { name: 'Taken', slug: 'taken' });
  const both = await member.post('/api/v1/workflows/', { name: null, slug: 'taken' });
  expect(both.status).toBe(422);
  expect((await member.post('/api/v1/workflows/', { name: 'Again', slug: 'taken' })).status).toBe(409);
});

test('has the data types of the specification', () => {
  expect(dataTypes).toEqual(expect.arrayContaining(['text', 'llm', 'tool', 'memory', 'number']));
});

test('has sub-inputs for models, tools and memory, of which an agent requires the model', async () => {
  const catalogue = (await member.get('/api/v1/workflows/node-types/')).body as Record<string, { sub_inputs: unknown }>;
  const slot = (name: string, required: boolean) => expect.objectContaining({ name, required });
  expect(catalogue.agent?.sub_inputs).toEqual(
    expect.arrayContaining([slot('model', true), slot('tools', false), slot('memory', false)]),
  );
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Member, WholeApp } from '../support/whole-app.ts';
import { specifiedErrors } from './error-rows.ts';

let whole: WholeApp;
let member: Member;

beforeAll(async () => {
  whole = await WholeApp.start();
  member = await whole.member('owner');
  await member.post('/api/v1/workflows/', { name: 'Flow', slug: 'flow' });
  const types = { say: 'template', keep: 'filter', route: 'switch' };
  for (const [node_id, component_type] of Object.entries(types)) {
    await member.post('/api/v1/workflows/flow/nodes/', { node_id, component_type });
  }
});

afterAll(() => whole.close());

test.each(specifiedErrors)('$id: $says', async ({ status, request: [method, url, given], body }) => {
  const json =
    given === undefined ? {} : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(given) };
  const answer = await member.inject({ method, url, ...json });
  expect([answer.status, answer.body]).toEqual([status, body]);
});

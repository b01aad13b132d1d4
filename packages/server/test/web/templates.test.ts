import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Member, WholeApp } from '../support/whole-app.ts';

const folder = new URL('../../../web/templates/', import.meta.url);

let app: WholeApp;
let admin: Member;
beforeAll(async () => {
  app = await WholeApp.start();
  admin = await app.member('admin', { isAdmin: true });
});
afterAll(() => app.close());

test.each(
  readdirSync(folder),
)('the template %s is valid and completes without an input or a credential', async (file) => {
  const yaml_str = readFileSync(new URL(file, folder), 'utf8');
  const created = await admin.post('/api/v1/workflows/import/', { yaml_str });
  expect(created).toMatchObject({ status: 201, body: { issues: [] } });
  const { slug } = created.body as { slug: string };
  const run = await admin.post(`/api/v1/workflows/${slug}/execute/`, { wait: true });
  expect(run.body).toMatchObject({ status: 'completed', error_message: null });
});

import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '@millrace/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLocalApp } from '../support/local-app.ts';
import { goodKey, Providers } from '../support/providers.ts';
import { scripted } from '../support/scripted-model.ts';
import { type Member, WholeApp } from '../support/whole-app.ts';

const folder = new URL('../../../web/templates/', import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, folder), 'utf8');
const agents = ['agent.yaml', 'local-agent.yaml'];

let app: WholeApp;
let admin: Member;
beforeAll(async () => {
  app = await WholeApp.start();
  admin = await app.member('admin', { isAdmin: true });
});
afterAll(() => app.close());

test.each(
  readdirSync(folder).filter((file) => !agents.includes(file)),
)('the template %s is valid and completes without an input or a credential', async (file) => {
  const created = await admin.post('/api/v1/workflows/import/', { yaml_str: textOf(file) });
  expect(created).toMatchObject({ status: 201, body: { issues: [] } });
  const { slug } = created.body as { slug: string };
  const run = await admin.post(`/api/v1/workflows/${slug}/execute/`, { wait: true });
  expect(run.body).toMatchObject({ status: 'completed', error_message: null });
});

/** A person who has a model server on this machine. Its model calls the calculator once. */
async function withModel(credential: JsonObject) {
  const local = await startLocalApp();
  const person = await local.member('ada', { isAdmin: true });
  const providers = await Providers.start();
  providers.answersWith(
    scripted([{ calls: [{ name: 'calculate', args: { expression: '6 * 7' } }] }, { text: 'It is 42.' }]),
  );
  const detail = { base_url: `${providers.url}/v1`, ...credential };
  const made = await person.post('/api/v1/credentials/', { name: 'Local model', credential_type: 'llm', detail });
  expect(made.status).toBe(201);
  const run = async (slug: string) => {
    const body = { text: 'What is 6 * 7?', wait: true };
    return (await person.post(`/api/v1/workflows/${slug}/execute/`, body)).body;
  };
  return { local, person, providers, credential: made.body as { id: number }, run };
}

test('the template of an agent runs with any compatible server, once its model has a credential and a name', async () => {
  const { local, person, providers, credential, run } = await withModel({ api_key: goodKey });
  try {
    const created = await person.post('/api/v1/workflows/import/', { yaml_str: textOf('agent.yaml') });
    const { slug, issues } = created.body as { slug: string; issues: { node_id: string; field: string }[] };
    expect(issues.map(({ node_id: node, field }) => `${node} ${field}`)).toEqual([
      'model llm_credential_id',
      'model model_name',
    ]);
    const config = { llm_credential_id: credential.id, model_name: 'any' };
    await person.patch(`/api/v1/workflows/${slug}/nodes/model/`, { config });
    expect(await run(slug)).toMatchObject({ status: 'completed', final_output: 'It is 42.' });
    expect(providers.last.headers.authorization).toBe(`Bearer ${goodKey}`);
  } finally {
    await local.close();
  }
});

test('the template of an agent on this machine is complete, and sends no key', async () => {
  const { local, person, providers, run } = await withModel({});
  try {
    const created = await person.post('/api/v1/workflows/import/', { yaml_str: textOf('local-agent.yaml') });
    expect(created).toMatchObject({ status: 201, body: { issues: [] } });
    const { slug } = created.body as { slug: string };
    expect(await run(slug)).toMatchObject({ status: 'completed', final_output: 'It is 42.' });
    expect(providers.received.map(({ headers }) => headers.authorization ?? 'none')).toEqual(['none', 'none']);
  } finally {
    await local.close();
  }
});

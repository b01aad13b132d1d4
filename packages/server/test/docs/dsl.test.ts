import { readFileSync } from 'node:fs';
import { dslExport, dslValidation, importedWorkflow } from '@millrace/contract';
import { issueCodes } from '@millrace/core/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { exampleSlug, seedExample } from '../../src/services/setup/example.ts';
import { WholeApp } from '../matrix/whole-app.ts';
import { apiOf } from '../support/api.ts';
import { report } from '../workflow-tests/tested-files.ts';

const page = readFileSync(new URL('../../../../docs/dsl.md', import.meta.url), 'utf8');
const texts = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);

const app = await WholeApp.start();
afterAll(() => app.close());
const author = await app.addUser('author');
const api = apiOf(app.server, (await app.addKey(author)).key);

async function exported(slug: string): Promise<string> {
  return dslExport.parse((await api.get(`/api/v1/workflows/${slug}/export/`)).body).yaml_str;
}

describe('the page on workflows as text', () => {
  it('shows the example workflow as it is exported', async () => {
    await seedExample(app.store, app.time.clock.now());
    expect(await exported(exampleSlug)).toBe(texts[0]);
  });

  it.each(
    texts.map((text, index) => [index + 1, text] as const),
  )('has a text %i that is valid', async (_, yaml_str) => {
    const answer = await api.post('/api/v1/workflows/validate-dsl/', { yaml_str });
    expect(dslValidation.parse(answer.body).errors).toEqual([]);
  });

  it.each(
    texts.map((text, index) => [index + 1, text] as const),
  )('has a text %i that gives the same workflow in every way to import it', async (index, yaml_str) => {
    const slug = `text-${index}`;
    const first = importedWorkflow.parse((await api.post('/api/v1/workflows/import/', { yaml_str, slug })).body);
    const text = await exported(slug);
    expect(await api.post('/api/v1/workflows/import/', { yaml_str: text })).toMatchObject({
      status: 200,
      body: { version: first.version },
    });
    expect(await exported(slug)).toBe(text);
  });

  it('has an agent that receives the ticket', async () => {
    const triage = texts.find((text) => text.includes('Ticket triage')) ?? '';
    const tests = `
tests:
  - name: A refund
    payload: {text: Where is my refund?}
    models: [{node: triage, input: '{"text":"Where is my refund?"}', answer: billing}]
    http: [{request: {method: POST, url: "http://127.0.0.1:9000/billing"}, response: {status: 200}}]
    expect: {final_output: The ticket is with billing.}
`;
    expect(await report(triage, tests)).toEqual(['  ok    A refund']);
  });

  it('lists every code of an issue', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, code, meaning]) => [code, meaning]);
    expect(rows).toEqual(Object.entries(issueCodes));
  });
});

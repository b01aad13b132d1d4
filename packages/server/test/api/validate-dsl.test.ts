import { dslValidation } from '@millrace/contract';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';

const path = '/api/v1/workflows/validate-dsl/';

const text = `name: Greeting
nodes:
  - {id: start, type: trigger_manual}
  - {id: say, type: template, template: "Hello {{ start.text }}"}
edges:
  - start -> say
`;

describe('POST /api/v1/workflows/validate-dsl/', () => {
  it('reports nothing for the text of a valid workflow, and stores nothing', async () => {
    const api = await startTestApp();
    expect(await api.post(path, { yaml_str: text })).toMatchObject({
      status: 200,
      body: { valid: true, errors: [], issues: [], node_count: 2, edge_count: 1 },
    });
    expect((await api.get('/api/v1/workflows/')).body).toMatchObject({ total: 0 });
  });

  it('reports what is wrong, and where', async () => {
    const api = await startTestApp();
    const answer = await api.post(path, { yaml_str: text.replace('start.text', 'strt.text').replace('name', 'nam') });
    const message = "Node 'say', extra_config.template: Unknown name 'strt' (line 1, column 10) Did you mean 'start'?";
    const body = dslValidation.parse(answer.body);
    expect(body.valid).toBe(false);
    expect(body.errors).toHaveLength(3);
    expect(body.issues[0]).toMatchObject({ code: 'unknown_key', line: 1, column: 1 });
    expect(body.issues.at(-1)).toEqual({
      code: 'unknown_name',
      severity: 'error',
      node_id: 'say',
      field: 'extra_config.template',
      message,
      hint: 'Available: start, trigger, input, run, vars, loop.',
      line: 4,
      column: 41,
    });
  });

  it('requires the text', async () => {
    const api = await startTestApp();
    for (const body of [{}, { yaml_str: null }, { yaml_str: 5 }]) {
      expect(await api.post(path, body)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'yaml_str'] }] },
      });
    }
  });

  it('reports a text that is not YAML, and one that is too large', async () => {
    const api = await startTestApp();
    for (const yaml_str of ['', '[', 'a: *b', 'x'.repeat(300_000), '['.repeat(100_000)]) {
      expect(await api.post(path, { yaml_str })).toMatchObject({ status: 200, body: { valid: false, node_count: 0 } });
    }
  });

  it('names only workflows that the caller may see', async () => {
    const api = await startTestApp();
    const other = await api.addUser('other');
    await other.post('/api/v1/workflows/', { name: 'Theirs', slug: 'theirs' });
    await api.post('/api/v1/workflows/', { name: 'Ours', slug: 'ours' });
    const check = async (slug: string) => (await api.post(path, { yaml_str: `${text}error_handler: ${slug}` })).body;
    expect(await check('ours')).toMatchObject({ valid: true });
    const foreign = await check('theirs');
    expect(foreign).toMatchObject({ valid: false, issues: [{ code: 'unknown_workflow', line: 7, column: 16 }] });
    const missing = await check('theirz');
    expect(JSON.stringify(missing).replaceAll('theirz', 'theirs')).toBe(JSON.stringify(foreign));
  });
});

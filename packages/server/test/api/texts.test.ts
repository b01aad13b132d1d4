import { savedText, textReading, workflowDetail } from '@millrace/contract';
import { expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';

const text = `# Greets the caller.
name: Greeting
slug: greeting
nodes:
  - {id: start, type: trigger_manual}   # by hand
  - {id: say, type: template, template: Hello}
edges: [start -> say]
layout: {say: [200, 0]}
`;
const path = '/api/v1/workflows/greeting/';

async function start(imported = text) {
  const api = await startTestApp();
  await api.post('/api/v1/workflows/import/', { yaml_str: imported });
  const read = async (yaml_str: string) => textReading.parse((await api.post(`${path}text/read/`, { yaml_str })).body);
  const exported = async () => ((await api.get(`${path}export/`)).body as { yaml_str: string }).yaml_str;
  return { api, read, exported };
}

it('returns the exported text until one is saved, and then the saved one with its comments', async () => {
  const { api, exported } = await start(text.replaceAll(/ *#.*/g, ''));
  expect((await api.get(`${path}text/`)).body).toEqual({ yaml_str: await exported(), is_saved: false });
  expect(await api.put(`${path}text/`, { yaml_str: text })).toMatchObject({ status: 200 });
  expect(savedText.parse((await api.get(`${path}text/`)).body)).toEqual({ yaml_str: text, is_saved: true });
});

it('saves the comments of an imported text, also of one that updates the workflow', async () => {
  const { api } = await start();
  const saved = async () => savedText.parse((await api.get(`${path}text/`)).body);
  expect(await saved()).toEqual({ yaml_str: text, is_saved: true });
  const newer = text.replace('# by hand', '# started by hand');
  await api.post('/api/v1/workflows/import/', { yaml_str: newer });
  expect(await saved()).toEqual({ yaml_str: newer, is_saved: true });
  // A text without comments says nothing about those of before, which are merged with it.
  await api.post('/api/v1/workflows/import/', { yaml_str: text.replaceAll(/ *#.*/g, '').replace('Hello', 'Bye') });
  expect((await saved()).yaml_str).toBe(newer);
});

it('rejects a text that is too large to be imported, and keeps the saved one', async () => {
  const { api } = await start();
  await api.put(`${path}text/`, { yaml_str: text });
  const large = await api.put(`${path}text/`, { yaml_str: `# ${'x'.repeat(300_000)}` });
  expect(large).toMatchObject({ status: 422, body: { detail: [{ type: 'too_large', loc: ['body', 'yaml_str'] }] } });
  expect((await api.get(`${path}text/`)).body).toMatchObject({ yaml_str: text });
});

it('reads a text as the graph that an import would store, and stores nothing', async () => {
  const { api, read, exported } = await start();
  const before = await exported();
  const changed = text.replace('Hello', 'Good day').replace('name: Greeting', 'name: Welcome\ntags: [hall]');
  const { workflow, ...check } = await read(changed);
  expect(check).toMatchObject({ valid: true, node_count: 2, edge_count: 1 });
  expect(workflow).toMatchObject({ placed: ['say'], changes: { name: 'Welcome', tags: ['hall'] } });
  expect(await exported()).toBe(before);
  await api.post('/api/v1/workflows/import/', { yaml_str: changed });
  expect(workflow?.canonical).toBe(await exported());
  const stored = workflowDetail.parse((await api.get(path)).body);
  const content = ({ node_id, config }: { node_id: string; config: object }) => ({ node_id, config });
  expect(workflow?.nodes.map(content)).toEqual(stored.nodes.map(content));
});

it('changes nothing of the workflow itself by reading the exported text', async () => {
  const { read, exported } = await start();
  const canonical = await exported();
  expect((await read(canonical)).workflow).toMatchObject({ changes: {}, canonical });
});

it('returns the position of each error, and no graph for a text that cannot be stored', async () => {
  const { read } = await start();
  const { workflow, issues } = await read(text.replace('[start -> say]', '[start -> nobody, start - say]'));
  expect(workflow).toBeNull();
  expect(issues).toContainEqual(expect.objectContaining({ line: 7, severity: 'error' }));
});

it('leaves a node where it is if its position is not in the text', async () => {
  const { api, read, exported } = await start();
  await api.patch(`${path}nodes/start/`, { position_x: 70, position_y: 80 });
  const { workflow } = await read(text);
  expect(workflow?.nodes.map((node) => [node.position_x, node.position_y])).toEqual([
    [70, 80],
    [200, 0],
  ]);
  expect(workflow?.canonical).toBe(await exported());
});

it('keeps the slug of the workflow, whatever the text contains', async () => {
  const { read } = await start();
  const { workflow } = await read(text.replace('slug: greeting', 'slug: other'));
  expect(workflow?.changes).toEqual({});
  expect(workflow?.canonical).toContain('slug: greeting\n');
});

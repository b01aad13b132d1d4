import type { JsonObject } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Member, WholeApp } from '../support/whole-app.ts';

let whole: WholeApp;
let owner: Member;
let editor: Member;
const path = '/api/v1/workflows/w/';

beforeEach(async () => {
  whole = await WholeApp.start();
  owner = await whole.member('owner');
  editor = await whole.member('editor');
  const { id } = (await owner.post('/api/v1/workflows/', { name: 'Secret', slug: 'secret' })).body as JsonObject;
  await owner.post('/api/v1/workflows/', { name: 'W', slug: 'w', error_handler_workflow_id: id });
  await owner.post(`${path}nodes/`, { node_id: 'a', component_type: 'template', subworkflow_id: id });
  await owner.post(`${path}nodes/`, { node_id: 'b', component_type: 'template' });
  await owner.post(`${path}edges/`, { source_node_id: 'a', target_node_id: 'b' });
  await owner.post(`${path}collaborators/`, { username: 'editor', role: 'editor' });
});
afterEach(() => whole.close());

async function detail(member = owner): Promise<JsonObject & { nodes: JsonObject[]; edges: JsonObject[] }> {
  return (await member.get(path)).body as JsonObject & { nodes: JsonObject[]; edges: JsonObject[] };
}

describe('a change of a graph that changes nothing', () => {
  it('creates no version and publishes its events, whether it is empty or repeats the current values', async () => {
    const before = await detail();
    const events: string[] = [];
    whole.store.subscribe({ published: (all) => void events.push(...all.map(({ event }) => event.type)) });
    const [node, edge] = [before.nodes[0] as JsonObject, before.edges[0] as JsonObject];
    const { config, position, label } = node;
    for (const body of [{}, { config, position, label }]) {
      const answer = await owner.patch(`${path}nodes/a/`, body);
      expect([answer.status, answer.body]).toEqual([200, node]);
    }
    const patched = await owner.patch(`${path}edges/${edge.id}/`, { priority: edge.priority });
    expect([patched.status, patched.body]).toEqual([200, edge]);
    const operations = [{ op: 'update_node', node_id: 'a', changes: {} }];
    const applied = await owner.post(`${path}graph/`, { version: before.version, operations });
    expect(applied).toMatchObject({ status: 200, body: { version: before.version } });
    expect(await detail()).toEqual(before);
    expect(events).toEqual(['node_updated', 'node_updated', 'edge_updated', 'node_updated']);
  });

  it('differs from one that changes something in the end', async () => {
    const { version } = await detail();
    const operations = ['x', 'y'].map((label) => ({ op: 'update_node', node_id: 'b', changes: { label } }));
    await owner.post(`${path}graph/`, { version, operations });
    const after = await detail();
    expect([after.version, after.nodes[1]?.label]).toEqual([Number(version) + 1, 'y']);
  });
});

describe('the result of a GET', () => {
  it('may be sent back by an editor who cannot see the workflows in it', async () => {
    const seen = await detail(editor);
    const { error_handler_workflow_id, name } = seen;
    expect(error_handler_workflow_id).not.toBeNull();
    expect((await editor.patch(path, { name, error_handler_workflow_id })).status).toBe(200);
    const { subworkflow_id } = seen.nodes[0] as JsonObject;
    expect((await editor.patch(`${path}nodes/a/`, { label: 'A', subworkflow_id })).status).toBe(200);
    expect((await editor.patch(`${path}nodes/b/`, { subworkflow_id })).status).toBe(422);
    const operations = [{ op: 'update_node', node_id: 'a', changes: { label: 'B', subworkflow_id } }];
    const { version } = await detail();
    expect((await editor.post(`${path}graph/`, { version, operations })).status).toBe(200);
  });
});

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

interface Patched {
  readonly path: string;
  /** A change that is not empty. */
  readonly change: JsonObject;
  /** Where the object is read, if not at its own path. */
  readonly read?: () => Promise<JsonObject | undefined>;
}

/** One object for each documented PATCH. */
async function patched(admin: Member): Promise<Readonly<Record<string, Patched>>> {
  const { edges } = await detail();
  const items = async (list: string): Promise<readonly JsonObject[]> =>
    ((await admin.get(list)).body as { readonly items: readonly JsonObject[] }).items;
  const made = await admin.post('/api/v1/credentials/', {
    name: 'Key',
    credential_type: 'llm',
    detail: { api_key: 'a-key-of-some-length', base_url: 'https://models.example/v1', custom_headers: { 'X-A': 'b' } },
  });
  const { id } = made.body as JsonObject;
  const secret = { value: 'a-long-secret-value', is_secret: true, allowed_hosts: ['api.example'] };
  await admin.post('/api/v1/variables/', { name: 'of_all', ...secret });
  await owner.post(`${path}variables/`, { name: 'own', value: 1 });
  const collaborators = `${path}collaborators/`;
  return {
    '/api/v1/workflows/{slug}/': { path, change: { description: 'other' } },
    '/api/v1/workflows/{slug}/nodes/{node_id}/': { path: `${path}nodes/a/`, change: { label: 'other' } },
    '/api/v1/workflows/{slug}/edges/{edge_id}/': {
      path: `${path}edges/${edges[0]?.id}/`,
      change: { priority: 5 },
      read: async () => (await detail()).edges[0],
    },
    '/api/v1/workflows/{slug}/collaborators/{username}/': {
      path: `${collaborators}editor/`,
      change: { role: 'viewer' },
      read: async () => ((await owner.get(collaborators)).body as JsonObject[])[0],
    },
    '/api/v1/workflows/{slug}/variables/{name}/': { path: `${path}variables/own/`, change: { value: 2 } },
    '/api/v1/variables/{name}/': { path: '/api/v1/variables/of_all/', change: { value: 'another-secret-value' } },
    '/api/v1/credentials/{credential_id}/': { path: `/api/v1/credentials/${id}/`, change: { name: 'other' } },
    '/api/v1/users/{username}/': {
      path: '/api/v1/users/editor/',
      change: { is_admin: true },
      read: async () => (await items('/api/v1/users/')).find(({ username }) => username === 'editor'),
    },
  };
}

/** The body of a PATCH is not what a GET shows, so there is nothing to leave unchanged: a password, and a payload. */
const withoutObject: readonly string[] = ['/api/v1/users/me/', '/api/v1/webhooks/{workflow_slug}'];

describe('a PATCH that changes nothing', () => {
  it('changes no field of its object, and emits the events that a change emits, on every path', async () => {
    const admin = await whole.member('admin', { isAdmin: true });
    const events: string[] = [];
    whole.store.subscribe({
      published: (all) => void events.push(...all.map(({ event }) => event.type)),
      accessChanged: (changes) => void events.push(...changes.map(({ kind }) => `access of ${kind}`)),
    });
    const paths = Object.entries((await whole.document()).paths).filter(([, { patch }]) => patch !== undefined);
    const objects = await patched(admin);
    expect(paths.map(([name]) => name).sort()).toEqual([...Object.keys(objects), ...withoutObject].sort());
    for (const [name, { path: own, change, read }] of Object.entries(objects)) {
      const caller = own.startsWith(path) ? owner : admin;
      const current = read ?? (async () => (await caller.get(own)).body as JsonObject);
      const before = (await current()) as JsonObject;
      const same = Object.fromEntries(Object.keys(change).map((field) => [field, before[field] ?? null]));
      const emitted: (readonly string[])[] = [];
      for (const body of [{}, same, before, change]) {
        // The role is the only field of a collaborator, and required.
        if (name.includes('/collaborators/') && body !== change && Object.keys(body).length === 0) continue;
        events.length = 0;
        const answer = await caller.patch(own, body);
        expect([name, body, answer.status, answer.text]).toEqual([name, body, 200, answer.text]);
        emitted.push([...events]);
        const after = await current();
        if (body === change) expect([name, after]).not.toEqual([name, before]);
        else expect([name, body, after]).toEqual([name, body, before]);
      }
      expect([name, ...emitted]).toEqual([name, ...emitted.map(() => emitted.at(-1))]);
    }
  });
});

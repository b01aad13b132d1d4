import { workflow as workflowBody, workflowList } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestApp } from '../support/app.ts';

type Colleague = Awaited<ReturnType<Awaited<ReturnType<typeof startTestApp>>['addUser']>>;

const path = '/api/v1/workflows/wf/collaborators/';
const missing = { status: 404, body: { detail: 'Workflow not found.' } };
const readOnly = { status: 403, body: { detail: 'You have read-only access to this workflow.' } };
const ownerOnly = { status: 403, body: { detail: 'Only the owner of this workflow may do this.' } };

let owner: Awaited<ReturnType<typeof startTestApp>>;
let visitor: Colleague;
beforeEach(async () => {
  owner = await startTestApp();
  visitor = await owner.addUser('visitor');
  await owner.post('/api/v1/workflows/', { name: 'Test', slug: 'wf' });
});

async function share(role: 'editor' | 'viewer'): Promise<void> {
  const answer = await owner.post(path, { username: 'visitor', role });
  expect(answer.status).toBe(201);
}

describe('sharing a workflow', () => {
  it('adds a collaborator, lists them, changes their role and removes them', async () => {
    const added = await owner.post(path, { username: 'visitor', role: 'viewer' });
    const body = { username: 'visitor', role: 'viewer', created_at: '2026-01-01T00:00:00.000000' };
    expect(added).toMatchObject({ status: 201, body });
    expect((await owner.get(path)).body).toEqual([body]);
    const changed = await owner.patch(`${path}visitor/`, { role: 'editor' });
    expect(changed).toMatchObject({ status: 200, body: { ...body, role: 'editor' } });
    expect((await owner.delete(`${path}visitor/`)).status).toBe(204);
    expect((await owner.get(path)).body).toEqual([]);
    expect(await owner.delete(`${path}visitor/`)).toMatchObject({
      status: 404,
      body: { detail: 'Collaborator not found.' },
    });
  });

  it.each([
    [{ role: 'viewer' }, 'username'],
    [{ username: 'visitor' }, 'role'],
    [{ username: 'visitor', role: 'owner' }, 'role'],
    [{ username: 'nobody', role: 'viewer' }, 'username'],
    [{ username: 'admin', role: 'viewer' }, 'username'],
    [{ username: null, role: 'viewer' }, 'username'],
  ])('rejects %j with the field', async (body, field) => {
    const answer = await owner.post(path, body);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', field] }] } });
  });

  it('with the same user twice is a conflict', async () => {
    await share('viewer');
    expect(await owner.post(path, { username: 'visitor', role: 'editor' })).toMatchObject({
      status: 409,
      body: { detail: "'visitor' is already a collaborator." },
    });
  });

  it('is only for the owner: others get the error for what they may see', async () => {
    const attempts = (api: Api) =>
      Promise.all([
        api.post(path, { username: 'visitor', role: 'editor' }),
        api.patch(`${path}visitor/`, { role: 'editor' }),
        api.delete(`${path}visitor/`),
      ]);
    for (const answer of await attempts(visitor)) expect(answer).toMatchObject(missing);
    await share('viewer');
    for (const answer of await attempts(visitor)) expect(answer).toMatchObject(readOnly);
    await owner.patch(`${path}visitor/`, { role: 'editor' });
    for (const answer of await attempts(visitor)) expect(answer).toMatchObject(ownerOnly);
  });

  it('is visible to members, and not to users who can read the workflow because it is public', async () => {
    await owner.patch('/api/v1/workflows/wf/', { is_public: true });
    expect(await visitor.get(path)).toMatchObject({
      status: 403,
      body: { detail: 'Only the owner and the collaborators of this workflow may see this.' },
    });
    await share('viewer');
    expect((await visitor.get(path)).status).toBe(200);
  });
});

describe('a collaborator', () => {
  const workflow = '/api/v1/workflows/wf/';

  it('with the role viewer reads everything and changes nothing', async () => {
    await share('viewer');
    for (const part of ['', 'nodes/', 'edges/']) expect((await visitor.get(`${workflow}${part}`)).status).toBe(200);
    expect((await visitor.post(`${workflow}validate/`)).status).toBe(200);
    expect(await visitor.patch(workflow, { name: 'Mine' })).toMatchObject(readOnly);
    expect(await visitor.post(`${workflow}nodes/`, { component_type: 'template' })).toMatchObject(readOnly);
    expect(await visitor.delete(workflow)).toMatchObject(readOnly);
  });

  it('with the role editor changes everything except what only the owner may change', async () => {
    await share('editor');
    expect((await visitor.patch(workflow, { name: 'Ours', is_active: false })).status).toBe(200);
    expect((await visitor.post(`${workflow}nodes/`, { component_type: 'template' })).status).toBe(201);
    for (const change of [{ is_public: true }, { is_default: true }, { slug: 'mine' }]) {
      expect(await visitor.patch(workflow, change)).toMatchObject(ownerOnly);
    }
    expect(await visitor.delete(workflow)).toMatchObject(ownerOnly);
    await visitor.post('/api/v1/workflows/batch-delete/', { slugs: ['wf'] });
    expect((await owner.get(workflow)).status).toBe(200);
  });

  it('with the role editor may send fields of the owner back unchanged', async () => {
    await share('editor');
    const { slug, is_public, is_default } = workflowBody.parse((await visitor.get(workflow)).body);
    const answer = await visitor.patch(workflow, { name: 'Ours', slug, is_public, is_default });
    expect(answer).toMatchObject({ status: 200, body: { name: 'Ours' } });
  });

  it('finds the workflow in their list, unlike a user who can only read it because it is public', async () => {
    const listed = async () => workflowList.parse((await visitor.get('/api/v1/workflows/')).body);
    await owner.patch(workflow, { is_public: true });
    expect(await listed()).toEqual({ items: [], total: 0 });
    await share('viewer');
    expect(await listed()).toMatchObject({ items: [{ slug: 'wf' }], total: 1 });
    await owner.delete(`${path}visitor/`);
    expect(await listed()).toEqual({ items: [], total: 0 });
  });

  it('may select it as an error handler while it is shared', async () => {
    const { id } = workflowBody.parse((await owner.get(workflow)).body);
    const create = (slug: string) =>
      visitor.post('/api/v1/workflows/', { name: slug, slug, error_handler_workflow_id: id });
    expect((await create('one')).status).toBe(422);
    await share('viewer');
    expect((await create('two')).status).toBe(201);
    await owner.delete(`${path}visitor/`);
    expect((await create('three')).status).toBe(422);
  });

  it('loses all access when the sharing ends', async () => {
    await share('editor');
    expect((await visitor.get(workflow)).status).toBe(200);
    await owner.delete(`${path}visitor/`);
    expect(await visitor.get(workflow)).toMatchObject(missing);
  });
});

describe('a default workflow', () => {
  it('is per owner, whatever is shared', async () => {
    await owner.patch('/api/v1/workflows/wf/', { is_default: true });
    await share('editor');
    await visitor.post('/api/v1/workflows/', { name: 'Own', slug: 'own', is_default: true });
    expect((await visitor.get('/api/v1/workflows/wf/')).body).toMatchObject({ is_default: true });
    expect((await visitor.get('/api/v1/workflows/own/')).body).toMatchObject({ is_default: true });
  });
});

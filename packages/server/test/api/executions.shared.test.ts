import { executionList, webhookAccepted } from '@millrace/contract';
import type { CollaboratorRole } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/executions/';
const missing = { status: 404, body: { detail: 'Execution not found.' } };
const readOnly = { status: 403, body: { detail: 'You have read-only access to this workflow.' } };

let running: Running;
let owner: Person;
let visitor: Person;
let workflowId: number;
beforeEach(async () => {
  running = await startRunning({ withRunner: false });
  owner = await running.addPerson('owner');
  visitor = await running.addPerson('visitor');
  workflowId = (await running.addWorkflow(owner.user, 'hook', { nodes: { start: 'trigger_webhook' } })).id;
});

async function start(person: Person): Promise<string> {
  const answer = await person.post('/api/v1/webhooks/hook', {});
  return webhookAccepted.parse(answer.body).execution_id;
}

async function share(role: CollaboratorRole): Promise<void> {
  await running.store.collaborators.insert({ workflowId, userId: visitor.user.id, role, at: running.time.clock.now() });
}

describe('an execution of a shared workflow', () => {
  it('is hidden from strangers, and visible to collaborators', async () => {
    const id = await start(owner);
    const listed = async () => executionList.parse((await visitor.get(`${path}?workflow_slug=hook`)).body).total;
    expect(await visitor.get(`${path}${id}/`)).toMatchObject(missing);
    expect(await listed()).toBe(0);
    await share('viewer');
    expect((await visitor.get(`${path}${id}/`)).status).toBe(200);
    expect(await listed()).toBe(1);
    expect(executionList.parse((await visitor.get(path)).body)).toMatchObject({
      items: [{ execution_id: id }],
      total: 1,
    });
  });

  it('can be cancelled and deleted by editors, not by viewers', async () => {
    const id = await start(owner);
    await share('viewer');
    expect(await visitor.post(`${path}${id}/cancel/`)).toMatchObject(readOnly);
    expect(await visitor.post('/api/v1/workflows/hook/execute/')).toMatchObject(readOnly);
    await running.store.collaborators.update({ workflowId, userId: visitor.user.id, role: 'editor' });
    expect((await visitor.post(`${path}${id}/cancel/`)).status).toBe(200);
    expect((await visitor.post(`${path}batch-delete/`, { execution_ids: [id] })).status).toBe(204);
    expect(await owner.get(`${path}${id}/`)).toMatchObject(missing);
    expect((await visitor.post('/api/v1/workflows/hook/execute/')).status).toBe(200);
  });

  it('is started by a webhook request of any collaborator', async () => {
    expect((await visitor.post('/api/v1/webhooks/hook', {})).status).toBe(404);
    await share('viewer');
    const id = await start(visitor);
    expect((await owner.get(`${path}${id}/`)).status).toBe(200);
  });

  it('is only visible to its owner after the workflow was deleted', async () => {
    const id = await start(owner);
    await share('editor');
    await running.store.workflows.remove({ ids: [workflowId], at: running.time.clock.now() });
    expect((await owner.get(`${path}${id}/`)).status).toBe(200);
    expect(await visitor.get(`${path}${id}/`)).toMatchObject(missing);
  });
});

import { executeAnswer } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../src/store/executions.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/workflows/hand/execute/';
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
});

async function started(request: Record<string, unknown>): Promise<ExecutionDetail> {
  const { status, body } = await member.post(path, request);
  expect(status).toBe(200);
  const detail = await running.store.executions.detail(executeAnswer.parse(body).execution_id);
  if (detail === null) throw new Error('nothing was stored');
  return detail;
}

describe('POST execute', () => {
  beforeEach(() =>
    running.addWorkflow(member.user, 'hand', {
      nodes: { start: 'trigger_manual', end: 'echo' },
      edges: 'start -> end',
    }),
  );

  it('starts a run and answers at once', async () => {
    expect(await member.post(path, {})).toMatchObject({ status: 200, body: { execution_id: uuid, status: 'pending' } });
  });

  it('passes the payload and text to the run', async () => {
    expect((await started({ payload: [1], text: 'hi' })).trigger).toMatchObject({ payload: [1], text: 'hi' });
    expect((await started({ payload: null })).trigger).toMatchObject({ payload: null });
    expect((await started({})).trigger).toMatchObject({ payload: {}, text: '' });
  });

  it('waits for the end if the request asks for it', async () => {
    expect(await member.post(path, { payload: { n: 1 }, wait: true })).toMatchObject({
      status: 200,
      body: { execution_id: uuid, status: 'completed', final_output: { payload: { n: 1 } }, error_message: null },
    });
  });

  it('answers a waiting caller with the error, and other callers without results', async () => {
    const nodes = { start: 'trigger_manual', bad: 'fail' };
    await running.addWorkflow(member.user, 'failing', { nodes, edges: 'start -> bad' });
    const waited = (await member.post('/api/v1/workflows/failing/execute/', { wait: true })).body;
    expect(waited).toMatchObject({ status: 'failed', final_output: null, error_message: expect.stringMatching(/./) });
    expect(Object.keys((await member.post(path, {})).body as object)).toEqual(['execution_id', 'status']);
  });

  it('waits no longer than 30 seconds', async () => {
    await running.addWorkflow(member.user, 'slow', {
      nodes: { start: 'trigger_manual', end: 'held' },
      edges: 'start -> end',
    });
    const answer = member.post('/api/v1/workflows/slow/execute/', { wait: true });
    await running.settle();
    running.time.advance(30_000);
    const body = { status: 'running', final_output: null, error_message: null };
    expect(await answer).toMatchObject({ status: 200, body });
  });

  it.each([
    [{ text: 5 }, 'text'],
    [{ wait: 'yes' }, 'wait'],
    [{ trigger_node_id: 5 }, 'trigger_node_id'],
  ])('rejects %j with the field', async (request, field) => {
    expect(await member.post(path, request)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', field] }] },
    });
  });

  it('answers 404 for a workflow that is missing or not shared, and 403 if it may only be read', async () => {
    const visitor = await running.addPerson('visitor');
    const missing = { status: 404, body: { detail: 'Workflow not found.' } };
    expect(await member.post('/api/v1/workflows/none/execute/', {})).toMatchObject(missing);
    expect(await visitor.post(path, {})).toMatchObject(missing);
    await running.addWorkflow(member.user, 'open', { nodes: { start: 'trigger_manual' }, fields: { isPublic: true } });
    expect(await visitor.post('/api/v1/workflows/open/execute/', {})).toMatchObject({
      status: 403,
      body: { detail: 'You have read-only access to this workflow.' },
    });
  });
});

describe('the trigger of a run by hand', () => {
  const nodes = { hook: 'trigger_webhook', byHand: 'trigger_manual', called: 'trigger_workflow', end: 'echo' } as const;

  it('is the manual one, unless the request names another', async () => {
    await running.addWorkflow(member.user, 'hand', { nodes });
    expect((await started({})).triggerNodeId).toBe('byHand');
    expect((await started({ trigger_node_id: 'called' })).triggerNodeId).toBe('called');
    expect((await started({ trigger_node_id: null })).triggerNodeId).toBe('byHand');
  });

  it('is the only one if there is one', async () => {
    await running.addWorkflow(member.user, 'hand', { nodes: { hook: 'trigger_webhook', end: 'echo' } });
    expect((await started({})).triggerNodeId).toBe('hook');
  });

  it('must be named if there are several and none is manual', async () => {
    await running.addWorkflow(member.user, 'hand', { nodes: { hook: 'trigger_webhook', called: 'trigger_workflow' } });
    expect(await member.post(path, {})).toMatchObject({
      status: 422,
      body: { detail: "The workflow has several triggers: name one of 'hook', 'called' in trigger_node_id." },
    });
  });

  it.each(['end', 'none'])('cannot be %s', async (name) => {
    await running.addWorkflow(member.user, 'hand', { nodes });
    expect(await member.post(path, { trigger_node_id: name })).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['body', 'trigger_node_id'], msg: `Node '${name}' is not a trigger of this workflow.` }],
      },
    });
  });

  it('must exist', async () => {
    await running.addWorkflow(member.user, 'hand', { nodes: { end: 'echo' } });
    expect(await member.post(path, {})).toMatchObject({
      status: 422,
      body: { detail: 'The workflow has no active trigger.' },
    });
  });

  it('may belong to an inactive workflow, so that it can be tested', async () => {
    await running.addWorkflow(member.user, 'hand', { nodes, fields: { isActive: false } });
    expect((await started({})).triggerNodeId).toBe('byHand');
  });
});

describe('a run by hand', () => {
  it('is not started with a payload that violates the input schema', async () => {
    const inputSchema = { type: 'object', required: ['name'] };
    await running.addWorkflow(member.user, 'hand', { nodes: { start: 'trigger_manual' }, fields: { inputSchema } });
    expect(await member.post(path, { payload: {} })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'payload', 'name'], pointer: '/name' }] },
    });
  });

  it('is not started on an invalid graph', async () => {
    await running.addWorkflow(member.user, 'hand', { nodes: { start: 'trigger_manual' }, edges: 'start -> none' });
    expect(await member.post(path, {})).toMatchObject({
      status: 422,
      body: { issues: [{ code: 'missing_node', severity: 'error', edge_id: 1 }] },
    });
  });
});

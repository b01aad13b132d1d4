import { catalogue } from '@millrace/components';
import { chatAnswer, chatHistory } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/workflows/talk/chat/';
const echo = ['template', { template: 'You said {{ trigger.text }} in {{ start.session_id }}' }] as const;
const nodes = { start: 'trigger_chat', say: echo } as const;
const edges = 'start -> say';

let running: Running;
let member: Person;
let visitor: Person;
beforeEach(async () => {
  running = await startRunning({ catalogue });
  member = await running.addPerson('member');
  visitor = await running.addPerson('visitor');
});

function printed(answer: Answer) {
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return chatAnswer.parse(answer.body);
}

async function history(person: Person, query = '') {
  const answer = await person.get(`${path}history/${query}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return chatHistory.parse(answer.body);
}

async function share(role: 'viewer' | 'editor'): Promise<void> {
  const workflow = await running.store.workflows.bySlug('talk');
  const at = running.time.clock.now();
  await running.store.collaborators.insert({ workflowId: workflow?.id ?? 0, userId: visitor.user.id, role, at });
}

describe('a message', () => {
  it('is answered with the output of its run', async () => {
    await running.addWorkflow(member.user, 'talk', { nodes, edges });
    const answer = printed(await member.post(path, { text: 'Hello', session_id: 's1' }));
    expect(answer).toEqual({
      execution_id: answer.execution_id,
      workflow_slug: 'talk',
      session_id: 's1',
      status: 'completed',
      text: 'You said Hello in s1',
      error_message: null,
    });
    const detail = await running.store.executions.detail(answer.execution_id);
    expect(detail?.trigger).toEqual({ payload: { text: 'Hello', session_id: 's1' }, text: 'Hello', sessionId: 's1' });
  });

  it('without a session starts one', async () => {
    await running.addWorkflow(member.user, 'talk', { nodes, edges });
    const first = printed(await member.post(path, { text: 'Hello' }));
    expect(first.session_id).toBe(first.execution_id);
    const second = printed(await member.post(path, { text: 'Again', session_id: first.session_id }));
    expect(second).toMatchObject({ session_id: first.session_id, text: `You said Again in ${first.session_id}` });
  });

  it('is answered with the reason if its run failed', async () => {
    const rules = [{ id: 'r', field: 'trigger.text', operator: 'equals', value: 'other' }];
    const check = ['assertion', { rules }] as const;
    await running.addWorkflow(member.user, 'talk', {
      nodes: { start: 'trigger_chat', check },
      edges: 'start -> check',
    });
    const answer = printed(await member.post(path, { text: 'Hello' }));
    expect(answer).toMatchObject({ status: 'failed', text: null, error_message: expect.stringContaining('check') });
    expect((await history(member)).items).toMatchObject([{ status: 'failed', answer: null }]);
  });

  it('waits as long as the trigger allows, and is then answered that its run continues', async () => {
    const own = await startRunning({ withRunner: false, catalogue });
    const person = await own.addPerson('member');
    const slow = ['trigger_chat', { timeout: 5 }] as const;
    await own.addWorkflow(person.user, 'talk', { nodes: { start: slow, say: echo }, edges });
    const waiting = person.post(path, { text: 'Hello', session_id: 's' });
    await own.until(() => own.time.pending > 0);
    await own.settle();
    own.time.advance(5000);
    const answer = await waiting;
    expect(answer).toMatchObject({ status: 202, body: { session_id: 's', status: 'running', text: null } });
    own.runner.start();
    await own.settle();
    expect(await person.get(`${path}history/`)).toMatchObject({
      body: { items: [{ status: 'completed', answer: 'You said Hello in s' }] },
    });
  });

  it.each([
    ['without a chat trigger', { nodes: { start: 'trigger_manual' } }],
    ['whose chat trigger is off', { nodes: { start: ['trigger_chat', {}, { is_active: false }] } }],
    ['that is not active', { nodes: { start: 'trigger_chat' }, fields: { isActive: false } }],
  ] as const)('to a workflow %s is rejected', async (_what, sketch) => {
    await running.addWorkflow(member.user, 'talk', sketch);
    expect((await member.post(path, { text: 'Hello' })).status).toBe(422);
    expect((await history(member)).total).toBe(0);
  });

  it.each([
    {},
    { text: '' },
    { text: 5 },
    { text: 'a', session_id: 'a b' },
    { text: 'a', session_id: '' },
    [],
  ])('is not accepted as %j', async (body) => {
    await running.addWorkflow(member.user, 'talk', { nodes, edges });
    expect((await member.post(path, body)).status).toBe(422);
  });

  it('requires the permission to start the workflow by hand', async () => {
    await running.addWorkflow(member.user, 'talk', { nodes, edges });
    expect((await visitor.post(path, { text: 'Hello' })).status).toBe(404);
    await share('viewer');
    expect((await visitor.post(path, { text: 'Hello' })).status).toBe(403);
  });
});

describe('the response of a respond node', () => {
  it('is the answer before the run ends', async () => {
    const respond = ['respond', { body: { hello: '{{ trigger.text }}' } }] as const;
    await running.addWorkflow(member.user, 'talk', {
      nodes: { start: 'trigger_chat', respond },
      edges: 'start -> respond',
    });
    expect(printed(await member.post(path, { text: 'you' })).text).toBe('{"hello":"you"}');
    expect((await history(member)).items).toMatchObject([{ answer: '{"hello":"you"}' }]);
  });

  it('is in the history from when it was sent, even if the run waits, fails and is retried', async () => {
    const rules = [{ id: 'r', field: 'trigger.text', operator: 'equals', value: 'other' }];
    await running.addWorkflow(member.user, 'talk', {
      nodes: {
        start: 'trigger_chat',
        respond: ['respond', { body: 'Sent' }],
        again: ['respond', { body: 'Too late' }],
        pause: ['wait', { duration: 10, unit: 'minutes' }],
        check: ['assertion', { rules }],
      },
      edges: 'start -> respond\nrespond -> again\nagain -> pause\npause -> check',
    });
    const { execution_id, text } = printed(await member.post(path, { text: 'Hello' }));
    expect(text).toBe('Sent');
    await running.settle();
    expect((await history(member)).items).toMatchObject([{ status: 'waiting', answer: 'Sent', answered_at: null }]);
    running.time.advance(600_000);
    await running.settle();
    expect((await history(member)).items).toMatchObject([{ status: 'failed', answer: 'Sent' }]);
    await member.post(`/api/v1/executions/${execution_id}/retry/`);
    await running.settle();
    expect((await history(member)).items).toMatchObject([{ status: 'failed', answer: 'Sent' }]);
  });
});

describe('a message without a workflow', () => {
  it('is sent to the default workflow of its sender', async () => {
    await running.addWorkflow(member.user, 'other', { nodes, edges });
    await running.addWorkflow(member.user, 'talk', { nodes, edges, fields: { isDefault: true } });
    const answer = printed(await member.post('/api/v1/chat/', { text: 'Hello', session_id: 's' }));
    expect(answer).toMatchObject({ workflow_slug: 'talk', text: 'You said Hello in s' });
    expect((await history(member)).total).toBe(1);
  });

  it('is rejected if its sender has no default workflow', async () => {
    await running.addWorkflow(visitor.user, 'talk', { nodes, edges, fields: { isDefault: true, isPublic: true } });
    expect(await member.post('/api/v1/chat/', { text: 'Hello' })).toMatchObject({
      status: 404,
      body: { detail: 'You have no default workflow: set is_default of one of yours.' },
    });
  });
});

describe('a page of a history', () => {
  it('has 4 MiB of messages and answers, and the beginnings of older ones', async () => {
    const held = { nodes: { start: 'trigger_chat', say: ['template', { template: 'Yes.' }] }, edges } as const;
    await running.addWorkflow(member.user, 'talk', held);
    const text = 'x'.repeat(99_996);
    for (let count = 0; count < 44; count += 1) await member.post(path, { text, session_id: 's1' });
    const { items, total } = await history(member, '?limit=100');
    expect([items.length, total]).toEqual([44, 44]);
    const lengths = items.map((turn) => turn.text.length);
    expect(lengths).toEqual([...Array(41).fill(99_996), ...Array(3).fill(201)]);
    expect((await history(member, '?limit=1&offset=43')).items[0]?.text).toBe(text);
  });
});

describe('the history', () => {
  beforeEach(async () => {
    await running.addWorkflow(member.user, 'talk', { nodes, edges });
    await share('editor');
    for (const [person, text, session_id] of [
      [member, 'one', 'a'],
      [member, 'two', 'b'],
      [visitor, 'three', 'a'],
    ] as const) {
      printed(await person.post(path, { text, session_id }));
    }
  });

  it('lists messages and answers, newest first', async () => {
    const { items, total } = await history(member, '?session_id=a&username=member');
    expect([items, total]).toEqual([
      [
        {
          execution_id: items[0]?.execution_id,
          session_id: 'a',
          username: 'member',
          text: 'one',
          status: 'completed',
          answer: 'You said one in a',
          asked_at: items[0]?.asked_at,
          answered_at: items[0]?.answered_at,
        },
      ],
      1,
    ]);
  });

  it('shows the messages of everybody to the owner, and to others their own', async () => {
    const texts = async (person: Person, query = '') => (await history(person, query)).items.map(({ text }) => text);
    expect(await texts(member)).toEqual(['three', 'two', 'one']);
    expect(await texts(member, '?username=visitor')).toEqual(['three']);
    expect(await texts(member, '?username=nobody')).toEqual([]);
    expect(await texts(member, '?limit=1&offset=1')).toEqual(['two']);
    expect(await texts(visitor)).toEqual(['three']);
    expect(await texts(visitor, '?username=visitor')).toEqual(['three']);
    expect(await texts(visitor, '?username=Visitor')).toEqual(['three']);
    expect((await visitor.get(`${path}history/?username=member`)).status).toBe(403);
  });

  it('can be deleted by the sender of the messages, and by the owner', async () => {
    expect((await visitor.delete(`${path}history/?username=member`)).status).toBe(403);
    expect((await member.delete(`${path}history/?session_id=a`)).status).toBe(204);
    expect((await history(member)).items.map(({ text }) => text)).toEqual(['three', 'two']);
    expect((await member.delete(`${path}history/`)).status).toBe(204);
    expect((await history(member)).items.map(({ text }) => text)).toEqual(['three']);
    expect((await member.delete(`${path}history/?username=visitor`)).status).toBe(204);
    expect((await history(member)).total).toBe(0);
  });

  it('is only for members: a public workflow shows none', async () => {
    const stranger = await running.addPerson('stranger');
    expect((await stranger.get(`${path}history/`)).status).toBe(404);
    const workflow = await running.store.workflows.bySlug('talk');
    const at = running.time.clock.now();
    await running.store.workflows.update({ id: workflow?.id ?? 0, changes: { isPublic: true }, at });
    expect((await stranger.get(`${path}history/`)).status).toBe(403);
    expect((await stranger.delete(`${path}history/`)).status).toBe(403);
  });
});

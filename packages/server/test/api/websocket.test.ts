import { eventData, eventEnvelope, executeAnswer, issuedKey, presentWorkflow } from '@millrace/contract';
import { formatInstant, type LiveEvent, type User, type Workflow } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { newApiKey, newExecutionId } from '../../src/ground/ids.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';
import { Socket } from '../support/socket.ts';

let running: Running;
let member: Person;
let url: string;
beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
  url = `ws://${await running.listen()}/ws/`;
});

function connect(person = member): Promise<Socket> {
  return Socket.open(`${url}?token=${person.key}`);
}

function addRun(owner: User, isPublic = false): Promise<Workflow> {
  const nodes = { start: 'trigger_manual', end: 'held' } as const;
  return running.addWorkflow(owner, 'flow', { nodes, edges: 'start -> end', fields: { isPublic } });
}

function update(workflow: Workflow, changes: Partial<Workflow>): Promise<unknown> {
  return running.store.workflows.update({ id: workflow.id, changes, at: running.time.clock.now() });
}

describe('a connection', () => {
  it('accepts its token in the query or in a header', async () => {
    const missing = { type: 'error', channel: 'workflow:none', detail: 'Workflow not found.' };
    expect(await (await connect()).subscribe('workflow:none')).toEqual(missing);
    const byHeader = await Socket.open(url, { headers: { authorization: `Bearer ${member.key}` } });
    expect(await byHeader.subscribe('workflow:none')).toEqual(missing);
    const withoutSlash = await Socket.open(`${url.slice(0, -1)}?token=${member.key}`);
    expect(await withoutSlash.subscribe('workflow:none')).toEqual(missing);
  });

  it('with a wrong token is accepted, then closed with the reason', async () => {
    const sender = await running.addPerson('member', 'webhook');
    const queries = [
      '?token=',
      '?token=x',
      `?token=${newApiKey()}`,
      `?token=${sender.key}`,
      `?token=${member.key}&token=${member.key}`,
    ];
    for (const query of queries) {
      const socket = await Socket.open(url + query);
      expect(await socket.ended).toEqual([1008, 'Invalid or missing token']);
    }
  });

  it('with a wrong token gets the same close code, also after many wrong ones', async () => {
    const answers: unknown[] = [];
    for (let tries = 0; tries < 25; tries += 1) {
      const socket = await Socket.open(`${url}?token=wrong-${tries}`);
      answers.push(await socket.ended);
    }
    expect(answers).toEqual(Array(25).fill([1008, 'Invalid or missing token']));
    expect(await (await connect()).subscribe('x')).toMatchObject({ type: 'error' });
  });

  it('from a page of another site is rejected', async () => {
    const token = `?token=${member.key}`;
    await expect(Socket.open(url + token, { headers: { origin: 'https://example.com' } })).rejects.toThrow('403');
    await expect(Socket.open(url + token, { headers: { origin: 'null' } })).rejects.toThrow('403');
    await expect(Socket.open(url + token, { headers: { host: 'evil.example' } })).rejects.toThrow('421');
    const own = await Socket.open(url + token, { headers: { origin: `http://${new URL(url).host}` } });
    expect(await own.subscribe('x')).toMatchObject({ type: 'error' });
  });

  it('is required: a plain HTTP request is answered with 426', async () => {
    const answer = await member.get('/ws/');
    expect(answer).toMatchObject({ status: 426, body: { detail: 'This is a WebSocket endpoint.' } });
  });

  it('accepts its token in the first message', async () => {
    const socket = await Socket.open(url);
    socket.say({ type: 'auth', token: member.key });
    expect(await socket.subscribe('x')).toMatchObject({ type: 'error', channel: 'x' });
    const wrong = await Socket.open(url);
    wrong.say({ type: 'auth', token: newApiKey() });
    expect(await wrong.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('without any token is closed after 5 seconds', async () => {
    const socket = await Socket.open(url);
    running.time.advance(5000);
    expect(await socket.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('is rejected if its key has 20 others', async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => connect()));
    expect(await (await connect()).ended).toEqual([1008, 'Too many connections with this key']);
    expect(await (await connect(await running.addPerson('visitor'))).subscribe('x')).toMatchObject({ type: 'error' });
    sockets[0]?.close();
    await sockets[0]?.ended;
    expect(await (await connect()).subscribe('x')).toMatchObject({ type: 'error' });
  });
});

describe('the end of a connection', () => {
  it('follows within a second after its key ends, even without events', async () => {
    const keys = '/api/v1/users/me/keys/';
    const expires_at = formatInstant(running.time.clock.now() + 10_000);
    const expiring = issuedKey.parse((await member.post(keys, { name: 'short', expires_at })).body);
    const revoked = issuedKey.parse((await member.post(keys, { name: 'lost' })).body);
    const sockets = [
      await Socket.open(`${url}?token=${expiring.key}`),
      await Socket.open(`${url}?token=${revoked.key}`),
    ];
    await member.delete(`${keys}${revoked.id}/`);
    running.time.advance(1000);
    expect(await sockets[1]?.ended).toEqual([1008, 'Invalid or missing token']);
    running.time.advance(9500);
    expect(await sockets[0]?.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('follows when its user is deleted', async () => {
    const visitor = await running.addPerson('visitor');
    const [socket, other] = [await connect(visitor), await connect()];
    await running.store.users.remove({ id: visitor.user.id, heirId: member.user.id, at: running.time.clock.now() });
    expect(await socket.ended).toEqual([1008, 'Invalid or missing token']);
    expect(await other.subscribe('x')).toMatchObject({ type: 'error' });
  });

  it('follows when its key is revoked, before the next event', async () => {
    const keys = '/api/v1/users/me/keys/';
    const { id, key } = issuedKey.parse((await member.post(keys, { name: 'lost' })).body);
    const workflow = await addRun(member.user);
    const socket = await Socket.open(`${url}?token=${key}`);
    await socket.subscribe('workflow:flow');
    await member.delete(`${keys}${id}/`);
    await update(workflow, { name: 'a secret' });
    expect(await socket.ended).toEqual([1008, 'Invalid or missing token']);
  });

  it('follows when the service stops', async () => {
    const socket = await connect();
    const closed = running.app.close();
    expect(await socket.ended).toEqual([1001, 'The service is stopping']);
    await closed;
  });

  it('after invalid WebSocket frames does not affect others', async () => {
    const socket = await connect();
    const broken = await connect();
    broken.sendGarbage();
    await broken.ended;
    expect(await socket.subscribe('x')).toMatchObject({ type: 'error' });
  });
});

describe('a channel', () => {
  it('of a workflow publishes its changes, as the API shows them', async () => {
    const workflow = await addRun(member.user);
    const socket = await connect();
    expect(await socket.subscribe('workflow:flow')).toEqual({
      type: 'subscribed',
      epoch: expect.any(String),
      channel: 'workflow:flow',
      seq: expect.any(Number),
    });
    await update(workflow, { name: 'renamed' });
    const stored = await running.store.workflows.byId(workflow.id);
    const event = eventEnvelope.parse(await socket.receive());
    expect(event).toMatchObject({
      type: 'workflow_updated',
      channel: 'workflow:flow',
      data: stored && presentWorkflow(stored),
    });
    expect(event.timestamp).toBe(running.time.clock.now() / 1000);
  });

  it('publishes nothing after unsubscribing', async () => {
    const workflow = await addRun(member.user);
    const socket = await connect();
    await socket.subscribe('workflow:flow');
    socket.say({ type: 'unsubscribe', channel: 'workflow:flow' });
    expect(await socket.receive()).toEqual({ type: 'unsubscribed', channel: 'workflow:flow' });
    await update(workflow, { name: 'renamed' });
    expect(await socket.subscribe('x')).toMatchObject({ type: 'error', channel: 'x' });
  });

  it('follows its workflow when it is renamed; the new name is another channel of the same workflow', async () => {
    const workflow = await addRun(member.user);
    const socket = await connect();
    await socket.subscribe('workflow:flow');
    await update(workflow, { slug: 'stream' });
    expect(await socket.receive()).toMatchObject({
      type: 'workflow_updated',
      channel: 'workflow:flow',
      data: { slug: 'stream' },
    });
    const newcomer = await connect();
    await newcomer.subscribe('workflow:stream');
    await update(workflow, { name: 'again' });
    expect([(await socket.receive()).channel, (await newcomer.receive()).channel]).toEqual([
      'workflow:flow',
      'workflow:stream',
    ]);
  });

  it('is not found by users who may not read the workflow or the execution', async () => {
    await addRun(member.user);
    const { body } = await member.post('/api/v1/workflows/flow/execute/', {});
    const execution = `execution:${executeAnswer.parse(body).execution_id}`;
    const visitor = await connect(await running.addPerson('visitor'));
    expect(await visitor.subscribe('workflow:flow')).toEqual({
      type: 'error',
      channel: 'workflow:flow',
      detail: 'Workflow not found.',
    });
    expect(await visitor.subscribe(execution)).toEqual({
      type: 'error',
      channel: execution,
      detail: 'Execution not found.',
    });
    const unknown = `execution:${newExecutionId(0)}`;
    expect(await visitor.subscribe(unknown)).toEqual({
      type: 'error',
      channel: unknown,
      detail: 'Execution not found.',
    });
  });

  it('ends for users who may no longer read the workflow', async () => {
    const workflow = await addRun(member.user, true);
    const visitor = await connect(await running.addPerson('visitor'));
    expect(await visitor.subscribe('workflow:flow')).toMatchObject({ type: 'subscribed' });
    await update(workflow, { isPublic: false });
    expect(await visitor.receive()).toEqual({ type: 'error', channel: 'workflow:flow', detail: 'Workflow not found.' });
  });
});

describe('a client that reconnects', () => {
  it('receives what it missed, exactly as it was published', async () => {
    const workflow = await addRun(member.user);
    const [stays, leaves] = [await connect(), await connect()];
    for (const socket of [stays, leaves]) await socket.subscribe('workflow:flow');
    await update(workflow, { name: 'first' });
    const { seq } = await leaves.receive();
    leaves.close();
    await update(workflow, { name: 'second' });
    await update(workflow, { slug: 'stream' });
    const back = await connect();
    back.say({ type: 'subscribe', channel: 'workflow:stream', after: seq });
    expect(await back.receive()).toMatchObject({ type: 'subscribed', complete: true, seq: Number(seq) + 2 });
    const received = [await stays.receive(), await stays.receive(), await stays.receive()].slice(1);
    const missed = [await back.receive(), await back.receive()];
    expect(missed).toEqual(received.map((event) => ({ ...event, channel: 'workflow:stream' })));
  });

  it('is informed if the service no longer has what it missed', async () => {
    await addRun(member.user);
    const socket = await connect();
    socket.say({ type: 'subscribe', channel: 'workflow:flow', after: 5 });
    expect(await socket.receive()).toMatchObject({ type: 'subscribed', complete: false });
  });
});

describe('a collaborator', () => {
  it('receives runs like the owner, until the workflow is no longer shared with them', async () => {
    const workflow = await addRun(member.user);
    const viewer = await running.addPerson('viewer');
    const { clock } = running.time;
    const share = { workflowId: workflow.id, userId: viewer.user.id };
    await running.store.collaborators.insert({ ...share, role: 'viewer', at: clock.now() });
    const [socket, own] = [await connect(viewer), await connect()];
    expect(await socket.subscribe('workflow:flow')).toMatchObject({ type: 'subscribed' });
    await member.post('/api/v1/workflows/flow/execute/', {});
    expect(await socket.receive()).toMatchObject({ type: 'execution_started' });
    running.steps.letGo();
    await socket.receiveUntil('execution_completed');
    await running.store.collaborators.remove(share);
    expect(await socket.receive()).toEqual({ type: 'error', channel: 'workflow:flow', detail: 'Workflow not found.' });
    expect(await socket.ended).toEqual([1008, 'Access to a channel has ended']);
    expect(await own.subscribe('workflow:flow')).toMatchObject({ type: 'subscribed' });
  });

  it('of a public workflow receives no more runs after the sharing ends', async () => {
    const workflow = await addRun(member.user, true);
    const viewer = await running.addPerson('viewer');
    const share = { workflowId: workflow.id, userId: viewer.user.id };
    await running.store.collaborators.insert({ ...share, role: 'viewer', at: running.time.clock.now() });
    const socket = await connect(viewer);
    await socket.subscribe('workflow:flow');
    await running.store.collaborators.remove(share);
    expect((await socket.ended)[0]).toBe(1008);
  });
});

describe('a public viewer', () => {
  it('receives changes of the graph, and nothing of runs', async () => {
    const workflow = await addRun(member.user, true);
    const visitor = await connect(await running.addPerson('visitor'));
    await visitor.subscribe('workflow:flow');
    await member.post('/api/v1/workflows/flow/execute/', { payload: 'private' });
    await running.until(() => running.steps.heldCount === 1);
    await update(workflow, { name: 'renamed' });
    expect(await visitor.receive()).toMatchObject({ type: 'workflow_updated' });
  });
});

describe('a run', () => {
  const types = ['execution_started', 'node_status', 'node_status', 'execution_completed'];

  it('is published as it happens, in order, and consistent with the API', async () => {
    await addRun(member.user);
    const socket = await connect();
    await socket.subscribe('workflow:flow');
    const { body } = await member.post('/api/v1/workflows/flow/execute/', { payload: 7 });
    const { execution_id } = executeAnswer.parse(body);
    await running.until(() => running.steps.heldCount === 1);
    running.steps.letGo();
    const events = (await socket.receiveUntil('execution_completed')).map((event) => eventEnvelope.parse(event));
    for (const { type, data } of events) expect(eventData[type as LiveEvent['type']].parse(data)).toEqual(data);
    expect(events.filter(({ data }) => data.status !== 'running').map(({ type }) => type)).toEqual(types);
    expect(events[0]?.data).toEqual({ execution_id, trigger_node_id: 'start' });
    const seqs = events.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_seq, index) => (seqs[0] ?? 0) + index));
    const detail = (await member.get(`/api/v1/executions/${execution_id}/`)).body;
    expect(events.at(-1)?.data).toEqual({ execution_id, output: (detail as { final_output: unknown }).final_output });
  });

  it('has its own channel', async () => {
    await addRun(member.user);
    const { body } = await member.post('/api/v1/workflows/flow/execute/', {});
    const { execution_id } = executeAnswer.parse(body);
    await running.until(() => running.steps.heldCount === 1);
    const socket = await connect();
    await socket.subscribe(`execution:${execution_id}`);
    await member.post('/api/v1/workflows/flow/execute/', {});
    await running.until(() => running.steps.heldCount === 2);
    running.steps.letGo();
    const events = await socket.receiveUntil('execution_completed');
    expect(new Set(events.map((event) => event.channel))).toEqual(new Set([`execution:${execution_id}`]));
    expect(JSON.stringify(events)).not.toContain('execution_started');
  });

  it('that fails or is cancelled is published as such', async () => {
    await running.addWorkflow(member.user, 'bad', {
      nodes: { start: 'trigger_manual', end: 'fail' },
      edges: 'start -> end',
    });
    await addRun(member.user);
    const socket = await connect();
    await socket.subscribe('workflow:bad');
    await socket.subscribe('workflow:flow');
    await member.post('/api/v1/workflows/bad/execute/', {});
    const failed = (await socket.receiveUntil('execution_failed')).at(-1);
    expect(failed?.data).toMatchObject({
      error: "Node 'end' failed: It was bound to fail.",
      error_code: 'assertion',
      node_id: 'end',
    });
    const { body } = await member.post('/api/v1/workflows/flow/execute/', {});
    const { execution_id } = executeAnswer.parse(body);
    await running.until(() => running.steps.heldCount === 1);
    await member.post(`/api/v1/executions/${execution_id}/cancel/`);
    expect((await socket.receiveUntil('execution_cancelled')).at(-1)?.data).toEqual({ execution_id });
  });
});

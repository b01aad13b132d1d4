import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { startTestApp, startWorkflow } from '../support/app.ts';
import { blankEdge } from '../support/blank-graph.ts';
import { startRunning } from '../support/running.ts';
import { Socket } from '../support/socket.ts';

describe('a method that a path does not support', () => {
  it.each([
    ['PUT', '/api/v1/workflows/', 'GET, HEAD, POST'],
    ['PUT', '/api/v1/workflows', 'GET, HEAD, POST'],
    ['POST', '/api/v1/workflows/any-name/', 'DELETE, GET, HEAD, PATCH'],
    ['PATCH', '/api/v1/workflows/any-name/validate/?x=1', 'POST'],
    ['OPTIONS', '/api/v1/workflows/wf/edges/1/', 'DELETE, PATCH'],
    ['DELETE', '/health/', 'GET, HEAD'],
  ] as const)('is answered with 405 and the supported ones: %s %s', async (method, url, allow) => {
    const api = await startTestApp();
    const answer = await api.inject({ method, url });
    expect(answer).toMatchObject({ status: 405, headers: { allow }, body: { detail: 'Method not allowed' } });
  });

  it('is 404 if the path does not exist', async () => {
    const api = await startTestApp();
    expect(await api.inject({ method: 'PUT', url: '/api/v1/nothing/' })).toMatchObject({ status: 404 });
    expect(await api.inject({ method: 'PUT', url: '/api/v1/workflows/a/b/c/d/' })).toMatchObject({ status: 404 });
  });
});

describe('a request', () => {
  it('with a string of more than 512 KiB is 422, before it is processed', async () => {
    const api = await startTestApp();
    const answer = await api.post('/api/v1/workflows/', { name: 'x'.repeat(524_288), slug: 'a' });
    const msg = 'A string may have at most 524288 characters';
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ type: 'too_long', loc: ['body'], msg }] } });
  });

  it('that deletes more than 1,000 workflows or executions at once is 422', async () => {
    const api = await startTestApp();
    const slugs = Array.from({ length: 1001 }, (_, index) => `s${index}`);
    const path = '/api/v1/workflows/batch-delete/';
    expect(await api.post(path, { slugs })).toMatchObject({ status: 422 });
    expect((await api.post(path, { slugs: slugs.slice(1) })).status).toBe(204);
    const running = await startRunning({ withRunner: false });
    const member = await running.addPerson('member');
    const executions = '/api/v1/executions/batch-delete/';
    expect(await member.post(executions, { execution_ids: slugs })).toMatchObject({ status: 422 });
    expect((await member.post(executions, { execution_ids: slugs.slice(1) })).status).toBe(204);
  });

  it('that adds a node or an edge to a full workflow is 422', async () => {
    const { path, app: _app, ...api } = await startWorkflow();
    const edge = { source_node_id: 'a', target_node_id: 'b' };
    const workflow = await api.store.workflows.bySlug('wf');
    if (workflow === null) throw new Error('there is no workflow');
    const edges = Array.from({ length: 10_000 }, (_, index) => blankEdge(`n${index}`, 'end'));
    await api.graphs.edit(workflow, () => edges.map((edge) => ({ kind: 'create_edge', edge })));
    expect(await api.post(`${path}/edges/`, edge)).toMatchObject({
      status: 422,
      body: { detail: 'A workflow may have at most 10000 edges.' },
    });
  });
});

describe('a key in a URL', () => {
  it('is logged as a warning once, with its first characters', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const running = await startRunning({ withRunner: false, log });
    const member = await running.addPerson('member');
    await running.addWorkflow(member.user, 'hook', { nodes: { hook: 'trigger_webhook' } });
    const url = '/api/v1/webhooks/hook';
    await member.inject({ method: 'POST', url });
    expect(lines).toEqual([]);
    for (let count = 0; count < 3; count++) {
      const answer = await running.app.inject({ method: 'POST', url: `${url}?api_key=${member.key}` });
      expect(answer.statusCode).toBe(200);
    }
    const socket = await Socket.open(`ws://${await running.listen()}/ws/?token=${member.key}`);
    await socket.subscribe('x');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('send it in the Authorization header');
    expect(lines[0]).not.toContain(member.key);
  });
});

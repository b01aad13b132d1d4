import { executeAnswer, executionDetail, executionList } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { newExecutionId } from '../../src/ground/ids.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/executions/';
const notFound = { status: 404, body: { detail: 'Execution not found.' } };

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
});

/** Runs `start -> middle` until it settles, and returns its id. */
async function run(middle: string, slug = `run-${middle}`): Promise<string> {
  const known = await running.store.workflows.bySlug(slug);
  const sketch = { nodes: { start: 'trigger_manual', middle }, edges: 'start -> middle' };
  if (known === null) await running.addWorkflow(member.user, slug, sketch);
  const { body } = await member.post(`/api/v1/workflows/${slug}/execute/`, { payload: { from: slug } });
  await running.settle();
  running.time.advance(1000);
  return executeAnswer.parse(body).execution_id;
}

async function list(query = '', person = member): Promise<z.infer<typeof executionList>> {
  const { status, body } = await person.get(path + query);
  expect(status).toBe(200);
  return executionList.parse(body);
}

async function detail(id: string): Promise<z.infer<typeof executionDetail>> {
  return executionDetail.parse((await member.get(`${path}${id}/`)).body);
}

describe('GET executions', () => {
  it('lists the caller’s executions, newest first', async () => {
    const [first, second] = [await run('echo'), await run('fail')];
    expect(await list()).toEqual({
      items: [
        expect.objectContaining({
          execution_id: second,
          workflow_slug: 'run-fail',
          status: 'failed',
          error_message: "Node 'middle' failed: It was bound to fail.",
        }),
        {
          execution_id: first,
          workflow_slug: 'run-echo',
          status: 'completed',
          error_message: null,
          error_code: null,
          error_node_id: null,
          accepted_at: expect.any(String),
          trigger_node_id: 'start',
          workflow_version: expect.any(Number),
          parent_execution_id: null,
          replay_of: null,
          to_node: null,
          recording: null,
          started_at: '2026-01-01T00:00:00.000000',
          completed_at: '2026-01-01T00:00:00.000000',
          total_tokens: 0,
          total_cost_usd: 0,
          llm_calls: 0,
        },
      ],
      total: 2,
    });
  });

  it('shows no executions of other users', async () => {
    await run('echo');
    expect(await list('', await running.addPerson('visitor'))).toEqual({ items: [], total: 0 });
  });

  it('shows the requested page', async () => {
    const ids = [await run('echo'), await run('echo'), await run('echo')];
    const page = await list('?limit=1&offset=1');
    expect([page.items.map((item) => item.execution_id), page.total]).toEqual([[ids[1]], 3]);
  });

  it('filters by workflow, status, time and text', async () => {
    const [echo, fail, held] = [await run('echo'), await run('fail'), await run('held')];
    const found = async (query: string) => (await list(query)).items.map((item) => item.execution_id);
    expect(await found('?workflow_slug=run-echo')).toEqual([echo]);
    expect(await found('?status=running')).toEqual([held]);
    expect(await found('?status=failed&workflow_slug=run-echo')).toEqual([]);
    expect(await found('?since=2026-01-01T00:00:01')).toEqual([held, fail]);
    expect(await found('?until=2026-01-01T00:00:01')).toEqual([fail, echo]);
    expect(await found('?q=BOUND')).toEqual([fail]);
    expect(await found('?q=run-held')).toEqual([held]);
    expect(await found('?q=it+WAS+bound+to+fail.')).toEqual([fail]);
    expect(await found('?q=it+WAS+bound+to+fail!')).toEqual([]);
  });

  it('shows nothing of a workflow that is missing or not shared', async () => {
    await run('echo');
    const visitor = await running.addPerson('visitor');
    expect(await list('?workflow_slug=none')).toEqual({ items: [], total: 0 });
    expect(await list('?workflow_slug=run-echo', visitor)).toEqual({ items: [], total: 0 });
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'offset=-1',
    'status=done',
    'since=yesterday',
  ])('rejects %s', async (query) => {
    const answer = await member.get(`${path}?${query}`);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', query.split('=')[0]] }] } });
  });
});

describe('GET an execution', () => {
  it('shows its trigger, its steps and its result', async () => {
    const id = await run('echo');
    const payload = { from: 'run-echo' };
    const given = { payload, text: '', headers: {}, query: {} };
    expect(await detail(id)).toMatchObject({
      execution_id: id,
      status: 'completed',
      trigger_payload: payload,
      final_output: given,
      logs: [
        { id: 1, node_id: 'start', status: 'success', input: given, output: { output: given } },
        {
          id: 2,
          node_id: 'middle',
          frame: '',
          attempt: 1,
          status: 'success',
          input: given,
          output: { output: given },
          error: null,
          error_code: null,
          metadata: {},
          duration_ms: 0,
          timestamp: '2026-01-01T00:00:00.000000',
        },
      ],
    });
  });
});

describe('GET an execution, in other cases', () => {
  it('shows why a step failed', async () => {
    const { status, error_message, final_output, logs } = await detail(await run('fail'));
    expect([status, error_message, final_output]).toEqual([
      'failed',
      "Node 'middle' failed: It was bound to fail.",
      null,
    ]);
    expect(logs[1]).toMatchObject({
      status: 'failed',
      output: null,
      error: 'It was bound to fail.',
      error_code: 'assertion',
    });
  });

  it('shows the branch that was not taken as skipped', async () => {
    const nodes = {
      start: 'trigger_manual',
      middle: ['fail', { on_error: 'route' }],
      ok: 'echo',
      saved: 'echo',
    } as const;
    await running.addWorkflow(member.user, 'routed', {
      nodes,
      edges: 'start -> middle\nmiddle -> ok\nmiddle -error-> saved',
    });
    const { status, logs } = await detail(await run('fail', 'routed'));
    expect(status).toBe('completed');
    const states = new Map(logs.map((log) => [log.node_id, log.status]));
    expect(Object.fromEntries(states)).toEqual({ start: 'success', middle: 'failed', ok: 'skipped', saved: 'success' });
    expect(logs.find((log) => log.node_id === 'ok')).toMatchObject({
      attempt: 0,
      input: null,
      output: null,
      duration_ms: 0,
    });
  });

  it('is still visible to its owner after its workflow was deleted', async () => {
    const id = await run('echo');
    const workflow = await running.store.workflows.bySlug('run-echo');
    await running.store.workflows.remove({ ids: [workflow?.id ?? 0], at: running.time.clock.now() });
    expect((await list()).total).toBe(1);
    expect((await detail(id)).logs).toHaveLength(2);
    const visitor = await running.addPerson('visitor');
    expect(await visitor.get(`${path}${id}/`)).toMatchObject(notFound);
  });

  it('is 404 for other users, and for unknown ids', async () => {
    const id = await run('echo');
    const visitor = await running.addPerson('visitor');
    for (const answer of [
      visitor.get(`${path}${id}/`),
      member.get(`${path}${newExecutionId(0)}/`),
      member.get(`${path}x/`),
    ]) {
      expect(await answer).toMatchObject(notFound);
    }
  });

  it('is 404 for other users if the workflow is public: its payloads are private to its owner', async () => {
    const nodes = { start: 'trigger_webhook' } as const;
    await running.addWorkflow(member.user, 'open', { nodes, fields: { isPublic: true } });
    const visitor = await running.addPerson('visitor');
    await visitor.post('/api/v1/webhooks/open', {});
    const { id } = await running.onlyRun();
    expect(await visitor.get(`${path}${id}/`)).toMatchObject(notFound);
    expect((await member.get(`${path}${id}/`)).status).toBe(200);
  });
});

describe('POST cancel', () => {
  it('ends a pending execution', async () => {
    await running.runner.stop(0);
    const id = await run('echo');
    expect(await member.post(`${path}${id}/cancel/`)).toMatchObject({
      status: 200,
      body: { execution_id: id, status: 'cancelled' },
    });
  });

  it('stops a running one', async () => {
    const id = await run('held');
    expect((await member.post(`${path}${id}/cancel/`)).status).toBe(200);
    await running.settle();
    expect((await detail(id)).status).toBe('cancelled');
  });

  it('may be repeated', async () => {
    const id = await run('held');
    await member.post(`${path}${id}/cancel/`);
    await running.settle();
    expect(await member.post(`${path}${id}/cancel/`)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });

  it('answers 409 after the execution has ended', async () => {
    const id = await run('echo');
    const answer = await member.post(`${path}${id}/cancel/`);
    expect(answer).toMatchObject({ status: 409, body: { detail: 'Execution has already ended: it is completed.' } });
  });

  it('does nothing if the request is malformed', async () => {
    const id = await run('held');
    const headers = { 'content-type': 'application/json' };
    const answer = await member.inject({ method: 'POST', url: `${path}${id}/cancel/`, headers, payload: '{bad' });
    await running.settle();
    expect([answer.status, (await detail(id)).status]).toEqual([400, 'running']);
  });

  it('is 404 for other users', async () => {
    const id = await run('held');
    const visitor = await running.addPerson('visitor');
    expect(await visitor.post(`${path}${id}/cancel/`)).toMatchObject(notFound);
    expect((await detail(id)).status).toBe('running');
  });
});

describe('POST batch-delete', () => {
  const remove = (ids: unknown, person = member) => person.post(`${path}batch-delete/`, { execution_ids: ids });

  it('deletes the executions that have ended, and no others', async () => {
    const [ended, held] = [await run('echo'), await run('held')];
    expect((await remove([ended, held, newExecutionId(0), 'x'])).status).toBe(204);
    expect((await list()).items.map((item) => item.execution_id)).toEqual([held]);
    expect((await remove([])).status).toBe(204);
  });

  it('deletes none of other users', async () => {
    const id = await run('echo');
    expect((await remove([id], await running.addPerson('visitor'))).status).toBe(204);
    expect((await list()).total).toBe(1);
  });

  it.each([[undefined], [null], ['x'], [[1]], [Array(1001).fill('x')]])('rejects %j', async (ids) => {
    expect((await remove(ids)).status).toBe(422);
  });
});

import { catalogue } from '@millrace/components';
import { presentEvent } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { expect, test } from 'vitest';
import { type Running, startRunning } from '../support/running.ts';

type Sketch = Parameters<Running['addWorkflow']>[2];

const empty = { field: 'trigger.payload.items', operator: 'is_empty' };

/** A run by hand of a member's workflow, after it has settled. */
async function run(sketch: Sketch) {
  const running = await startRunning({ catalogue });
  const member = await running.addPerson('member');
  await running.addWorkflow(member.user, 'flow', sketch);
  const events: JsonObject[] = [];
  running.store.subscribe({
    published: (published) => {
      for (const { event } of published) events.push({ type: event.type, ...(presentEvent(event) as JsonObject) });
    },
  });
  const { body } = await member.post('/api/v1/workflows/flow/execute/', { payload: { items: [1, 2] } });
  const id = String((body as JsonObject).execution_id);
  await running.settle();
  const read = async (path: string) => (await member.get(`/api/v1/executions/${path}`)).body as JsonObject;
  return { running, member, id, events, detail: () => read(`${id}/`), list: () => read('') };
}

test('the list and the detail of an execution show when it was accepted, and the code and node of its error', async () => {
  const { detail, list, id, member, running } = await run({
    nodes: { start: 'trigger_manual', check: ['assertion', { rules: [empty] }] },
    edges: 'start -> check',
  });
  const failed = {
    status: 'failed',
    accepted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
    error_node_id: 'check',
  };
  const shown = await detail();
  expect(shown).toMatchObject(failed);
  expect(shown.error_code).toBe((shown.logs as JsonObject[]).at(-1)?.error_code);
  expect(await list()).toMatchObject({ items: [{ ...failed, error_code: shown.error_code }] });
  // Its next step may begin before the execution is read again.
  const retried = (await member.post(`/api/v1/executions/${id}/retry/`)).body;
  expect(retried).toMatchObject({ status: 'pending', error_code: null, error_node_id: null });
  await running.settle();
  expect(await detail()).toMatchObject(failed);
});

test('an interrupted execution lists its open questions until they are answered', async () => {
  const { detail, member, id, running } = await run({
    nodes: { start: 'trigger_manual', ask: ['human_confirmation', { prompt: 'Pay?', timeout_seconds: 60 }] },
    edges: 'start -> ask',
  });
  const shown = await detail();
  const [log] = (shown.logs as JsonObject[]).slice(-1);
  expect(shown).toMatchObject({
    status: 'interrupted',
    open_questions: [{ node_id: 'ask', frame: '', prompt: 'Pay?', since: log?.timestamp }],
  });
  const [question] = shown.open_questions as JsonObject[];
  expect(Date.parse(`${question?.until}Z`) - Date.parse(`${question?.since}Z`)).toBe(60_000);
  await member.post(`/api/v1/executions/${id}/resume/`, { node_id: 'ask', confirmed: true });
  await running.settle();
  expect(await detail()).toMatchObject({ status: 'completed', open_questions: [] });
});

test('the log shows when each attempt was queued, began and ended', async () => {
  const { detail, running } = await run({
    nodes: {
      start: 'trigger_manual',
      pause: ['wait', { duration: 10, unit: 'minutes' }],
      after: ['transform', { fields: {} }],
    },
    edges: 'start -> pause\npause -> after',
  });
  expect(await detail()).toMatchObject({ logs: [{}, { status: 'waiting', ended_at: null }] });
  running.time.advance(600_000);
  await running.settle();
  const shown = await detail();
  const times = (shown.logs as JsonObject[]).map(({ queued_at, started_at, ended_at }) =>
    [queued_at, started_at, ended_at].map((at) => Date.parse(`${at}Z`)),
  );
  const [start = [], pause = [], after = []] = times;
  expect(start[0]).toBe(Date.parse(`${shown.accepted_at}Z`));
  expect(pause[0]).toBe(start[2]);
  expect(Number(pause[2]) - Number(pause[1])).toBe(600_000);
  expect(after[0]).toBe(pause[2]);
});

test('events of a step contain its frame and attempt, like the log', async () => {
  const { detail, events } = await run({
    nodes: {
      start: 'trigger_manual',
      each: ['loop', { items: '{{ input.items }}' }],
      body: ['transform', { fields: { item: '{{ loop.item }}' } }],
    },
    edges: 'start -> each\neach -loop_body-> body\nbody -loop_return-> each',
  });
  const { logs } = await detail();
  const ends = events.filter(({ type, status }) => type === 'node_status' && status !== 'running');
  const named = (steps: readonly JsonObject[]) =>
    steps.map(({ node_id, frame, attempt, status }) => `${node_id} ${frame} ${attempt} ${status}`).sort();
  expect(named(ends)).toEqual(named(logs as JsonObject[]));
  expect(named(ends)).toContain('body each[1] 1 success');
});

import { catalogue } from '@millrace/components';
import { executionDetail } from '@millrace/contract';
import type { Json, JsonObject } from '@millrace/core';
import { expect, test, vi } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

/** Turns of the event loop: more than any of these runs needs. */
const mostTurns = 20_000;

const url = 'https://x.example/a';

/** A service with a workflow of one request, or of one for each item of its payload. */
async function begin(isLoop = false): Promise<{ readonly running: Running; readonly person: Person }> {
  const running = await startRunning({ catalogue });
  const person = await running.addPerson('member');
  const load = ['http_request', { url, method: 'POST', body: '{{ trigger.payload.body }}' }] as const;
  await running.addWorkflow(
    person.user,
    'flow',
    isLoop
      ? {
          nodes: {
            start: 'trigger_manual',
            each: ['loop', { items: '{{ trigger.payload.items }}', concurrency: 50 }],
            load,
          },
          edges: 'start -> each\neach -loop_body-> load\nload -loop_return-> each',
        }
      : { nodes: { start: 'trigger_manual', load }, edges: 'start -> load' },
  );
  return { running, person };
}

async function run({ running, person }: Awaited<ReturnType<typeof begin>>, body: JsonObject) {
  const started = await person.post('/api/v1/workflows/flow/execute/', body);
  expect(started.status, started.text).toBe(200);
  const { execution_id: id } = started.body as { execution_id: string };
  for (let turn = 0; turn < mostTurns; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    const { status } = (await running.store.executions.byId(id)) ?? {};
    if (status !== 'completed' && status !== 'failed') continue;
    return executionDetail.parse((await person.get(`/api/v1/executions/${id}/`)).body);
  }
  throw new Error('the run has not ended');
}

const entry = (body: Json, times = 1): JsonObject => ({
  request: { method: 'POST', url, body },
  response: { body: 'ok' },
  times,
});

test('a cassette with too many exchanges is rejected', async () => {
  const { person } = await begin();
  const cassette = (count: number) => ({ http: Array.from({ length: count }, () => entry(1)) });
  const execute = (count: number) => person.post('/api/v1/workflows/flow/execute/', { cassette: cassette(count) });
  expect((await execute(2000)).status).toBe(200);
  expect(await execute(2001)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'cassette'] }] } });
});

test('a step whose request takes too much work to compare fails, and says why', async () => {
  const scene = await begin();
  const list = Array.from({ length: 8000 }, (_, index) => index);
  const cassette = { http: [entry({ contains: list.toReversed() })] };
  const failed = await run(scene, { payload: { body: list }, cassette });
  expect(failed).toMatchObject({ status: 'failed', error_code: 'work_limit', error_node_id: 'load' });
  expect(failed.error_message).toContain('Comparing the request with the recorded answers');
});

test('steps that need a recording at the same time wait for one read of it', async () => {
  const scene = await begin(true);
  const read = vi.spyOn(scene.running.store.recordings, 'read');
  const payload = { items: Array.from({ length: 50 }, () => 1), body: { a: 1 } };
  expect(await run(scene, { payload, cassette: { http: [entry({ a: 1 }, 50)] } })).toMatchObject({
    status: 'completed',
  });
  expect(read).toHaveBeenCalledTimes(1);
});

test('large recordings are read one after the other, and a start with one reads none', async () => {
  const scene = await begin();
  const cassette = { http: [entry({ a: 1 }), { ...entry({ b: 1 }), response: { body: 'x'.repeat(200_000) } }] };
  const { execution_id: id } = await run(scene, { payload: { body: { a: 1 } }, cassette });
  const { recordings } = scene.running.store;
  const original = recordings.read.bind(recordings);
  let [reading, most] = [0, 0];
  const read = vi.spyOn(recordings, 'read').mockImplementation(async (of) => {
    reading += 1;
    most = Math.max(most, reading);
    const recording = await original(of);
    await new Promise((resolve) => setImmediate(resolve));
    reading -= 1;
    return recording;
  });
  const path = `/api/v1/executions/${id}/cassette/`;
  const answers = await Promise.all(Array.from({ length: 20 }, () => scene.person.get(path)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect([read.mock.calls.length, most]).toEqual([20, 1]);
  const start = { cassette: id, payload: { body: { c: 1 } } };
  const find = vi.spyOn(recordings, 'find');
  expect((await scene.person.post('/api/v1/workflows/flow/execute/', start)).status).toBe(200);
  expect(find).toHaveBeenCalledTimes(1);
});

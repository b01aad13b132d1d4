import { catalogue } from '@millrace/components';
import { presentEvent } from '@millrace/contract';
import type { JsonObject } from '@millrace/core';
import { expect, test } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

type Sketch = Parameters<Running['addWorkflow']>[2];

const minute = 60_000;

async function scene(): Promise<{ running: Running; member: Person }> {
  const running = await startRunning({ catalogue });
  return { running, member: await running.addPerson('member') };
}

/** Starts a workflow by hand and lets it run until it settles. */
async function run(
  { running, member }: { running: Running; member: Person },
  sketch: Sketch,
  payload: JsonObject = {},
) {
  const slug = `flow-${Object.keys(sketch.nodes).join('-')}`.replaceAll('_', '-');
  await running.addWorkflow(member.user, slug, sketch);
  const started = await member.post(`/api/v1/workflows/${slug}/execute/`, { payload });
  expect(started.status).toBe(200);
  const id = String((started.body as JsonObject).execution_id);
  await running.settle();
  return {
    id,
    detail: async () => (await member.get(`/api/v1/executions/${id}/`)).body as JsonObject,
    resume: (body: JsonObject) => member.post(`/api/v1/executions/${id}/resume/`, body),
  };
}

const waiting = (config: JsonObject): Sketch => ({
  nodes: {
    start: 'trigger_manual',
    pause: ['wait', config],
    after: ['transform', { fields: { got: '{{ pause.output }}' } }],
  },
  edges: 'start -> pause\npause -> after',
});

const asking = (config: JsonObject, common: JsonObject = {}): Sketch => ({
  nodes: {
    start: 'trigger_manual',
    ask: ['human_confirmation', config, common],
    after: ['transform', { fields: { yes: '{{ ask.confirmed }}', printed: '{{ ask.user_response }}' } }],
  },
  edges: 'start -> ask\nask -> after',
});

test('a long wait needs no worker, and continues at its time', async () => {
  const { running, member } = await scene();
  const { detail } = await run({ running, member }, waiting({ duration: 10, unit: 'minutes' }), { n: 1 });
  expect(await detail()).toMatchObject({
    status: 'waiting',
    waits: [{ node_id: 'pause', frame: '', stage: 'step', kind: 'timer', prompt: null, callback_url: null }],
    logs: [{ node_id: 'start' }, { node_id: 'pause', status: 'waiting', output: null }],
  });
  expect(running.runner.activeCount).toBe(0);
  running.time.advance(9 * minute);
  await running.settle();
  expect(await detail()).toMatchObject({ status: 'waiting' });
  running.time.advance(minute);
  await running.settle();
  expect(await detail()).toMatchObject({
    status: 'completed',
    final_output: { got: { n: 1 } },
    waits: [],
    logs: [{ status: 'success' }, { node_id: 'pause', status: 'success' }, { node_id: 'after' }],
  });
});

test('a short wait leaves its execution with its worker', async () => {
  const { running, member } = await scene();
  const { detail } = await run({ running, member }, waiting({ duration: 2 }), { n: 1 });
  expect(await detail()).toMatchObject({ status: 'running', waits: [{ node_id: 'pause', kind: 'timer' }] });
  expect(running.runner.activeCount).toBe(1);
  running.time.advance(2000);
  await running.settle();
  expect(await detail()).toMatchObject({ status: 'completed', final_output: { got: { n: 1 } } });
});

test('a wait that is longer than the timeout of its node fails at the timeout', async () => {
  const { running, member } = await scene();
  const { detail } = await run({ running, member }, waiting({ duration: 4, timeout_seconds: 3 }));
  running.time.advance(3000);
  await running.settle();
  expect(await detail()).toMatchObject({
    status: 'failed',
    error_message: "Node 'pause' failed: The wait is longer than timeout_seconds.",
  });
});

test.each([
  { duration: 10, unit: 'minutes' },
  { duration: 5 },
])('the time of a wait of %j does not count against the time limit of its run', async (config) => {
  const { running, member } = await scene();
  const { detail } = await run({ running, member }, { ...waiting(config), fields: { maxExecutionSeconds: 2 } });
  running.time.advance(10 * minute);
  await running.settle();
  expect(await detail()).toMatchObject({ status: 'completed' });
});

test('a user with write access answers a question, once', async () => {
  const { running, member } = await scene();
  const { id, detail, resume } = await run({ running, member }, asking({ prompt: 'Ship {{ trigger.payload.n }}?' }), {
    n: 3,
  });
  expect(await detail()).toMatchObject({
    status: 'interrupted',
    waits: [{ node_id: 'ask', kind: 'approval', prompt: 'Ship 3?', until: null }],
  });
  const listed = await member.get('/api/v1/executions/?status=interrupted');
  expect(listed.body).toMatchObject({ total: 1, items: [{ execution_id: id, status: 'interrupted' }] });
  const answers = await Promise.all([
    resume({ node_id: 'ask', confirmed: true, response: 'go' }),
    resume({ node_id: 'ask', confirmed: false }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 409]);
  expect(answers[1]?.body).toEqual({ detail: "Node 'ask' does not wait for a confirmation." });
  await running.settle();
  expect(await detail()).toMatchObject({ status: 'completed', final_output: { yes: true, printed: 'go' } });
  expect((await resume({ node_id: 'ask', confirmed: true })).status).toBe(409);
});

test('a run that asks a question publishes an event', async () => {
  const { running, member } = await scene();
  const received: unknown[] = [];
  running.store.subscribe({
    published: (events) => void received.push(...events.map(({ event }) => [event.type, presentEvent(event)])),
  });
  const { id } = await run({ running, member }, asking({ prompt: 'Ship it?' }));
  const asked = { execution_id: id, node_id: 'ask', frame: '', prompt: 'Ship it?' };
  expect(received.at(-1)).toEqual(['execution_interrupted', asked]);
  await run({ running, member }, waiting({ duration: 10 }));
  expect(received.at(-1)).toEqual(['node_status', expect.objectContaining({ node_id: 'pause', status: 'waiting' })]);
});

test('a question that nobody answers in time gets its default answer', async () => {
  for (const config of [{}, { default: true }] as const) {
    const { running, member } = await scene();
    const { detail } = await run({ running, member }, asking({ ...config, timeout_seconds: 120 }));
    expect(await detail()).toMatchObject({ status: 'interrupted', waits: [{ until: expect.stringMatching(/Z?$/) }] });
    running.time.advance(2 * minute);
    await running.settle();
    const yes = 'default' in config;
    expect(await detail()).toMatchObject({ status: 'completed', final_output: { yes, printed: '' } });
  }
});

test('a waiting run is cancelled at once, and later answers are rejected', async () => {
  const { running, member } = await scene();
  const { id, detail, resume } = await run({ running, member }, asking({}));
  const cancelled = await member.post(`/api/v1/executions/${id}/cancel/`, undefined);
  expect(cancelled.body).toMatchObject({ status: 'cancelled' });
  expect((await resume({ node_id: 'ask', confirmed: true })).status).toBe(409);
  await running.settle();
  expect(await detail()).toMatchObject({ status: 'cancelled', waits: [] });
});

test('several steps of a run can wait at the same time', async () => {
  const { running, member } = await scene();
  const { detail, resume } = await run(
    { running, member },
    {
      nodes: {
        start: 'trigger_manual',
        ask: ['human_confirmation', {}],
        pause: ['wait', { duration: 1, unit: 'minutes' }],
        both: ['merge', { mode: 'append' }],
      },
      edges: 'start -> ask\nstart -> pause\nask -> both\npause -> both',
    },
  );
  expect(await detail()).toMatchObject({ status: 'interrupted', waits: [{ node_id: 'ask' }, { node_id: 'pause' }] });
  running.time.advance(minute);
  await running.settle();
  expect(await detail()).toMatchObject({ status: 'interrupted', waits: [{ node_id: 'ask' }] });
  await resume({ node_id: 'ask', confirmed: true });
  await running.settle();
  expect(await detail()).toMatchObject({ status: 'completed' });
});

const inLoop: Sketch = {
  nodes: {
    start: 'trigger_manual',
    each: ['loop', { items: '{{ trigger.payload.items }}', concurrency: 3 }],
    ask: ['human_confirmation', { prompt: 'Send {{ loop.item }}?' }],
  },
  edges: 'start -> each\neach -loop_body-> ask\nask -loop_return-> each',
};

test('in a loop several frames wait for the same node, and an answer names its frame', async () => {
  const { running, member } = await scene();
  const { detail, resume } = await run({ running, member }, inLoop, { items: ['a', 'b', 'c', 'd'] });
  const { waits } = (await detail()) as { waits: JsonObject[] };
  expect(waits.map(({ frame, prompt }) => [frame, prompt])).toEqual([
    ['each[0]', 'Send a?'],
    ['each[1]', 'Send b?'],
    ['each[2]', 'Send c?'],
  ]);
  const unclear = await resume({ node_id: 'ask', confirmed: true });
  expect(unclear.status).toBe(409);
  expect(unclear.body).toEqual({
    detail: "Node 'ask' waits in 3 frames: name one of them as 'frame' ('each[0]', 'each[1]', 'each[2]').",
  });
  for (const [index, confirmed] of [true, false, true, true].entries()) {
    const answer = await resume({ node_id: 'ask', frame: `each[${index}]`, confirmed });
    expect(answer.status).toBe(200);
    await running.settle();
  }
  expect(await detail()).toMatchObject({ status: 'completed', final_output: [true, false, true, true] });
});

test('a node that interrupts requires a confirmation before it runs, and after', async () => {
  const { running, member } = await scene();
  const sketch: Sketch = {
    nodes: { start: 'trigger_manual', a: 'transform', b: 'transform' },
    edges: 'start -> a\na -> b',
  };
  await running.addWorkflow(member.user, 'interrupting', sketch);
  const interrupts = { interruptBefore: true, interruptAfter: true };
  await running.editNodes('interrupting', (node) => (node.nodeId === 'a' ? { ...node, ...interrupts } : node));
  const { body } = await member.post('/api/v1/workflows/interrupting/execute/', {});
  const id = String((body as JsonObject).execution_id);
  const detail = async () => (await member.get(`/api/v1/executions/${id}/`)).body as JsonObject;
  await running.settle();
  expect(await detail()).toMatchObject({
    status: 'interrupted',
    waits: [{ node_id: 'a', stage: 'before', prompt: "Run node 'a'?" }],
  });
  await member.post(`/api/v1/executions/${id}/resume/`, { node_id: 'a', confirmed: true });
  await running.settle();
  expect(await detail()).toMatchObject({ status: 'interrupted', waits: [{ node_id: 'a', stage: 'after' }] });
  await member.post(`/api/v1/executions/${id}/resume/`, { node_id: 'a', confirmed: false });
  await running.settle();
  expect(await detail()).toMatchObject({
    status: 'cancelled',
    error_message: "The execution was declined at node 'a' by member.",
  });
});

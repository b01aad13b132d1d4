import { catalogue } from '@millrace/components';
import type { JsonObject } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

type Sketch = Parameters<Running['addWorkflow']>[2];

const calling = (config: JsonObject): Sketch => ({
  nodes: { start: 'trigger_manual', call: ['workflow', { workflow: 'target', ...config }] },
  edges: 'start -> call',
});

const target = (node: Sketch['nodes'][string], fields: Sketch['fields'] = {}): Sketch => ({
  fields,
  nodes: { begin: 'trigger_workflow', work: node },
  edges: 'begin -> work',
});

const doubling = target(['transform', { expression: 'trigger.payload.n * 2' }]);

async function scene(sketches: Readonly<Record<string, Sketch>>, owner?: string) {
  const running = await startRunning({ catalogue });
  const member = await running.addPerson('member');
  const other = owner === undefined ? member : await running.addPerson(owner);
  for (const [slug, sketch] of Object.entries(sketches)) {
    await running.addWorkflow(slug === 'main' ? member.user : other.user, slug, sketch);
  }
  return { running, member, other };
}

async function run({ running, member }: { running: Running; member: Person }) {
  const { body } = await member.post('/api/v1/workflows/main/execute/', { payload: { n: 4 } });
  const id = String((body as JsonObject).execution_id);
  await running.settle();
  await running.settle();
  return { id, detail: async () => (await member.get(`/api/v1/executions/${id}/`)).body as JsonObject };
}

async function childOf({ member }: { member: Person }, id: string): Promise<JsonObject> {
  const { body } = await member.get('/api/v1/executions/?workflow_slug=target');
  const { items } = body as { items: readonly JsonObject[] };
  const child = items.find((item) => item.parent_execution_id === id);
  if (child === undefined) throw new Error('there is no child');
  return child;
}

test('a step runs another workflow and continues with its output', async () => {
  const there = await scene({ target: doubling, main: calling({ payload: { n: '{{ trigger.payload.n + 1 }}' } }) });
  const { id, detail } = await run(there);
  expect(await detail()).toMatchObject({ status: 'completed', final_output: 10, parent_execution_id: null });
  expect(await childOf(there, id)).toMatchObject({ status: 'completed', parent_execution_id: id });
});

test('while the sub-workflow runs, the step waits without a worker and shows what it waits for', async () => {
  const there = await scene({ target: target(['wait', { duration: 10 }]), main: calling({}) });
  const { id, detail } = await run(there);
  const { execution_id: childId } = await childOf(there, id);
  expect(await detail()).toMatchObject({
    status: 'waiting',
    waits: [{ node_id: 'call', kind: 'child', execution_id: childId }],
  });
  expect(there.running.runner.activeCount).toBe(0);
  there.running.time.advance(10_000);
  for (let turn = 0; turn < 3; turn += 1) await there.running.settle();
  expect(await detail()).toMatchObject({ status: 'completed', final_output: { n: 4 } });
});

test('a failed sub-workflow fails the step, with a message that names it', async () => {
  const failing = target(['assertion', { rules: [{ field: 'trigger.payload.n', operator: 'gt', value: 9 }] }]);
  const there = await scene({ target: failing, main: calling({}) });
  const { detail } = await run(there);
  expect(await detail()).toMatchObject({
    status: 'failed',
    error_message: expect.stringMatching(
      /^Node 'call' failed: Workflow 'target' failed: Node 'work' failed: Assertion failed/,
    ),
    logs: [{}, { node_id: 'call', status: 'failed', error_code: 'subworkflow' }],
  });
});

/** Calls a workflow that only an expression names, so that validation cannot find it. */
const callingLater = calling({ workflow: "{{ 'target' }}" });

test.each([
  ['does not exist', {}, undefined, 'it does not exist, or'],
  ['belongs to another user', { target: doubling }, 'visitor', 'it does not exist, or'],
  ['is not active', { target: { ...doubling, fields: { isActive: false } } }, undefined, 'it is not active'],
  [
    'has no trigger_workflow',
    { target: { nodes: { a: 'trigger_manual' } } },
    undefined,
    'it has no active trigger_workflow',
  ],
  [
    'rejects the payload',
    { target: { ...doubling, fields: { inputSchema: { type: 'array' } } } },
    undefined,
    "Workflow 'target' cannot be started: payload must be ",
  ],
  [
    'rejects a value in the payload',
    { target: { ...doubling, fields: { inputSchema: { properties: { n: { type: 'string' } } } } } },
    undefined,
    "Workflow 'target' cannot be started: payload at /n must be ",
  ],
] as const)('a workflow that %s fails the step', async (_why, sketches, owner, words) => {
  const there = await scene({ ...(sketches as Record<string, Sketch>), main: callingLater }, owner);
  const { detail } = await run(there);
  expect(await detail()).toMatchObject({ status: 'failed', error_message: expect.stringContaining(words) });
});

test('cancelling an execution cancels the one that it waits for', async () => {
  const there = await scene({ target: target(['human_confirmation', {}]), main: calling({}) });
  const { id } = await run(there);
  expect(await childOf(there, id)).toMatchObject({ status: 'interrupted' });
  await there.member.post(`/api/v1/executions/${id}/cancel/`, undefined);
  expect(await childOf(there, id)).toMatchObject({ status: 'cancelled' });
});

test('cancelling the sub-workflow fails the step', async () => {
  const there = await scene({ target: target(['human_confirmation', {}]), main: calling({}) });
  const { id, detail } = await run(there);
  await there.member.post(`/api/v1/executions/${(await childOf(there, id)).execution_id}/cancel/`, undefined);
  await there.running.settle();
  expect(await detail()).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining("Workflow 'target' was cancelled"),
  });
});

test('a step waits for timeout_seconds at most, and then cancels the sub-workflow', async () => {
  const there = await scene({ target: target(['human_confirmation', {}]), main: calling({ timeout_seconds: 30 }) });
  const { id, detail } = await run(there);
  there.running.time.advance(30_000);
  await there.running.settle();
  expect(await detail()).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining("Workflow 'target' did not end within timeout_seconds."),
  });
  expect(await childOf(there, id)).toMatchObject({ status: 'cancelled' });
});

test('if an item fails, sub-workflows that its other branches start at that moment do not run', async () => {
  const main: Sketch = {
    nodes: {
      start: 'trigger_manual',
      each: ['loop', { items: [1], on_error: 'continue' }],
      good: ['workflow', { workflow: 'target' }],
      bad: ['workflow', { workflow: "{{ 'headless' }}" }],
      both: ['merge', { mode: 'keyed' }],
    },
    edges:
      'start -> each\neach -loop_body-> good\neach -loop_body-> bad\ngood -> both\nbad -> both\nboth -loop_return-> each',
  };
  const there = await scene({ main, target: target(['human_confirmation', {}]), headless: calling({}) });
  const { id, detail } = await run(there);
  expect(await detail()).toMatchObject({ status: 'completed' });
  expect(await childOf(there, id)).toMatchObject({ status: 'cancelled' });
});

test('a sub-workflow that its step does not wait for runs independently', async () => {
  const there = await scene({ target: target(['human_confirmation', {}]), main: calling({ wait: false }) });
  const { id, detail } = await run(there);
  const child = await childOf(there, id);
  expect(await detail()).toMatchObject({ status: 'completed', final_output: { execution_id: child.execution_id } });
  expect(child).toMatchObject({ status: 'interrupted' });
});

const self = (slug: string): Sketch => ({
  nodes: { begin: 'trigger_workflow', manual: 'trigger_manual', call: ['workflow', { workflow: slug }] },
  edges: 'begin -> call\nmanual -> call',
});

test.each([
  ['itself', { main: self('main') }],
  ['itself without waiting', { main: calling({ workflow: 'main', wait: false }) }],
  ['one that calls it', { main: self('target'), target: self('main') }],
] as const)('a workflow that calls %s is not started', async (_what, sketches) => {
  const { member } = await scene(sketches);
  const answer = await member.post('/api/v1/workflows/main/execute/', {});
  expect(answer).toMatchObject({ status: 422, body: { issues: [{ code: 'subworkflow_cycle', node_id: 'call' }] } });
  expect((await member.get('/api/v1/executions/?limit=1')).body).toMatchObject({ total: 0 });
});

test('a workflow that leads to a cycle of calls fails before the cycle performs a step', async () => {
  const there = await scene({ main: self('target'), target: self('third'), third: self('target') });
  const { id, detail } = await run(there);
  for (let turn = 0; turn < 4; turn += 1) await there.running.settle();
  const message = expect.stringContaining('calls this one again');
  expect(await detail()).toMatchObject({ status: 'failed', error_message: message });
  expect(await childOf(there, id)).toMatchObject({ status: 'failed', error_message: message });
  expect((await there.member.get('/api/v1/executions/?limit=1')).body).toMatchObject({ total: 2 });
});

test('a workflow that calls another one twice, directly or indirectly, is not a cycle', async () => {
  const twice: Sketch = {
    nodes: {
      start: 'trigger_manual',
      one: ['workflow', { workflow: 'target' }],
      two: ['workflow', { workflow: 'third' }],
    },
    edges: 'start -> one\none -> two',
  };
  const there = await scene({ main: twice, target: target(['template', { template: 'done' }]), third: self('target') });
  const { detail } = await run(there);
  for (let turn = 0; turn < 4; turn += 1) await there.running.settle();
  expect(await detail()).toMatchObject({ status: 'completed' });
});

test('a workflow that names itself by an expression may call itself, up to 20 levels deep', async () => {
  const there = await scene({ main: self('{{ run.workflow }}') });
  const { detail } = await run(there);
  for (let turn = 0; turn < 40; turn += 1) await there.running.settle();
  expect(await detail()).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('sub-workflows can be nested 20 levels deep at most'),
  });
  const { body } = await there.member.get('/api/v1/executions/?limit=1');
  expect(body).toMatchObject({ total: 21 });
});

describe('a workflow that its caller may only read because it is public', () => {
  const failing = { rules: [{ field: 'trigger.payload.n', operator: 'gt', value: 9 }] };

  async function publicScene(node: Sketch['nodes'][string]) {
    return scene({ target: target(node, { isPublic: true }), main: calling({}) }, 'other');
  }

  async function share({ running, member }: { running: Running; member: Person }): Promise<void> {
    const at = running.time.clock.now();
    const { id } = (await running.store.workflows.bySlug('target')) ?? { id: 0 };
    await running.store.collaborators.insert({ workflowId: id, userId: member.user.id, role: 'viewer', at });
  }

  test('does not reveal why its execution failed', async () => {
    const there = await publicScene(['assertion', failing]);
    const { detail } = await run(there);
    expect((await detail()).error_message).toBe("Node 'call' failed: Workflow 'target' failed");
    await share(there);
    expect((await (await run(there)).detail()).error_message).toMatch(/Workflow 'target' failed: Node 'work' failed:/);
  });

  test('does not use its pinned outputs', async () => {
    const pinned = { expression: 'trigger.payload.n * 2', pinned_output: { output: 'pinned' } };
    const there = await publicScene(['transform', pinned]);
    expect((await (await run(there)).detail()).final_output).toBe(8);
    await share(there);
    expect((await (await run(there)).detail()).final_output).toBe('pinned');
  });
});

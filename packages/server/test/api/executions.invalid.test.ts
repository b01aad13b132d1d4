import { catalogue } from '@millrace/components';
import type { JsonObject } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { Clockwork } from '../support/clockwork.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning({ catalogue });
  member = await running.addPerson('member');
});

/** A valid first step, and after it a node that names a missing one. */
const broken = (trigger: string, template = '{{ missing.output }}') => `
name: Broken
slug: broken
nodes:
  - ${trigger}
  - {id: first, type: template, template: performed}
  - {id: last, type: template, template: "${template}"}
edges:
  - start -> first
  - first -> last
`;

async function store(yaml_str: string): Promise<void> {
  expect([200, 201]).toContain((await member.post('/api/v1/workflows/import/', { yaml_str })).status);
}

async function executions(slug: string): Promise<readonly JsonObject[]> {
  for (let turn = 0; turn < 3; turn += 1) await running.settle();
  const { body } = await member.get(`/api/v1/executions/?workflow_slug=${slug}`);
  return (body as { items: readonly JsonObject[] }).items;
}

async function detail(execution: JsonObject | undefined): Promise<JsonObject> {
  return (await member.get(`/api/v1/executions/${execution?.execution_id}/`)).body as JsonObject;
}

const issue = { code: 'unknown_name', severity: 'error', node_id: 'last', field: 'extra_config.template' };
const invalid = {
  status: 'failed',
  error_message: expect.stringContaining("The workflow is not valid, so no step was performed: Node 'last'"),
  final_output: null,
};
/** Reports the code of the error. */
const handler = `
name: Handler
slug: handler
nodes: [{id: failed, type: trigger_error}, {id: report, type: transform, expression: failed.error.error_code}]
edges: [failed -> report]
`;
const hook = '{id: start, type: trigger_webhook}';

describe('a workflow with validation errors', () => {
  it.each([
    ['execute', '{id: start, type: trigger_manual}', {}],
    ['chat', '{id: start, type: trigger_chat}', { text: 'Hello' }],
  ])('is not started by %s/: 422 with the issues', async (path, trigger, body) => {
    await store(broken(trigger));
    const answer = await member.post(`/api/v1/workflows/broken/${path}/`, body);
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("Node 'last'"), issues: [issue] },
    });
    expect(await executions('broken')).toEqual([]);
  });

  it('is accepted by its webhook, and its execution fails without a step', async () => {
    await store(broken(hook));
    expect((await member.post('/api/v1/webhooks/broken', {})).status).toBe(200);
    const [failed] = await executions('broken');
    expect(await detail(failed)).toMatchObject({ ...invalid, logs: [] });
  });

  it('fails the step that calls it, and performs no step itself', async () => {
    await store(broken('{id: start, type: trigger_workflow}'));
    await store(`
name: Main
slug: main
nodes: [{id: begin, type: trigger_manual}, {id: call, type: workflow, workflow: broken}]
edges: [begin -> call]
`);
    await member.post('/api/v1/workflows/main/execute/', {});
    const [parent] = await executions('main');
    expect(await detail(parent)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('not valid'),
    });
    expect(await detail((await executions('broken'))[0])).toMatchObject({ ...invalid, logs: [] });
  });

  it('begins once the variable that it names exists', async () => {
    await store(broken(hook, '{{ vars.region }}'));
    await store(broken('{id: start, type: trigger_manual}', '{{ vars.region }}').replaceAll('broken', 'by_hand'));
    const start = () => member.post('/api/v1/workflows/by_hand/execute/', {});
    expect(await start()).toMatchObject({ status: 422, body: { issues: [issue] } });
    await member.post('/api/v1/webhooks/broken', {});
    expect(await detail((await executions('broken'))[0])).toMatchObject({ ...invalid, logs: [] });
    const admin = await running.addPerson('admin', 'full', true);
    expect((await admin.post('/api/v1/variables/', { name: 'region', value: 'north' })).status).toBe(201);
    expect(await start()).toMatchObject({ status: 200 });
    await member.post('/api/v1/webhooks/broken', {});
    // Both began at the same virtual moment, so their order is not fixed.
    expect((await executions('broken')).map(({ status }) => status).sort()).toEqual(['completed', 'failed']);
  });

  it('starts its error handler with the code invalid_workflow', async () => {
    await store(handler);
    await store(`${broken(hook)}error_handler: handler\n`);
    await member.post('/api/v1/webhooks/broken', {});
    const [handled] = await executions('handler');
    expect(await detail(handled)).toMatchObject({ status: 'completed', final_output: 'invalid_workflow' });
  });

  it('is retried on the version that corrects it', async () => {
    await store(broken(hook));
    await member.post('/api/v1/webhooks/broken', { n: 1 });
    const [failed] = await executions('broken');
    const retry = `/api/v1/executions/${failed?.execution_id}/retry/`;
    // On its own version it fails again, and performs nothing.
    expect((await member.post(retry)).status).toBe(200);
    expect(await detail((await executions('broken'))[0])).toMatchObject({ ...invalid, logs: [] });
    await store(broken(hook, '{{ trigger.payload.n }}'));
    const { version } = (await member.get('/api/v1/workflows/broken/')).body as { version: number };
    expect(await member.post(retry, { version: version + 1 })).toMatchObject({ status: 422 });
    expect((await member.post(retry, { version })).status).toBe(200);
    const [after] = await executions('broken');
    expect(after).toMatchObject({ execution_id: failed?.execution_id, workflow_version: version });
    expect(await detail(after)).toMatchObject({ status: 'completed', final_output: '1' });
  });

  it('is not retried on another version after a step was performed', async () => {
    await store(broken(hook, '{{ trigger.payload.missing.key }}'));
    await member.post('/api/v1/webhooks/broken', {});
    const [failed] = await executions('broken');
    expect(failed).toMatchObject({ status: 'failed' });
    const answer = await member.post(`/api/v1/executions/${failed?.execution_id}/retry/`, { version: 1 });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'version'] }] } });
  });
});

describe('a workflow with validation errors and a schedule', () => {
  it('is started by its schedule, fails without a step, and starts its error handler', async () => {
    const clockwork = await Clockwork.at('2026-01-01T00:00:00Z');
    const { api } = await clockwork.start();
    const schedule = broken('{id: start, type: trigger_schedule, interval_seconds: 60}');
    for (const yaml_str of [handler, `${schedule}error_handler: handler\n`]) {
      expect((await api.post('/api/v1/workflows/import/', { yaml_str })).status).toBe(201);
    }
    await clockwork.pass(65_000);
    // Both start at the same virtual moment, so their order is not fixed.
    const runs = (await clockwork.runs()).toSorted((a, b) => a.workflowSlug.localeCompare(b.workflowSlug));
    expect(runs.map(({ workflowSlug, status }) => [workflowSlug, status])).toEqual([
      ['broken', 'failed'],
      ['handler', 'completed'],
    ]);
    const [failed, handled] = await Promise.all(runs.map(({ id }) => api.get(`/api/v1/executions/${id}/`)));
    expect(failed?.body).toMatchObject({ ...invalid, trigger_node_id: 'start', logs: [] });
    expect(handled?.body).toMatchObject({ final_output: 'invalid_workflow' });
  });
});

import { type Logger, pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { Clockwork } from '../support/clockwork.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

/** A value in every payload, header and message of these tests: no log line may contain it. */
const secret = 'very-private';

/** A log at the default level. */
function logInto(lines: string[]): Logger {
  return pino({ level: 'info', base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
}

let lines: string[];
let running: Running;
let member: Person;

async function start({ maxOpenRuns = 1000, withRunner = true } = {}): Promise<void> {
  running = await startRunning({ log: logInto(lines), maxOpenRuns, withRunner });
  member = await running.addPerson('member');
}

beforeEach(() => {
  lines = [];
});

/** Returns the lines so far and removes them. */
function logged(): unknown[] {
  expect(lines.join('')).not.toContain(secret);
  return lines.splice(0).map((line) => JSON.parse(line));
}

const [info, warn] = [30, 40];
const rejected = { msg: 'start rejected', count: 1 };

const needsAmount = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };

describe('an execution', () => {
  it('that failed is logged once, with its workflow, node and code', async () => {
    await start();
    const edges = 'start -> fail';
    await running.addWorkflow(member.user, 'orders', { nodes: { start: 'trigger_webhook', fail: 'fail' }, edges });
    const { body } = await member.post('/api/v1/webhooks/orders', { secret });
    await running.settle();
    const { execution_id: executionId } = body as { execution_id: string };
    const line = { executionId, workflow: 'orders', nodeId: 'fail', code: 'assertion', msg: 'execution failed' };
    expect(logged()).toEqual([{ level: warn, ...line }]);
  });

  it('that completed or was cancelled is not logged', async () => {
    await start();
    const nodes = { start: 'trigger_webhook', held: 'held' };
    await running.addWorkflow(member.user, 'orders', { nodes, edges: 'start -> held' });
    await member.post('/api/v1/webhooks/orders', {});
    await running.settle();
    running.steps.letGo();
    await running.settle();
    const { id } = await running.onlyRun();
    const { body } = await member.post('/api/v1/webhooks/orders', {});
    await running.settle();
    const { execution_id: second } = body as { execution_id: string };
    await member.post(`/api/v1/executions/${second}/cancel/`);
    await running.settle();
    const statuses = [id, second].map(async (each) => (await running.store.executions.byId(each))?.status);
    expect(await Promise.all(statuses)).toEqual(['completed', 'cancelled']);
    expect(logged()).toEqual([]);
  });

  it('that continues after a crash is logged, with its workflow, node and number of crashes', async () => {
    await start();
    const nodes = { start: 'trigger_webhook', held: 'held' };
    await running.addWorkflow(member.user, 'orders', { nodes, edges: 'start -> held' });
    await member.post('/api/v1/webhooks/orders', { secret });
    await running.settle();
    const { id: executionId } = await running.onlyRun();
    const line = { level: warn, executionId, workflow: 'orders', nodeId: 'held' };
    for (const crashCount of [1, 2]) {
      // Does what a start after a crash does.
      await running.store.executions.recover();
      await running.settle();
      expect(logged()).toEqual([{ ...line, crashCount, msg: 'execution continues after a crash' }]);
    }
  });
});

describe('a rejected webhook', () => {
  it('is logged with its workflow, trigger node and code', async () => {
    await start();
    const nodes = { start: 'trigger_webhook', end: 'echo' };
    const at = { workflow: 'orders', trigger: 'webhook', nodeId: 'start' };
    const fields = { inputSchema: needsAmount };
    await running.addWorkflow(member.user, 'orders', { nodes, edges: 'start -> end', fields });
    await member.post('/api/v1/webhooks/orders', { secret });
    await member.inject({
      method: 'PUT',
      url: '/api/v1/webhooks/orders',
      headers: { authorization: `Bearer ${member.key}` },
    });
    await member.post('/api/v1/webhooks/orders', { amount: 1 });
    await running.settle();
    expect(logged()).toEqual([
      { level: info, ...at, code: 'invalid', ...rejected },
      { level: info, ...at, code: 'method_not_allowed', ...rejected },
    ]);
  });

  it('with a wrong signature or to an inactive workflow is logged, and to an unknown workflow is not', async () => {
    await start();
    const nodes = { start: ['trigger_webhook', { signature: 'git_host_a' }] } as const;
    await running.addWorkflow(member.user, 'signed', { nodes });
    await running.addWorkflow(member.user, 'asleep', { nodes, fields: { isActive: false } });
    const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    for (const slug of ['signed', 'asleep', secret]) {
      const url = `/api/v1/webhooks/${slug}`;
      const answer = await running.app.inject({ method: 'POST', url, headers, payload: { secret } });
      expect(answer.statusCode).toBe(401);
    }
    await member.post('/api/v1/webhooks/asleep', {});
    await member.post(`/api/v1/webhooks/${secret}`, {});
    expect(logged()).toEqual([
      { level: info, workflow: 'signed', trigger: 'webhook', nodeId: 'start', code: 'not_authenticated', ...rejected },
      { level: info, workflow: 'asleep', trigger: 'webhook', code: 'not_found', ...rejected },
    ]);
  });
});

describe('a rejected start', () => {
  it('by hand is logged, with the node if the start has one', async () => {
    await start();
    const nodes = { start: 'trigger_manual' };
    await running.addWorkflow(member.user, 'orders', { nodes, fields: { inputSchema: needsAmount } });
    const path = '/api/v1/workflows/orders/execute/';
    await member.post(path, { payload: { secret } });
    const at = { level: info, workflow: 'orders', trigger: 'manual' };
    expect(logged()).toEqual([{ ...at, nodeId: 'start', code: 'invalid', ...rejected }]);
    running.time.advance(60_000);
    await member.post(path, { trigger_node_id: secret });
    expect(logged()).toEqual([{ ...at, code: 'invalid', ...rejected }]);
  });

  it('by a message is logged', async () => {
    await start();
    await running.addWorkflow(member.user, 'orders', { nodes: { start: 'trigger_manual' } });
    expect((await member.post('/api/v1/workflows/orders/chat/', { text: secret })).status).toBe(422);
    expect(logged()).toEqual([{ level: info, workflow: 'orders', trigger: 'chat', code: 'invalid', ...rejected }]);
  });

  it('by a retry or replay is logged with its execution', async () => {
    await start();
    await running.addWorkflow(member.user, 'orders', { nodes: { start: 'trigger_manual', end: 'echo' } });
    await member.post('/api/v1/workflows/orders/execute/', {});
    await running.settle();
    const { id: executionId } = await running.onlyRun();
    await member.post(`/api/v1/executions/${executionId}/retry/`);
    await member.post(`/api/v1/executions/${executionId}/replay/`, { from_node: secret });
    const at = { level: info, workflow: 'orders', nodeId: 'start', executionId, ...rejected };
    expect(logged()).toEqual([
      { ...at, trigger: 'retry', code: 'conflict' },
      { ...at, trigger: 'replay', code: 'invalid' },
    ]);
  });

  it('because of too many open executions is a warning', async () => {
    await start({ maxOpenRuns: 1, withRunner: false });
    await running.addWorkflow(member.user, 'orders', { nodes: { start: 'trigger_webhook' } });
    await member.post('/api/v1/webhooks/orders', {});
    expect((await member.post('/api/v1/webhooks/orders', {})).status).toBe(503);
    const at = { workflow: 'orders', trigger: 'webhook', nodeId: 'start' };
    expect(logged()).toEqual([{ level: warn, ...at, code: 'overloaded', ...rejected }]);
  });

  it('by a schedule is a warning', async () => {
    const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
    const { api } = await clockwork.start();
    const config = { cron: '* * * * *', trigger_payload: { secret } };
    await clockwork.addSchedule(api, 'timed', config, { input_schema: needsAmount });
    await clockwork.pass(90_000);
    expect(await clockwork.runs()).toEqual([]);
    expect(clockwork.warnings.join('')).not.toContain(secret);
    const at = { level: warn, workflow: 'timed', trigger: 'schedule', nodeId: 'tick' };
    expect(clockwork.warnings.map((line) => JSON.parse(line))).toMatchObject([{ ...at, code: 'invalid', ...rejected }]);
  });
});

describe('a flood of rejected starts', () => {
  it('is logged once a minute per workflow, trigger and code, with the number since the last line', async () => {
    await start();
    const fields = { inputSchema: needsAmount };
    for (const slug of ['a', 'b']) {
      await running.addWorkflow(member.user, slug, { nodes: { start: 'trigger_webhook' }, fields });
    }
    const send = async (slug: string, times: number) => {
      for (let time = 0; time < times; time += 1) await member.post(`/api/v1/webhooks/${slug}`, { secret });
    };
    const line = (workflow: string, count: number) => {
      return expect.objectContaining({ workflow, code: 'invalid', count });
    };
    await send('a', 50);
    await send('b', 1);
    expect(logged()).toEqual([line('a', 1), line('b', 1)]);
    running.time.advance(59_999);
    await send('a', 1);
    expect(logged()).toEqual([]);
    running.time.advance(1);
    expect(logged()).toEqual([line('a', 50)]);
    await send('a', 2);
    await send('b', 1);
    expect(logged()).toEqual([line('b', 1)]);
    running.time.advance(60_000);
    expect(logged()).toEqual([line('a', 2)]);
    running.time.advance(60_000);
    await send('a', 1);
    expect(logged()).toEqual([line('a', 1)]);
  });
});

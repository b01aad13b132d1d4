import type { JsonObject } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { type Api, apiOf } from '../support/api.ts';
import { Clockwork } from '../support/clockwork.ts';
import { addKeyedUser } from '../support/keyed-user.ts';

const minute = 60_000;
const hour = 60 * minute;

let clockwork: Clockwork;
let api: Api;

beforeEach(async () => {
  clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
  ({ api } = await clockwork.start());
});

const node = '/api/v1/workflows/timed/nodes/tick/';

async function job(): Promise<JsonObject | null> {
  return ((await api.get(node)).body as { schedule_job: JsonObject | null }).schedule_job;
}

describe('a schedule', () => {
  it('starts a run at each of its times, with the payload', async () => {
    const config = { cron: '*/2 * * * *', trigger_payload: { report: 'daily' } };
    await clockwork.addSchedule(api, 'timed', config);
    await clockwork.pass(5 * minute);
    expect(await clockwork.times()).toEqual(['2026-03-28T12:02:00', '2026-03-28T12:04:00']);
    const [first] = await clockwork.runs();
    const detail = await clockwork.store.executions.detail(first?.id ?? '');
    expect(detail).toMatchObject({
      status: 'completed',
      trigger: { payload: { report: 'daily' } },
      finalOutput: '2026-03-28T12:02:00.000000',
    });
  });

  it.each([
    ['its own payload', undefined, { report: 'daily' }],
    ['an empty payload of the request', {}, {}],
    ['another payload of the request', { report: 'now' }, { report: 'now' }],
  ])('is started by hand with %s', async (_which, payload, expected) => {
    await clockwork.addSchedule(api, 'timed', { cron: '0 9 * * *', trigger_payload: { report: 'daily' } });
    const body = { wait: true, ...(payload !== undefined && { payload }) };
    await api.post('/api/v1/workflows/timed/execute/', body);
    const [run] = await clockwork.runs();
    const { body: detail } = await api.get(`/api/v1/executions/${run?.id}/`);
    expect(detail).toMatchObject({
      status: 'completed',
      trigger_payload: expected,
      // Started by hand, its only time is the present.
      logs: [{ output: { payload: expected, timestamp: '2026-03-28T12:00:00.000000' } }],
    });
  });

  it('is shown on its node in every response with nodes', async () => {
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 60 });
    await clockwork.pass(90_000);
    const [run] = await clockwork.runs();
    const expected = {
      status: 'active',
      next_run_at: '2026-03-28T12:02:00.000000',
      last_run_at: '2026-03-28T12:01:00.000000',
      last_execution_id: run?.id,
      skipped_runs: 0,
      last_error: null,
    };
    expect(await job()).toEqual(expected);
    expect((await api.get('/api/v1/workflows/timed/')).body).toMatchObject({ nodes: [{ schedule_job: expected }] });
    expect((await api.get('/api/v1/workflows/timed/nodes/')).body).toMatchObject([{ schedule_job: expected }]);
    const operations = [{ op: 'update_node', node_id: 'tick', changes: { label: 'Tick' } }];
    const answer = await api.post('/api/v1/workflows/timed/graph/', { version: 2, operations });
    expect(answer.body).toMatchObject({ results: [{ node: { schedule_job: expected } }] });
  });

  it('fires by local time on the days when clocks change', async () => {
    await clockwork.addSchedule(api, 'timed', { cron: '30 2 * * *', timezone: 'Europe/Berlin' });
    await clockwork.pass(37 * hour, 50_000);
    expect(await clockwork.times()).toEqual(['2026-03-29T01:00:00', '2026-03-30T00:30:00']);
  });

  it('shows why it could not start a run, and starts runs again once it can', async () => {
    const schema = { type: 'object', required: ['order'] };
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 60 }, { input_schema: schema });
    await clockwork.pass(61_000);
    expect(await job()).toMatchObject({ skipped_runs: 1, last_error: 'trigger_payload at /order is missing.' });
    await api.patch('/api/v1/workflows/timed/', { input_schema: null });
    await clockwork.pass(60_000);
    expect(await job()).toMatchObject({ skipped_runs: 1, last_error: null });
    expect(await clockwork.times()).toEqual(['2026-03-28T12:02:00']);
  });

  it('waits while too many runs are open', async () => {
    const full = await Clockwork.at('2026-03-28T12:00:00Z');
    const { api: fullApi, app } = await full.start({ maxOpenRuns: 1 });
    await full.addSchedule(fullApi, 'timed', { interval_seconds: 60, missed: 'all', overlap: 'parallel' });
    await app.runner.stop(0);
    await full.pass(3 * minute);
    expect(await full.times()).toEqual(['2026-03-28T12:01:00']);
    await fullApi.post(`/api/v1/executions/${(await full.runs())[0]?.id}/cancel/`);
    await full.pass(2000);
    expect(await full.times()).toEqual(['2026-03-28T12:01:00', '2026-03-28T12:02:00', '2026-03-28T12:03:00']);
  });
});

describe('a schedule of a public workflow', () => {
  it('shows public viewers its next time, and nothing of the runs it started', async () => {
    const schema = { type: 'object', required: ['order'] };
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 60 }, { input_schema: schema, is_public: true });
    await clockwork.pass(61_000);
    expect(await job()).toMatchObject({ skipped_runs: 1, last_error: expect.stringContaining('order') });
    const { key } = await addKeyedUser(clockwork.store, { username: 'visitor', at: clockwork.time.clock.now() });
    const visitor = apiOf(clockwork.processes[0]?.app.server as FastifyInstance, key);
    const nothing = { last_run_at: null, last_execution_id: null, skipped_runs: 0, last_error: null };
    const schedule_job = { status: 'active', next_run_at: '2026-03-28T12:02:00.000000', ...nothing };
    expect((await visitor.get(node)).body).toMatchObject({ schedule_job });
    expect((await visitor.get('/api/v1/workflows/timed/nodes/')).body).toMatchObject([{ schedule_job }]);
    expect((await visitor.get('/api/v1/workflows/timed/')).body).toMatchObject({ nodes: [{ schedule_job }] });
    // A viewer may see the executions, and so the runs it started.
    await api.post('/api/v1/workflows/timed/collaborators/', { username: 'visitor', role: 'viewer' });
    expect((await visitor.get(node)).body).toMatchObject({ schedule_job: { skipped_runs: 1 } });
  });
});

describe('a schedule of a workflow with concurrency keys', () => {
  it('evaluates the concurrency key of each run with its own time', async () => {
    const workflow = { concurrency: 1, concurrency_key: "{{ trigger.text | date('%H:%M') }}" };
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 60 }, workflow);
    await clockwork.pass(2 * minute + 1000);
    expect(await clockwork.times()).toEqual(['2026-03-28T12:01:00', '2026-03-28T12:02:00']);
    expect(await job()).toMatchObject({ skipped_runs: 0, last_error: null });
  });

  it('shows why one of its times has no concurrency key, and continues with the next', async () => {
    const config = { interval_seconds: 60, trigger_payload: { '2026-03-28T12:02:00.000000': 'a key' } };
    const workflow = { concurrency: 1, concurrency_key: '{{ trigger.payload[trigger.text] }}' };
    await clockwork.addSchedule(api, 'timed', config, workflow);
    await clockwork.pass(61_000);
    expect(await job()).toMatchObject({ skipped_runs: 1, last_error: expect.stringContaining('concurrency_key') });
    await clockwork.pass(minute);
    expect(await job()).toMatchObject({ skipped_runs: 1, last_error: null });
    expect(await clockwork.times()).toEqual(['2026-03-28T12:02:00']);
  });
});

describe('a schedule after a downtime', () => {
  test.each([
    ['skip', ['2026-03-28T12:01:00']],
    ['latest', ['2026-03-28T12:01:00', '2026-03-28T15:00:00']],
    ['all', ['2026-03-28T12:01:00', '2026-03-28T13:00:00', '2026-03-28T14:00:00', '2026-03-28T15:00:00']],
  ])('handles missed times by the setting %s', async (missed, expected) => {
    await clockwork.addSchedule(api, 'timed', { cron: '1 12 * * *' });
    await clockwork.pass(90_000);
    const config = { cron: '0 * * * *', missed, overlap: 'parallel' };
    await api.patch(node, { config: { extra_config: config } });
    await stopAll();
    clockwork.time.advance(3 * hour + 30 * minute);
    await clockwork.start();
    expect(await clockwork.times()).toEqual(expected);
  });

  it('does not treat a time as missed within a minute', async () => {
    await clockwork.addSchedule(api, 'timed', { cron: '0 * * * *' });
    await stopAll();
    clockwork.time.advance(hour + 50_000);
    await clockwork.start();
    expect(await clockwork.times()).toEqual(['2026-03-28T13:00:00']);
  });

  it('starts at most a hundred runs after a year', async () => {
    await clockwork.addSchedule(api, 'timed', { cron: '* * * * *', missed: 'all', overlap: 'parallel' });
    await stopAll();
    clockwork.time.advance(365 * 24 * hour);
    await clockwork.start();
    const times = await clockwork.times();
    expect(times).toHaveLength(100);
    expect(times.at(-1)).toBe('2027-03-28T12:00:00');
  });
});

async function stopAll(): Promise<void> {
  for (const running of clockwork.processes) await running.stop();
}

describe('two processes on one store', () => {
  it('fire each time once', async () => {
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 1, overlap: 'parallel' });
    await clockwork.start();
    await clockwork.pass(20_000);
    const times = await clockwork.times();
    expect(times).toHaveLength(20);
    expect(new Set(times).size).toBe(20);
  });
});

describe('a clock that changes', () => {
  it('by an hour forward starts the skipped times as if they were missed', async () => {
    await clockwork.addSchedule(api, 'timed', { cron: '*/20 * * * *', missed: 'latest' });
    clockwork.time.setClock(hour);
    await clockwork.pass(11_000);
    expect(await clockwork.times()).toEqual(['2026-03-28T13:00:00']);
  });

  it('by an hour back repeats no time of a pattern', async () => {
    await clockwork.addSchedule(api, 'timed', { cron: '*/20 * * * *' });
    await clockwork.pass(41 * minute, 10_000);
    clockwork.time.setClock(-hour);
    await clockwork.pass(80 * minute, 10_000);
    expect(await clockwork.times()).toEqual(['2026-03-28T12:20:00', '2026-03-28T12:40:00', '2026-03-28T13:00:00']);
  });

  it('by an hour back does not stop an interval', async () => {
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 600 });
    await clockwork.pass(21 * minute, 10_000);
    clockwork.time.setClock(-hour);
    await clockwork.pass(31 * minute, 10_000);
    expect(await clockwork.times()).toHaveLength(5);
  });
});

describe('an overlapping run', () => {
  const slow = async (overlap: string) => {
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 60, overlap });
    // No runner performs runs from here on, so they stay open.
    for (const { app } of clockwork.processes) await app.runner.stop(0);
    await clockwork.pass(3 * minute + 1000);
  };

  it('is skipped, and counted', async () => {
    await slow('skip');
    expect(await clockwork.times()).toEqual(['2026-03-28T12:01:00']);
    expect(await job()).toMatchObject({ skipped_runs: 2, last_run_at: '2026-03-28T12:03:00.000000' });
  });

  it('waits for the earlier ones with overlap queue, in the order of times', async () => {
    await slow('queue');
    expect(await clockwork.times()).toHaveLength(3);
    const claimed = async () =>
      (await clockwork.store.executions.claim({ owner: 'test', now: 0, monotonic: 0, leaseUntil: 9e12, limit: 9 })).map(
        (run) => run.trigger.text.slice(11, 16),
      );
    expect(await claimed()).toEqual(['12:01']);
    expect(await claimed()).toEqual([]);
    for (const next of ['12:02', '12:03']) {
      const running = (await clockwork.runs()).find(({ status }) => status === 'running');
      const detail = await clockwork.store.executions.detail(running?.id ?? '');
      await clockwork.end(detail);
      expect(await claimed()).toEqual([next]);
    }
  });

  it('runs in parallel with overlap parallel', async () => {
    await slow('parallel');
    expect(await clockwork.times()).toHaveLength(3);
  });
});

describe('start, pause and stop', () => {
  const post = (verb: string) => api.post(`${node}schedule/${verb}/`);

  it('return the node, and enable or disable its schedule', async () => {
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 60 });
    const paused = await post('pause');
    expect(paused).toMatchObject({
      status: 200,
      body: { node_id: 'tick', schedule_job: { status: 'paused', next_run_at: null } },
    });
    await clockwork.pass(150_000);
    expect((await post('start')).body).toMatchObject({ schedule_job: { next_run_at: '2026-03-28T12:03:00.000000' } });
    await clockwork.pass(40_000);
    expect((await post('stop')).body).toMatchObject({ schedule_job: { status: 'stopped', next_run_at: null } });
    await clockwork.pass(80_000);
    expect((await post('start')).body).toMatchObject({ schedule_job: { next_run_at: '2026-03-28T12:05:30.000000' } });
    expect(await clockwork.times()).toEqual(['2026-03-28T12:03:00']);
  });

  it('update the times of the node and its workflow consistently, and create no version; firing updates neither', async () => {
    await clockwork.addSchedule(api, 'timed', { interval_seconds: 60 });
    const moments = async () => {
      const { updated_at, version, nodes } = (await api.get('/api/v1/workflows/timed/')).body as JsonObject;
      const [inWorkflow] = nodes as JsonObject[];
      const { updated_at: alone } = (await api.get(node)).body as JsonObject;
      expect(inWorkflow?.updated_at).toBe(alone);
      return { workflow: updated_at, node: alone, version };
    };
    const made = await moments();
    await clockwork.pass(90_000);
    expect(await moments()).toEqual(made);
    const { updated_at } = (await post('pause')).body as JsonObject;
    expect(await moments()).toEqual({
      workflow: updated_at,
      node: '2026-03-28T12:01:30.000000',
      version: made.version,
    });
    await clockwork.pass(1000);
    await post('pause');
    expect((await moments()).node).toBe('2026-03-28T12:01:30.000000');
    const renamed = (await api.patch(node, { label: 'Tick' })).body as JsonObject;
    expect((await moments()).node).toBe(renamed.updated_at);
  });

  test.each(['start', 'pause', 'stop'])('answer 400 to %s of another node', async (verb) => {
    await api.post('/api/v1/workflows/', { name: 'timed', slug: 'timed' });
    await api.post('/api/v1/workflows/timed/nodes/', { node_id: 'tick', component_type: 'trigger_manual' });
    expect(await post(verb)).toMatchObject({ status: 400, body: { detail: 'Node is not a trigger_schedule.' } });
    expect(await job()).toBeNull();
  });

  it('answer 404 without the node', async () => {
    await api.post('/api/v1/workflows/', { name: 'timed', slug: 'timed' });
    expect(await post('start')).toMatchObject({ status: 404, body: { detail: 'Node not found.' } });
  });
});

describe('a schedule follows changes of its workflow', () => {
  beforeEach(() => clockwork.addSchedule(api, 'timed', { interval_seconds: 60 }));

  it('and is idle while the workflow is inactive', async () => {
    await api.patch('/api/v1/workflows/timed/', { is_active: false });
    await clockwork.pass(2 * minute);
    expect(await job()).toMatchObject({ status: 'idle', next_run_at: null });
    expect(await clockwork.times()).toEqual([]);
    await api.patch('/api/v1/workflows/timed/', { is_active: true });
    await clockwork.pass(minute);
    expect(await clockwork.times()).toEqual(['2026-03-28T12:03:00']);
  });

  it('and is deleted with its node, and restored with an earlier version', async () => {
    await api.delete(node);
    await clockwork.pass(2 * minute);
    expect(await clockwork.times()).toEqual([]);
    const restored = await api.post('/api/v1/workflows/timed/versions/2/restore/');
    expect(restored.body).toMatchObject({ nodes: [{ schedule_job: { next_run_at: '2026-03-28T12:03:00.000000' } }] });
    await clockwork.pass(minute);
    expect(await clockwork.times()).toEqual(['2026-03-28T12:03:00']);
  });

  it('and keeps its interval when its node is renamed', async () => {
    await clockwork.pass(30_000);
    await api.patch(node, { node_id: 'tock' });
    await clockwork.pass(31_000);
    expect((await clockwork.runs()).map(({ triggerNodeId }) => triggerNodeId)).toEqual(['tock']);
  });

  it('and does not fire in the trash', async () => {
    const { id } = (await api.get('/api/v1/workflows/timed/')).body as { id: number };
    await api.delete('/api/v1/workflows/timed/');
    await clockwork.pass(2 * minute);
    await api.post(`/api/v1/trash/${id}/restore/`);
    await clockwork.pass(minute);
    expect(await clockwork.times()).toEqual(['2026-03-28T12:03:00']);
  });

  it('and is created by an import', async () => {
    const yaml_str =
      'name: Imported\nslug: imported\nnodes:\n  - {id: each, type: trigger_schedule, cron: 0 0 1 1 *}\n';
    const answer = await api.post('/api/v1/workflows/import/', { yaml_str });
    expect(answer.status).toBe(201);
    expect((await api.get('/api/v1/workflows/imported/nodes/each/')).body).toMatchObject({
      schedule_job: { next_run_at: '2027-01-01T00:00:00.000000' },
    });
  });
});

describe('an invalid config', () => {
  test.each([
    [{ cron: 'every day' }, 'cron'],
    [{ cron: '0 9 * * *', timezone: 'Mars/Olympus' }, 'timezone'],
    [{ interval_seconds: 0 }, 'interval_seconds'],
  ])('is rejected with 422 naming the field: %j', async (config, field) => {
    await api.post('/api/v1/workflows/', { name: 'timed', slug: 'timed' });
    const answer = await api.post('/api/v1/workflows/timed/nodes/', {
      component_type: 'trigger_schedule',
      config: { extra_config: config },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'config', 'extra_config', field] }] },
    });
  });
});

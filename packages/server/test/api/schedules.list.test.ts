import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Api, apiOf } from '../support/api.ts';
import { Clockwork } from '../support/clockwork.ts';
import { addKeyedUser } from '../support/keyed-user.ts';

let clockwork: Clockwork;
let api: Api;

beforeEach(async () => {
  clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
  ({ api } = await clockwork.start());
});

interface Listed {
  readonly workflow_slug: string;
  readonly node_id: string | null;
  readonly next_times: readonly string[];
  readonly schedule_job: { readonly status: string };
}

async function listed(caller: Api = api, query = ''): Promise<{ items: Listed[]; total: number }> {
  const { status, body } = await caller.get(`/api/v1/schedules/${query}`);
  expect(status).toBe(200);
  return body as { items: Listed[]; total: number };
}

const slugsOf = ({ items }: { items: readonly Listed[] }) => items.map(({ workflow_slug: slug }) => slug);

describe('GET schedules', () => {
  it('lists the schedules of all workflows with their next times, the next to fire first', async () => {
    await clockwork.addSchedule(api, 'daily', { cron: '0 9 * * *', timezone: 'Europe/Berlin' });
    await clockwork.addSchedule(api, 'hourly', { interval_seconds: 3600 });
    const { items, total } = await listed();
    expect([slugsOf({ items }), total]).toEqual([['hourly', 'daily'], 2]);
    expect(items[0]).toMatchObject({ node_id: 'tick', cron: null, interval_seconds: 3600, timezone: null });
    // Each day at nine in Berlin, where summer time begins on the 29th.
    expect(items[1]).toMatchObject({
      cron: '0 9 * * *',
      timezone: 'Europe/Berlin',
      schedule_job: { status: 'active', next_run_at: '2026-03-29T07:00:00.000000' },
      next_times: ['03-29', '03-30', '03-31', '04-01', '04-02'].map((day) => `2026-${day}T07:00:00.000000`),
    });
    expect(slugsOf(await listed(api, '?limit=1&offset=1'))).toEqual(['daily']);
  });

  it('shows the times that the scheduler keeps', async () => {
    await clockwork.addSchedule(api, 'hourly', { interval_seconds: 3600 });
    const [{ next_times: times = [] } = {}] = (await listed()).items;
    await clockwork.pass(3 * 3_600_000);
    expect(await clockwork.times()).toEqual(times.slice(0, 3).map((at) => at.slice(0, 19)));
  });

  it('lists schedules that will not fire last, without times, and none of deleted workflows', async () => {
    await clockwork.addSchedule(api, 'paused', { cron: '* * * * *' });
    await clockwork.addSchedule(api, 'daily', { cron: '0 9 * * *' });
    await clockwork.addSchedule(api, 'deleted', { cron: '* * * * *' });
    await api.post('/api/v1/workflows/paused/nodes/tick/schedule/pause/');
    await api.delete('/api/v1/workflows/deleted/');
    const { items } = await listed();
    expect(slugsOf({ items })).toEqual(['daily', 'paused']);
    expect(items[1]).toMatchObject({ next_times: [], schedule_job: { status: 'paused', next_run_at: null } });
  });

  it('lists the schedules of shared workflows, and none of other users', async () => {
    await clockwork.addSchedule(api, 'mine', { cron: '0 9 * * *' });
    await clockwork.addSchedule(api, 'shared', { cron: '0 8 * * *' });
    const { key } = await addKeyedUser(clockwork.store, { username: 'other', at: clockwork.time.clock.now() });
    const other = apiOf(clockwork.processes[0]?.app.server as FastifyInstance, key);
    expect(await listed(other)).toEqual({ items: [], total: 0 });
    await api.post('/api/v1/workflows/shared/collaborators/', { username: 'other', role: 'viewer' });
    expect(slugsOf(await listed(other))).toEqual(['shared']);
  });
});

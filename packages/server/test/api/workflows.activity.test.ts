import { workflowActivityList } from '@millrace/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { Clockwork } from '../support/clockwork.ts';
import { type Person, type Running, startRunning } from '../support/running.ts';

const path = '/api/v1/workflow-activity/';

let running: Running;
let member: Person;
beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
});

async function addWorkflow(slug: string, middle: string): Promise<void> {
  await running.addWorkflow(member.user, slug, {
    nodes: { start: 'trigger_manual', middle },
    edges: 'start -> middle',
  });
}

async function run(slug: string): Promise<void> {
  expect((await member.post(`/api/v1/workflows/${slug}/execute/`, {})).status).toBe(200);
  await running.settle();
}

async function list(query = '', person = member) {
  const { status, body } = await person.get(path + query);
  expect(status).toBe(200);
  return workflowActivityList.parse(body);
}

describe('GET workflow-activity', () => {
  // Requirement interface.workflows.activity: `GET /api/v1/workflow-activity/` lists the last executions, the ends of each of the last 24 hours, the triggers and the next time of the caller's workflows, in the order of the list of workflows
  it('lists the last executions and the ends of each hour, newest workflow first', async () => {
    await addWorkflow('good', 'echo');
    await addWorkflow('bad', 'fail');
    await run('good');
    await run('bad');
    running.time.advance(2 * 3_600_000);
    await run('good');
    const { items, total } = await list();
    expect(total).toBe(2);
    expect(items.map(({ workflow_slug: slug }) => slug)).toEqual(['bad', 'good']);
    const [bad, good] = items;
    const ends = { completed: 1, failed: 0, cancelled: 0, starts_at: expect.stringMatching(/:00:00\.000000$/) };
    expect(good).toMatchObject({ trigger_types: ['trigger_manual'], next_fire_at: null, hours: [ends, ends] });
    expect(good).toMatchObject({ last_execution: { status: 'completed' }, last_failed_execution_id: null });
    expect(bad).toMatchObject({ hours: [{ ...ends, completed: 0, failed: 1 }], last_execution: { status: 'failed' } });
    expect(bad?.last_failed_execution_id).toBe(bad?.last_execution?.execution_id);
    expect((await list('?limit=1&offset=1')).items).toEqual([good]);
  });

  // Requirement interface.workflows.activity
  it('forgets an hour after a day', async () => {
    await addWorkflow('good', 'echo');
    await run('good');
    running.time.advance(23 * 3_600_000);
    expect((await list()).items[0]?.hours).toHaveLength(1);
    running.time.advance(3_600_000);
    expect((await list()).items[0]).toMatchObject({ hours: [], last_execution: { status: 'completed' } });
  });

  // Requirement interface.workflows.activity
  it('lists shared workflows, and none of others', async () => {
    await addWorkflow('good', 'echo');
    const other = await running.addPerson('other');
    expect(await list('', other)).toEqual({ items: [], total: 0 });
    await member.post('/api/v1/workflows/good/collaborators/', { username: 'other', role: 'viewer' });
    expect((await list('', other)).items).toMatchObject([{ workflow_slug: 'good' }]);
  });

  // Requirement interface.workflows.activity
  it('names the next time of a schedule', async () => {
    const clockwork = await Clockwork.at('2026-03-28T12:00:00Z');
    const { api } = await clockwork.start();
    await clockwork.addSchedule(api, 'timed', { cron: '*/20 * * * *' });
    expect((await api.get(path)).body).toMatchObject({
      items: [{ trigger_types: ['trigger_schedule'], next_fire_at: '2026-03-28T12:20:00.000000' }],
    });
  });
});

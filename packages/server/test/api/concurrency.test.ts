import { beforeEach, describe, expect, it } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

let running: Running;
let member: Person;

beforeEach(async () => {
  running = await startRunning();
  member = await running.addPerson('member');
  const graph = { nodes: { start: 'trigger_webhook', hold: 'held' }, edges: 'start -> hold' } as const;
  await running.addWorkflow(member.user, 'limited', { ...graph, fields: { concurrency: 2 } });
});

async function accept(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, n) => member.post('/api/v1/webhooks/limited', { n })));
  await running.settle();
}

async function count(status: 'running' | 'pending' | 'completed'): Promise<number> {
  const filter = { visibleTo: member.user.id, status, limit: 1, offset: 0 };
  return (await running.store.executions.list(filter)).total;
}

describe('a workflow with a limit', () => {
  it('runs at most as many executions at once as its limit, and completes all of them', async () => {
    await accept(9);
    for (const atOnce of [2, 2, 2, 2, 1]) {
      expect(await count('running')).toBe(atOnce);
      expect(running.steps.heldCount).toBe(atOnce);
      running.steps.letGo();
      await running.settle();
    }
    expect(await count('completed')).toBe(9);
  });

  it('holds after the service is killed and restarted', async () => {
    await accept(5);
    // Does what a start after a kill does: the runs that this process still owns then belong to a dead process.
    await running.store.executions.recover();
    await running.settle();
    expect(await count('running')).toBe(2);
    for (let rounds = 0; rounds < 4; rounds += 1) {
      running.steps.letGo();
      await running.settle();
      expect(await count('running')).toBeLessThanOrEqual(2);
    }
    expect(await count('completed')).toBe(5);
  });

  it('starts others when one is cancelled, and when the limit is removed', async () => {
    await accept(6);
    const filter = { visibleTo: member.user.id, status: 'running', limit: 1, offset: 0 } as const;
    const [one] = (await running.store.executions.list(filter)).items;
    await member.post(`/api/v1/executions/${one?.id}/cancel/`);
    await running.settle();
    expect(await count('running')).toBe(2);
    expect(await count('pending')).toBe(3);
    const workflow = await running.store.workflows.bySlug('limited');
    await running.store.workflows.update({ id: workflow?.id ?? 0, changes: { concurrency: null }, at: 0 });
    await running.settle();
    expect(await count('running')).toBe(5);
    running.steps.letGo();
  });
});

describe('a workflow with a limit for each key', () => {
  beforeEach(async () => {
    const { id } = (await running.store.workflows.bySlug('limited')) ?? { id: 0 };
    const changes = { concurrency: 1, concurrencyKey: '{{ trigger.payload.customer }}' };
    await running.store.workflows.update({ id, changes, at: 0 });
  });

  it('runs one execution per key at once', async () => {
    for (const customer of ['a', 'a', 'b', 7, 'b']) await member.post('/api/v1/webhooks/limited', { customer });
    await running.settle();
    expect(await count('running')).toBe(3);
    running.steps.letGo();
    await running.settle();
    expect(await count('running')).toBe(2);
    running.steps.letGo();
    await running.settle();
    expect(await count('completed')).toBe(5);
  });

  it.each([
    [{}, 'concurrency_key has no value for this payload'],
    [{ customer: 'x'.repeat(201) }, 'concurrency_key gives a key of more than 200 characters'],
  ])('starts nothing for a payload without a valid key', async (payload, reason) => {
    const answer = await member.post('/api/v1/webhooks/limited', payload);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(reason);
    expect(await count('pending')).toBe(0);
  });
});

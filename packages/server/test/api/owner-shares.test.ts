import { beforeEach, expect, it } from 'vitest';
import { type Person, type Running, startRunning } from '../support/running.ts';

let running: Running;
let [busy, other] = [] as unknown as readonly [Person, Person];

beforeEach(async () => {
  running = await startRunning({ maxOpenRuns: 10_000 });
  [busy, other] = [await running.addPerson('busy'), await running.addPerson('other')];
  const hold = { nodes: { start: 'trigger_webhook', hold: 'held' }, edges: 'start -> hold' } as const;
  for (const slug of ['slow', 'slower']) await running.addWorkflow(busy.user, slug, hold);
  const echo = { nodes: { start: 'trigger_webhook', echo: 'echo' }, edges: 'start -> echo' } as const;
  for (const [person, slug] of [
    [busy, 'own'],
    [other, 'quick'],
  ] as const)
    await running.addWorkflow(person.user, slug, echo);
});

async function count(person: Person, status: 'running' | 'pending' | 'completed'): Promise<number> {
  const filter = { visibleTo: person.user.id, status, limit: 1, offset: 0 };
  return (await running.store.executions.list(filter)).total;
}

/** Ends all steps that are held until so many runs have completed. */
async function finish(person: Person, runs: number): Promise<void> {
  // Large values are read and written in many turns of the event loop.
  while ((await count(person, 'completed')) < runs) {
    running.steps.letGo();
    await running.settle();
  }
}

it('runs of one user that wait leave places for runs of others, also after a restart', async () => {
  for (let n = 0; n < 800; n += 1) await busy.post(`/api/v1/webhooks/${n % 2 === 0 ? 'slow' : 'slower'}`, {});
  await running.settle();
  expect([await count(busy, 'running'), await count(busy, 'pending')]).toEqual([750, 50]);
  for (let n = 0; n < 10; n += 1) await other.post('/api/v1/webhooks/quick', { n });
  await running.settle();
  expect(await count(other, 'completed')).toBe(10);
  // Does what a start after a kill does: the runs that this process still owns then belong to a dead process.
  await running.store.executions.recover();
  await finish(busy, 800);
});

it('large runs of one user that wait leave memory for large runs of others, and for own small ones', async () => {
  const text = 'x'.repeat(4_800_000);
  for (let n = 0; n < 8; n += 1) await busy.post('/api/v1/webhooks/slow', { text });
  await running.settle();
  expect([await count(busy, 'running'), await count(busy, 'pending')]).toEqual([6, 2]);
  await other.post('/api/v1/webhooks/quick', { text });
  await busy.post('/api/v1/webhooks/own', {});
  while ((await count(other, 'completed')) === 0) await running.settle();
  expect(await count(busy, 'completed')).toBe(1);
  await finish(busy, 9);
});

import { expect, test } from 'vitest';
import { Clockwork, type Process } from '../support/clockwork.ts';

const hour = 3_600_000;

interface Seen {
  readonly status: string;
}

/** Starts an execution of one waiting step. */
async function startWait(clockwork: Clockwork, { api }: Process, step: string): Promise<string> {
  const yaml_str = `name: waits\nslug: waits\ntrigger: webhook\nsteps:\n  - {id: pause, type: wait, ${step}}\n`;
  expect(await api.post('/api/v1/workflows/import/', { yaml_str })).toMatchObject({ status: 201 });
  const { body } = await api.post('/api/v1/webhooks/waits', {});
  await clockwork.settle();
  return (body as { execution_id: string }).execution_id;
}

async function statusOf({ api }: Process, id: string): Promise<string> {
  return ((await api.get(`/api/v1/executions/${id}/`)).body as Seen).status;
}

test.each([
  ['back by two hours', -2 * hour],
  ['forward by two hours', 2 * hour],
])('a wait of 6 s ends after 6 s if the clock is set %s', async (_how, byMs) => {
  const clockwork = await Clockwork.at('2026-05-01T12:00:00Z');
  const service = await clockwork.start();
  const id = await startWait(clockwork, service, 'duration: 6');
  await clockwork.pass(2000);
  clockwork.time.setClock(byMs);
  await clockwork.pass(3000);
  expect(await statusOf(service, id)).toBe('waiting');
  await clockwork.pass(1000);
  expect(await statusOf(service, id)).toBe('completed');
});

test('the timeout of a callback is a duration', async () => {
  const clockwork = await Clockwork.at('2026-05-01T12:00:00Z');
  const service = await clockwork.start();
  const id = await startWait(clockwork, service, 'callback: true, policies: {timeout_seconds: 20}');
  await clockwork.pass(5000);
  clockwork.time.setClock(-2 * hour);
  await clockwork.pass(14_000);
  expect(await statusOf(service, id)).toBe('waiting');
  await clockwork.pass(1000);
  expect(await statusOf(service, id)).toBe('failed');
});

test('a wait until a time follows the clock', async () => {
  const clockwork = await Clockwork.at('2026-05-01T12:00:00Z');
  const service = await clockwork.start();
  const id = await startWait(clockwork, service, 'until: "2026-05-01T13:00:00Z"');
  await clockwork.pass(2000);
  clockwork.time.setClock(-hour);
  await clockwork.pass(hour + 100_000, 10_000);
  expect(await statusOf(service, id)).toBe('waiting');
  clockwork.time.setClock(hour);
  // The next heartbeat detects it.
  await clockwork.pass(4000);
  expect(await statusOf(service, id)).toBe('completed');
});

test('a wait that began after the clock was set has its own duration', async () => {
  const clockwork = await Clockwork.at('2026-05-01T12:00:00Z');
  const service = await clockwork.start();
  await clockwork.pass(2000);
  clockwork.time.setClock(-2 * hour);
  const id = await startWait(clockwork, service, 'duration: 60');
  await clockwork.pass(58_000);
  expect(await statusOf(service, id)).toBe('waiting');
  await clockwork.pass(3000);
  expect(await statusOf(service, id)).toBe('completed');
});

test('after a restart the remaining time is measured by the clock', async () => {
  const clockwork = await Clockwork.at('2026-05-01T12:00:00Z');
  const first = await clockwork.start();
  const id = await startWait(clockwork, first, 'duration: 60');
  await first.stop();
  clockwork.time.setClock(30_000);
  const second = await clockwork.start();
  await clockwork.pass(29_000);
  expect(await statusOf(second, id)).toBe('waiting');
  await clockwork.pass(2000);
  expect(await statusOf(second, id)).toBe('completed');
});

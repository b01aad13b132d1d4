import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { systemTimers } from '../../src/ground/clock.ts';
import { VirtualTime } from '../../src/ground/virtual-time.ts';
import { firstStart } from '../../src/services/setup/first-start.ts';
import { Connection } from '../../src/store/sql/database/connection.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite.ts';
import { apiOf } from '../support/api.ts';
import { testVault } from '../support/vault.ts';
import { testKey } from './service-process.ts';

const mebibyte = 1_048_576;
/** 1/64 of the usual sizes. */
const logLimits = { due: mebibyte / 4, wait: mebibyte, reject: 5 * mebibyte, full: 6 * mebibyte };
const mostCalls = 1000;

let path: string;

async function startApp() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-full-log-'));
  path = join(folder, 'millrace.db');
  const time = new VirtualTime();
  const store = openSqliteStore({ path, logLimits });
  await firstStart({ store, givenKey: testKey, keepKey: () => undefined, at: time.clock.now() });
  const app = createApp({
    host: '127.0.0.1',
    log: pino({ level: 'silent' }),
    store,
    vault: testVault(store),
    clock: time.clock,
    timers: { ...time.timers, soon: systemTimers.soon },
    random: Math.random,
  });
  onTestFinished(async () => {
    await app.server.close();
    await app.runner.stop(0);
    await app.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  await app.server.ready();
  return { app, api: apiOf(app.server, testKey), time };
}

/** Another program that reads, which keeps the log from restarting. */
function openReader(): Connection {
  const reader = new Connection(path);
  reader.script('BEGIN');
  reader.all('SELECT count(*) FROM executions', []);
  return reader;
}

test('a burst gets 503 with Retry-After before the log is full, accepted work continues, and new work is accepted when the log restarts', async () => {
  const { app, api, time } = await startApp();
  const yaml_str = 'name: hook\nslug: hook\ntrigger: webhook\nsteps:\n  - {id: done, type: template, template: done}\n';
  expect((await api.post('/api/v1/workflows/import/', { yaml_str })).status).toBe(201);
  const send = (bytes: number) => api.post('/api/v1/webhooks/hook', { text: 'x'.repeat(bytes) });
  const first = await send(1);
  expect(first.status).toBe(200);
  const reader = openReader();
  let answer = first;
  for (let calls = 0; answer.status === 200 && calls < mostCalls; calls += 1) answer = await send(50_000);
  expect([answer.status, answer.headers['retry-after'], answer.body]).toEqual([
    503,
    '5',
    { detail: expect.stringContaining('another program reads the database') },
  ]);
  expect((await api.get('/health/')).body).toMatchObject({
    status: 'unavailable',
    reason: expect.stringContaining('another program reads the database'),
  });

  app.runner.start();
  const { execution_id } = first.body as { execution_id: string };
  const status = async () => ((await api.get(`/api/v1/executions/${execution_id}/`)).body as { status: string }).status;
  while ((await status()) !== 'completed') {
    time.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await send(1)).status).toBe(503);

  reader.close();
  // There is an attempt every second.
  while ((await api.get('/health/')).status !== 200) await new Promise((resolve) => setImmediate(resolve));
  expect((await send(1)).status).toBe(200);
});

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
import { noSync } from '../../src/store/sql/database/log/log-sync.ts';
import { migrate, sqliteMigrations } from '../../src/store/sql/database/migrate.ts';
import { storeOn } from '../../src/store/sql/sqlite.ts';
import { apiOf } from '../support/api.ts';
import { testVault } from '../support/vault.ts';
import { testKey } from './service-process.ts';

test('with a full disk requests get 503, reads work, and pending work is done when there is space again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-full-'));
  const connection = new Connection(join(folder, 'millrace.db'));
  migrate(connection, sqliteMigrations());
  const store = storeOn(connection, { sync: noSync() });
  const time = new VirtualTime();
  await firstStart({ store, givenKey: testKey, keepKey: () => undefined, at: time.clock.now() });
  const log = pino({ level: 'silent' });
  const timers = { ...time.timers, soon: systemTimers.soon };
  const app = createApp({
    host: '127.0.0.1',
    log,
    store,
    vault: testVault(store),
    clock: time.clock,
    timers,
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
  const api = apiOf(app.server, testKey);
  const { yaml_str } = (await api.get('/api/v1/workflows/millrace-hello/export/')).body as { yaml_str: string };
  expect((await api.post('/api/v1/workflows/import/', { yaml_str, slug: 'mine' })).status).toBe(201);
  const changeWorkflow = () => api.patch('/api/v1/workflows/mine/', { description: 'x'.repeat(9000) });
  const run = () => api.post('/api/v1/workflows/mine/execute/', { payload: { kind: 'x'.repeat(100_000) } });

  const accepted = await run();
  expect(accepted.status).toBe(200);
  // SQLite never uses a limit below the current size of the file, so 1 means: not a page more.
  connection.script('PRAGMA max_page_count = 1');
  for (const rejected of [await run(), await changeWorkflow()]) {
    expect(rejected.status).toBe(503);
    expect(rejected.body).toEqual({ detail: expect.stringContaining('its disk is full') });
    expect(rejected.headers['retry-after']).toBe('5');
  }
  expect((await api.get('/api/v1/workflows/mine/')).body).toMatchObject({
    description: expect.stringMatching(/^Answers/),
  });
  const health = await api.get('/health/');
  expect([health.status, health.body]).toEqual([
    503,
    expect.objectContaining({ status: 'unavailable', reason: expect.stringContaining('its disk is full') }),
  ]);

  app.runner.start();
  const status = async (): Promise<unknown> => {
    // Retries of the runner are due a second later each time.
    time.advance(3000);
    await new Promise((resolve) => setImmediate(resolve));
    const { body } = await api.get(`/api/v1/executions/${(accepted.body as { execution_id: string }).execution_id}/`);
    return (body as { status: unknown }).status;
  };
  expect(['pending', 'running']).toContain(await status());
  connection.script('PRAGMA max_page_count = 4294967294');
  await expect.poll(status).toBe('completed');
  expect((await run()).status).toBe(200);
});

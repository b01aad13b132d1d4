import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@millrace/core';
import { expect, onTestFinished, test } from 'vitest';
import type { Places } from '../../executions.ts';
import type { Store } from '../../store.ts';
import { claim, newExecution, newWorkflow, someTrigger } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

/** Reading the large payloads on the way to the small ones takes 10 times as long. */
const mostTimes = 4;

test('large payloads do not slow down accepting and claiming the runs beside them', async () => {
  const alone = await leastBeside('x');
  expect(await leastBeside('x'.repeat(8_000_000))).toBeLessThan(mostTimes * alone);
});

/** Of a process whose memory is full of large runs. */
const onlySmall: Places = {
  placesFor: () => Number.POSITIVE_INFINITY,
  lackedBy: (_owner, size) => (size > 262_144 ? 'memory' : null),
  take: () => undefined,
};

/** The least of three measurements: the thread that copies the log may work during one of them. */
async function leastBeside(payload: Json): Promise<number> {
  const first = await cpuMsBeside(payload);
  const second = await cpuMsBeside(payload);
  return Math.min(first, second, await cpuMsBeside(payload));
}

/** The processor time of accepting 100 small runs and claiming some, while 20 runs with this payload wait. */
async function cpuMsBeside(payload: Json): Promise<number> {
  const store = openStore();
  const workflow = await newWorkflow(store);
  for (let index = 0; index < 20; index += 1)
    await store.executions.accept(newExecution(workflow, { trigger: { ...someTrigger, payload } }));
  const before = process.cpuUsage();
  for (let index = 0; index < 100; index += 1) await store.executions.accept(newExecution(workflow));
  for (let count = 0; count < 3; count += 1)
    expect(await claim(store, { owner: `small ${count}`, limit: 8, places: onlySmall })).toHaveLength(8);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function openStore(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-triggers-'));
  const store = openSqliteStore({ path: join(folder, 'millrace.db') });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

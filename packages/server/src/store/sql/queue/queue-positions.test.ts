import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../store.ts';
import { appendOf, claim, completed, newExecution, newWorkflow, runningRun, start } from '../../testsuite/world.ts';
import { openSqliteStore } from '../sqlite.ts';

/** A store in a file, which a restart reopens. */
function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-turns-'));
  let store: Store = openSqliteStore({ path: join(folder, 'millrace.db') });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return {
    store: () => store,
    async restart(): Promise<void> {
      await store.close();
      store = openSqliteStore({ path: join(folder, 'millrace.db') });
    },
  };
}

const park = { status: 'waiting', at: start, until: null } as const;
const key = { frame: '', nodeId: 'w', stage: 'step' } as const;
const callback = { kind: 'callback', tokenHash: 'x', until: null } as const;

test('even after a restart, runs that have begun continue before those that have not', async () => {
  const { store, restart } = openFile();
  const workflow = await newWorkflow(store());
  for (let turns = 0; turns < 50; turns += 1) {
    await store().executions.append(appendOf(await runningRun(store(), workflow), [completed()]));
  }
  const [parked, released] = [await runningRun(store(), workflow), await runningRun(store(), workflow)];
  const paused = { kind: 'step_paused', at: start, ...key, attempt: 1, pause: callback } as const;
  await store().executions.append({ ...appendOf(parked, [paused]), park });
  await restart();
  // Accepted before any run continues: the positions after a restart begin with these.
  const other = await newWorkflow(store());
  for (let more = 0; more < 40; more += 1) await store().executions.accept(newExecution(other));
  await store().executions.recover();
  const answer = { kind: 'call', body: 1 } as const;
  await store().waits.answer({ executionId: parked.id, ...key, answer });
  const ids = (await claim(store(), { limit: 2 })).map(({ id }) => id);
  expect(ids).toEqual([parked.id, released.id]);
});

test('a run that continues does not put a new run before those that have waited longer', async () => {
  const { store, restart } = openFile();
  const busy = await newWorkflow(store());
  const begun = await runningRun(store(), busy);
  for (let turns = 0; turns < 9; turns += 1) {
    await store().executions.append(appendOf(await runningRun(store(), busy), [completed()]));
  }
  const first = newExecution(await newWorkflow(store()));
  await store().executions.accept(first);
  await store().executions.recover();
  await restart();
  const second = newExecution(await newWorkflow(store()));
  await store().executions.accept(second);
  expect((await claim(store())).map(({ id }) => id)).toEqual([begun.id, first.id, second.id]);
});

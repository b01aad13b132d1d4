import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Connection } from '../../src/store/sql/database/connection.ts';
import { noSync } from '../../src/store/sql/database/log/log-sync.ts';
import { migrate, sqliteMigrations } from '../../src/store/sql/database/migrate.ts';
import { storeOn } from '../../src/store/sql/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { PauseWorld } from './pause-world.ts';

/** Databases of earlier versions of the service, by their newest migration. */
const folder = join(import.meta.dirname, 'upgrades');
const recorded = readdirSync(folder);

/** Such a database, opened by the current service; in memory, so that the disk does not affect the duration. */
function upgraded(name: string): Store {
  const rows = readFileSync(join(folder, name), 'utf8');
  const [, list = ''] = /^-- migrations: ([\d, ]+)$/m.exec(rows) ?? [];
  const numbers = list.split(', ').map(Number);
  const steps = sqliteMigrations();
  const connection = new Connection(':memory:');
  migrate(
    connection,
    steps.filter(({ number }) => numbers.includes(number)),
  );
  connection.script(`PRAGMA foreign_keys = OFF; ${rows}; PRAGMA foreign_keys = ON;`);
  migrate(connection, steps);
  return storeOn(connection, { sync: noSync() });
}

test.each(recorded)('waiting and running runs survive the upgrade of %s, and end as they would have', async (name) => {
  const world = await PauseWorld.on(upgraded(name));
  onTestFinished(() => world.close());
  const ids = await world.executionIds();
  const before = await Promise.all(ids.map((id) => world.detail(id)));
  expect(new Set(before.map(({ status }) => status))).toEqual(new Set(['waiting', 'interrupted', 'running']));
  await world.store.executions.recover();
  world.startRunner();
  for (const { id, journal, workflowSlug } of before) {
    const after = await world.finish(id);
    expect([workflowSlug, after.status]).toEqual([workflowSlug, 'completed']);
    expect(after.finalOutput).toEqual(workflowSlug === 'child' ? 14 : 'done 3');
    expect(after.journal.slice(0, journal.length)).toEqual(journal);
    const ended = after.journal.flatMap(({ fact }) =>
      fact.kind === 'step_succeeded' ? [`${fact.frame} ${fact.nodeId}`] : [],
    );
    expect(ended).toEqual([...new Set(ended)]);
  }
});

test('values of state and the variables of runs survive the upgrade of 000057.sql', async () => {
  const world = await PauseWorld.on(upgraded('000057.sql'));
  onTestFinished(() => world.close());
  const workflow = await world.store.workflows.bySlug('timer');
  if (workflow === null) throw new Error('the workflow is gone');
  const shared = (key: string) => world.value(workflow, { scope: 'tests', key });
  expect([await shared('count'), await shared('list')]).toEqual([4, null]);
  await world.store.executions.recover();
  world.startRunner();
  for (const id of await world.executionIds()) await world.finish(id);
  // No run counts again, and each still reads the value that the variable had when the run started.
  expect([await shared('count'), await shared('list')]).toEqual([4, Array(4).fill('hello 3')]);
  expect(await world.value(workflow, { scope: null, key: 'own' })).toBe('hello');
  const visible = { workflowId: workflow.id, name: 'greeting' };
  expect(await world.store.variables.sealedFor(visible)).toMatchObject({ value: 'changed' });
});

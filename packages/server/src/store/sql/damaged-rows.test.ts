import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { appendOf, claim, newExecution, newWorkflow, start } from '../testsuite/world.ts';
import { Connection } from './connection.ts';
import { noSync } from './log-sync.ts';
import { migrate, sqliteMigrations } from './migrate.ts';
import { storeOn } from './sqlite.ts';

describe('one damaged row keeps no other from going on', () => {
  let connection: Connection;
  let store: Store;
  beforeEach(() => {
    connection = new Connection(':memory:');
    migrate(connection, sqliteMigrations());
    store = storeOn(connection, { sync: noSync(), log: { error: () => undefined } });
  });
  afterEach(() => store.close());

  test('a run whose trigger cannot be read is claimed, and says so', async () => {
    const workflow = await newWorkflow(store);
    const [broken, whole] = [newExecution(workflow), newExecution(workflow)];
    for (const run of [broken, whole]) await store.executions.accept(run);
    connection.script(`UPDATE triggers SET payload = '{' WHERE execution_id = '${broken.id}'`);
    const claimed = await claim(store);
    expect(claimed.map(({ id, damage: why }) => [id, why?.lastSeq])).toEqual([
      [broken.id, 0],
      [whole.id, undefined],
    ]);
  });

  test('a wait whose pause cannot be read ends with its time, as all others do', async () => {
    const workflow = await newWorkflow(store);
    const runs = [newExecution(workflow), newExecution(workflow)];
    for (const run of runs) await store.executions.accept(run);
    for (const run of await claim(store)) {
      const pause = { kind: 'timer', until: start + 1000 } as const;
      const paused = {
        kind: 'step_paused',
        nodeId: 'n',
        frame: '',
        attempt: 1,
        at: start,
        stage: 'step',
        pause,
      } as const;
      await store.executions.append({ ...appendOf(run, [paused]), park: { status: 'waiting', until: null } });
    }
    connection.script(`UPDATE waits SET pause = '{' WHERE execution_id = '${runs[0]?.id}'`);
    expect(await store.waits.wakeDue({ now: start + 5000, limit: 100 })).toBe(2);
    expect((await claim(store)).map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
  });
});

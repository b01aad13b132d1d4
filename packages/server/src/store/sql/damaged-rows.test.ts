import { nodeConfig } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { everySoMany } from '../testsuite/schedules.testsuite.ts';
import { appendOf, claim, newExecution, newWorkflow, nodeFields, start } from '../testsuite/world.ts';
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
    store = storeOn(connection, { sync: noSync(), log: { error: () => undefined }, readTimetable: everySoMany });
  });
  afterEach(() => store.close());

  test('a run whose trigger cannot be read is claimed, and says so', async () => {
    const workflow = await newWorkflow(store);
    const [broken, whole] = [newExecution(workflow), newExecution(workflow)];
    for (const run of [broken, whole]) await store.executions.accept(run);
    connection.script(`UPDATE triggers SET payload = '{' WHERE execution_id = '${broken.id}'`);
    const claimed = await claim(store);
    expect(claimed.map(({ id, damage }) => [id, damage !== undefined])).toEqual([
      [broken.id, true],
      [whole.id, false],
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

  test('a run with moments that cannot be read is claimed, and those beside it', async () => {
    const workflow = await newWorkflow(store);
    const runs = [newExecution(workflow), newExecution(workflow)];
    for (const run of runs) await store.executions.accept(run);
    await claim(store);
    await store.executions.release({ owner: 'a' });
    connection.script(`UPDATE executions SET lease_until = '{', accepted_at = '{' WHERE id = '${runs[0]?.id}'`);
    await store.executions.recover();
    expect((await claim(store)).map(({ id }) => id).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
  });

  test('a schedule whose times cannot be read says so, and all others are armed', async () => {
    const workflow = await newWorkflow(store);
    const config = nodeConfig.parse({ extra_config: { interval_seconds: 60 } });
    const fields = (nodeId: string) => ({ ...nodeFields(nodeId), componentType: 'trigger_schedule', config });
    const changes = ['broken', 'whole'].map((nodeId) => ({ kind: 'create_node', node: fields(nodeId) }) as const);
    await store.graphs.save({ workflowId: workflow.id, baseVersion: 1, changes, at: start });
    const [broken, whole] = await store.schedules.ofWorkflow(workflow.id);
    connection.script(`UPDATE schedules SET timing = '{' WHERE node_id = ${broken?.id}`);
    await store.schedules.replan({ now: start, afterId: 0, limit: 100 });
    expect(await store.schedules.ofWorkflow(workflow.id)).toEqual([
      { ...broken, nextFireAt: null, error: expect.stringContaining('is damaged') },
      whole,
    ]);
  });

  test('a node whose config cannot be read is named, rather than taken for another', async () => {
    const workflow = await newWorkflow(store);
    const changes = [{ kind: 'create_node', node: nodeFields('a') } as const];
    await store.graphs.save({ workflowId: workflow.id, baseVersion: 1, changes, at: start });
    connection.script(`UPDATE nodes SET config = '[]' WHERE workflow_id = ${workflow.id}`);
    await expect(store.graphs.load(workflow.id)).rejects.toMatchObject({
      code: 'data_damaged',
      message: expect.stringContaining("The config of node 'a' is damaged"),
    });
  });
});

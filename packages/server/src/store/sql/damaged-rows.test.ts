import { nodeConfig } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pruning, RunPlace } from '../retention.ts';
import type { Store } from '../store.ts';
import { everySoMany } from '../testsuite/schedules.testsuite.ts';
import { appendOf, claim, newExecution, newWorkflow, nodeFields, start } from '../testsuite/world.ts';
import { Connection } from './database/connection.ts';
import { noSync } from './database/log/log-sync.ts';
import { migrate, sqliteMigrations } from './database/migrate.ts';
import { storeOn } from './sqlite.ts';

let connection: Connection;
let store: Store;
beforeEach(() => {
  connection = new Connection(':memory:');
  migrate(connection, sqliteMigrations());
  store = storeOn(connection, { sync: noSync(), log: { error: () => undefined }, readTimetable: everySoMany });
});
afterEach(() => store.close());

describe('one damaged row does not block others', () => {
  test('a run whose trigger cannot be read is claimed, with the reason', async () => {
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

  test('a wait whose pause cannot be read still ends at its time', async () => {
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

  test('a run whose times cannot be read is claimed, and so are the others', async () => {
    const workflow = await newWorkflow(store);
    const runs = [newExecution(workflow), newExecution(workflow)];
    for (const run of runs) await store.executions.accept(run);
    await claim(store);
    await store.executions.release({ owner: 'a' });
    connection.script(`UPDATE executions SET lease_until = '{', accepted_at = '{' WHERE id = '${runs[0]?.id}'`);
    await store.executions.recover();
    expect((await claim(store)).map(({ id }) => id).toSorted()).toEqual(runs.map(({ id }) => id).toSorted());
  });
});

describe('an object that would behave differently without its config is not read without it', () => {
  test('a node whose config cannot be read is named in the error', async () => {
    const workflow = await newWorkflow(store);
    const changes = [{ kind: 'create_node', node: nodeFields('a') } as const];
    await store.graphs.save({ workflowId: workflow.id, baseVersion: 1, changes, at: start });
    connection.script(`UPDATE nodes SET config = '[]' WHERE workflow_id = ${workflow.id}`);
    await expect(store.graphs.load(workflow.id)).rejects.toMatchObject({
      code: 'data_damaged',
      message: expect.stringContaining("The config of node 'a' is damaged"),
    });
  });

  test('a version whose graph cannot be read is named in the error', async () => {
    const workflow = await newWorkflow(store);
    await store.executions.accept(newExecution(workflow));
    connection.script("UPDATE workflow_versions SET graph = '{'");
    await expect(store.graphs.pinned({ workflowId: workflow.id, version: workflow.version })).rejects.toMatchObject({
      code: 'data_damaged',
      message: expect.stringContaining('Version 1 of the workflow is damaged'),
    });
  });
});

describe('a damaged time is not processed in an endless loop', () => {
  test('a schedule whose times cannot be read reports it, and all others are armed', async () => {
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

  test.each([
    '{',
    '',
    '2026-01-0x',
    '9',
  ])('a wait whose time is %j ends, and processing the waits terminates', async (time) => {
    const workflow = await newWorkflow(store);
    const run = newExecution(workflow);
    await store.executions.accept(run);
    for (const claimed of await claim(store)) {
      const pause = { kind: 'timer', until: start + 9000 } as const;
      const paused = {
        kind: 'step_paused',
        nodeId: 'n',
        frame: '',
        attempt: 1,
        at: start,
        stage: 'step',
        pause,
      } as const;
      await store.executions.append({ ...appendOf(claimed, [paused]), park: { status: 'waiting', until: null } });
    }
    connection.script(`UPDATE waits SET wake_at = '${time}'`);
    expect(await store.waits.wakeDue({ now: start, limit: 100 })).toBe(1);
    expect(await store.waits.nextDue()).toBeNull();
  });

  test.each([
    '{',
    '',
    '2026-01-0x',
    '9',
  ])('a schedule whose next time is %j gets a new one when it should fire', async (time) => {
    const workflow = await newWorkflow(store);
    const config = nodeConfig.parse({ extra_config: { interval_seconds: 60 } });
    const node = { ...nodeFields('tick'), componentType: 'trigger_schedule', config };
    await store.graphs.save({
      workflowId: workflow.id,
      baseVersion: 1,
      changes: [{ kind: 'create_node', node }],
      at: start,
    });
    const [whole] = await store.schedules.ofWorkflow(workflow.id);
    connection.script(`UPDATE schedules SET next_fire_at = '${time}'`);
    const [due] = await store.schedules.due({ now: start, limit: 10 });
    if (due === undefined) throw new Error('it is not due');
    const firing = {
      id: due.id,
      dueAt: due.dueAt,
      lastDueAt: due.dueAt,
      now: start,
      runs: [],
      rejected: 0,
      error: null,
    };
    expect(await store.schedules.fire({ ...firing, overlap: 'skip' })).toBe('lost');
    expect(await store.schedules.ofWorkflow(workflow.id)).toEqual([whole]);
    expect(await store.schedules.due({ now: start, limit: 10 })).toEqual([]);
  });

  test('pruning old runs terminates when one has a time that cannot be read', async () => {
    const workflow = await newWorkflow(store);
    const runs = [newExecution(workflow), newExecution(workflow)];
    for (const run of runs) await store.executions.accept(run);
    connection.script(`UPDATE executions SET accepted_at = '{' WHERE id = '${runs[0]?.id}'`);
    let rounds = 0;
    let after: RunPlace | null = null;
    const limits = { endedBefore: start + 1, excess: 0, recentSince: 0, keysSince: 0, limit: 1 };
    do {
      const pruning: Pruning = { workflowId: workflow.id, ...limits, after };
      after = (await store.retention.prune(pruning)).next;
      rounds += 1;
    } while (after !== null && rounds < 10);
    expect(rounds).toBe(2);
  });
});

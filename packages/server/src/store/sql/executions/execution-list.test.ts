import type { ExecutionStatus, Workflow } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../store.ts';
import { claim, newExecution, newUser, newWorkflow, start } from '../../testsuite/world.ts';
import { Connection } from '../database/connection.ts';
import { noSync } from '../database/log/log-sync.ts';
import { migrate, sqliteMigrations } from '../database/migrate.ts';
import { storeOn } from '../sqlite.ts';

/** Counts the rows of each read that lists perform. */
class CountingConnection extends Connection {
  readonly reads: number[] = [];

  override all<Row>(sql: string, params: readonly unknown[]): Row[] {
    const rows = super.all<Row>(sql, params);
    this.reads.push(rows.length);
    return rows;
  }
}

describe('with very many open runs', () => {
  let connection: CountingConnection;
  let store: Store;
  let workflow: Workflow;
  beforeEach(async () => {
    connection = new CountingConnection(':memory:');
    migrate(connection, sqliteMigrations());
    store = storeOn(connection, { sync: noSync() });
    workflow = await newWorkflow(store);
  });
  afterEach(() => store.close());

  /** Accepts runs a millisecond apart, oldest first. */
  async function accept(of: Workflow, count: number, from = start): Promise<readonly string[]> {
    const runs = Array.from({ length: count }, (_, index) => newExecution(of, { at: from + index }));
    await Promise.all(runs.map((run) => store.executions.accept(run)));
    return runs.map(({ id }) => id);
  }

  async function end(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => store.executions.cancel({ id, at: start })));
  }

  async function list(visibleTo: number, status: ExecutionStatus, more: { offset?: number; since?: number } = {}) {
    connection.reads.length = 0;
    const { items, total } = await store.executions.list({ visibleTo, status, limit: 3, offset: 0, ...more });
    return { found: items.map(({ id }) => id), total, looks: [...connection.reads] };
  }

  test('no read of a list examines more than a slice of them, and no more are read than the page needs', async () => {
    const ids = await accept(workflow, 1600);
    const newest = ids.slice(-3).toReversed();
    expect(await list(workflow.ownerId, 'pending')).toEqual({ found: newest, total: 1600, looks: [500] });
    const far = await list(workflow.ownerId, 'pending', { offset: 1500 });
    expect(far).toEqual({ found: ids.slice(97, 100).toReversed(), total: 1600, looks: [500, 500, 500, 100] });
    expect((await list(workflow.ownerId, 'pending', { since: start + 1598 })).found).toEqual(newest.slice(0, 2));
  });

  test('the same holds for each shared workflow', async () => {
    const { id: userId } = await newUser(store);
    const other = await newWorkflow(store);
    for (const { id: workflowId } of [workflow, other]) {
      await store.collaborators.insert({ workflowId, userId, role: 'viewer', at: start });
    }
    const [first, second] = [await accept(workflow, 800), await accept(other, 800)];
    const { looks, ...page } = await list(userId, 'pending');
    expect(page).toEqual({ found: [second.at(-1), first.at(-1), second.at(-2)], total: 1600 });
    expect(looks).toEqual([500, 500]);
  });

  test('an old run is found behind the ended ones, and the search stops there', async () => {
    const other = await newWorkflow(store);
    const [oldest = ''] = await accept(workflow, 1);
    await end(await accept(workflow, 700, start + 1));
    await accept(other, 1100);
    expect(await list(workflow.ownerId, 'pending')).toEqual({ found: [oldest], total: 1, looks: [500, 201] });
    await end([oldest]);
    expect(await list(workflow.ownerId, 'pending')).toEqual({ found: [], total: 0, looks: [] });
  });

  test('a running run is found without reading the ended ones, however many are pending', async () => {
    const [oldest = ''] = await accept(workflow, 1);
    await claim(store, { limit: 1 });
    await end(await accept(workflow, 700, start + 1));
    await accept(await newWorkflow(store), 1100);
    const found = { found: [oldest], total: 1, looks: [1] };
    expect(await list(workflow.ownerId, 'running')).toEqual(found);
    // As after a restart of the service, which recounts them.
    store = storeOn(connection, { sync: noSync() });
    expect(await list(workflow.ownerId, 'running')).toEqual(found);
  });

  test('a pending run is found in the same way, however many are running', async () => {
    await accept(await newWorkflow(store), 1100);
    await claim(store, { limit: 1100 });
    const [oldest = ''] = await accept(workflow, 1);
    await end(await accept(workflow, 700, start + 1));
    expect(await list(workflow.ownerId, 'pending')).toEqual({ found: [oldest], total: 1, looks: [1] });
  });

  test('a few are read at once, with the index of open runs', async () => {
    const ids = await accept(workflow, 700);
    await end(ids.slice(0, 690));
    const found = ids.slice(-3).toReversed();
    expect(await list(workflow.ownerId, 'pending')).toEqual({ found, total: 10, looks: [3] });
  });
});

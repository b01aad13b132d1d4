import { Problem, type Workflow } from '@millrace/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GraphChange, GraphStore } from '../../store/graphs.ts';
import { openSqliteStore } from '../../store/sql/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createGraphs, type Graphs } from './graphs.ts';

const clock = { now: () => 1_000 };

const fields = {
  name: 'Test',
  description: '',
  isActive: true,
  isPublic: false,
  isDefault: false,
  mcp: false,
  budget: null,
  tags: null,
  errorHandlerWorkflowId: null,
  inputSchema: null,
  outputSchema: null,
  maxExecutionSeconds: 900,
  concurrency: null,
  concurrencyKey: null,
  priority: 0,
};

interface World {
  readonly store: Store;
  readonly graphs: Graphs;
  readonly workflow: Workflow;
  /** How many graphs were read from the store. */
  readonly loads: () => number;
  /** The current row of the workflow. */
  readonly row: () => Promise<Workflow>;
}

async function start(): Promise<World> {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const owner = await store.users.insert({ username: 'owner', isAdmin: false, at: 0 });
  const workflow = await store.workflows.insert({ ...fields, slug: 'wf', ownerId: owner?.id ?? 0, at: 0 });
  if (workflow === 'slug_taken') throw new Error('the slug is taken');
  let loads = 0;
  const counted: GraphStore = {
    ...store.graphs,
    load: (id) => {
      loads += 1;
      return store.graphs.load(id);
    },
  };
  const row = async (): Promise<Workflow> => (await store.workflows.byId(workflow.id)) ?? workflow;
  return { store, graphs: createGraphs({ ...store, graphs: counted }, clock), workflow, loads: () => loads, row };
}

function edgeTo(targetNodeId: string): GraphChange {
  const rest = { edgeType: 'direct', edgeLabel: '', conditionMapping: null, conditionValue: '', priority: 0 } as const;
  return { kind: 'create_edge', edge: { sourceNodeId: 'a', targetNodeId, ...rest } };
}

describe('a cached graph', () => {
  it('is read once while its version is the same', async () => {
    const { graphs, workflow, loads } = await start();
    const first = await graphs.current(workflow);
    expect(await graphs.current(workflow)).toBe(first);
    expect(loads()).toBe(1);
  });

  it('equals the stored one after every edit, without reading it again', async () => {
    const { store, graphs, workflow, loads, row } = await start();
    for (const name of ['b', 'c', 'd']) await graphs.edit(workflow, () => [edgeTo(name)]);
    const [first, second] = (await graphs.current(await row())).edges;
    if (first === undefined || second === undefined) throw new Error('edges are missing');
    await graphs.edit(workflow, () => [
      { kind: 'update_edge', id: first.id, edge: { ...first, priority: 5 } },
      { kind: 'delete_edge', id: second.id },
    ]);
    expect(await graphs.current(await row())).toEqual(await store.graphs.load(workflow.id));
    expect(loads()).toBe(1);
  });

  it('is read again if the row has a newer version, after a change by another process', async () => {
    const { store, graphs, workflow, row } = await start();
    await graphs.current(workflow);
    await store.graphs.save({ workflowId: workflow.id, baseVersion: workflow.version, changes: [edgeTo('b')], at: 5 });
    expect((await graphs.current(await row())).edges).toHaveLength(1);
  });

  it('of a deleted workflow is not found', async () => {
    const { store, graphs, workflow } = await start();
    await store.workflows.remove({ ids: [workflow.id], at: 5 });
    await expect(graphs.current(workflow)).rejects.toMatchObject({ code: 'not_found', detail: 'Workflow not found.' });
  });
});

describe('the effective graph', () => {
  it('is the published one, also for a row that was read before the publication and later edits', async () => {
    const { store, graphs, workflow, row } = await start();
    await graphs.edit(workflow, () => [edgeTo('b')]);
    const before = await row();
    await store.workflows.publish({ id: workflow.id, version: 2, authorId: null, note: null, at: 5 });
    await graphs.edit(workflow, () => [edgeTo('c')]);
    expect((await graphs.effective(before)).version).toBe(2);
    const published = await graphs.effective(await row());
    expect([published.version, published.edges.length]).toEqual([2, 1]);
    expect(await graphs.effective(await row())).toBe(published);
    expect((await graphs.current(await row())).version).toBe(3);
  });

  it('for a row from before a rollback is the one that is published now', async () => {
    const { store, graphs, workflow, row } = await start();
    await graphs.edit(workflow, () => [edgeTo('b')]);
    const before = await row();
    await graphs.edit(workflow, () => [edgeTo('c')]);
    await store.workflows.publish({ id: workflow.id, version: 1, authorId: null, note: null, at: 5 });
    expect((await graphs.effective(before)).version).toBe(1);
  });
});

describe('an edit', () => {
  it('of a graph that changed meanwhile is planned again on the newer graph', async () => {
    const { store, graphs, workflow } = await start();
    await graphs.current(workflow);
    await store.graphs.save({ workflowId: workflow.id, baseVersion: workflow.version, changes: [edgeTo('b')], at: 5 });
    const seen: number[] = [];
    await graphs.edit(workflow, ({ edges }) => {
      seen.push(edges.length);
      return [edgeTo('c')];
    });
    expect(seen).toEqual([0, 1]);
  });

  it('fails with a conflict if the graph changed meanwhile at every attempt', async () => {
    const { store, workflow } = await start();
    const never = { ...store.graphs, save: async () => 'stale' as const };
    const edit = createGraphs({ ...store, graphs: never }, clock).edit(workflow, () => [edgeTo('b')]);
    await expect(edit).rejects.toMatchObject({ code: 'conflict' });
  });

  it('waits for the one before it, also if that one fails', async () => {
    const { graphs, workflow } = await start();
    const failing = graphs.edit(workflow, () => {
      throw new Problem('invalid', 'no');
    });
    const seen: number[] = [];
    const others = ['b', 'c', 'd'].map((name) =>
      graphs.edit(workflow, ({ edges }) => {
        seen.push(edges.length);
        return [edgeTo(name)];
      }),
    );
    await expect(failing).rejects.toThrow('no');
    await Promise.all(others);
    expect(seen).toEqual([0, 1, 2]);
  });

  it('without changes stores nothing', async () => {
    const { graphs, workflow, row } = await start();
    expect(await graphs.edit(workflow, () => [])).toEqual({ version: workflow.version, saved: [] });
    expect((await row()).version).toBe(workflow.version);
  });
});

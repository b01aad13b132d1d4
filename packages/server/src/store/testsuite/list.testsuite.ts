import type { Workflow } from '@millrace/core';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ExecutionFilter } from '../executions.ts';
import type { Store } from '../store.ts';
import { appendOf, claim, completed, failed, newExecution, newWorkflow, start, stepSucceeded } from './world.ts';

/** Tests of lists of runs. */
export function listSentences(store: () => Store): void {
  describe('by filters', () => filterSentences(store));
  describe('by text', () => searchSentences(store));
  describe('beside other work', () => patienceSentences(store));
}

/** Accepts runs one millisecond apart, oldest first, and returns their ids. */
async function acceptAll(store: Store, workflow: Workflow, payloads: readonly string[]): Promise<string[]> {
  const accepts = payloads.map((payload, index) =>
    store.executions.accept(newExecution(workflow, { at: start + index, trigger: { payload, text: '' } })),
  );
  return (await Promise.all(accepts)).map(({ id }) => id);
}

type Filter = Omit<ExecutionFilter, 'visibleTo' | 'limit' | 'offset'> & { limit?: number; offset?: number };

function filterSentences(store: () => Store): void {
  let workflow: Workflow;
  let other: Workflow;
  let ids: readonly string[];
  const list = async (filter: Filter = {}) => {
    const page = await store().executions.list({ limit: 50, offset: 0, ...filter, visibleTo: workflow.ownerId });
    return { found: page.items.map(({ id }) => ids.indexOf(id)), total: page.total };
  };

  // In the owner's two workflows: 0 completed, 1 failed, 2 running, 3 pending; in the other, 4 is pending. 5 belongs to
  // another user.
  beforeEach(async () => {
    workflow = await newWorkflow(store());
    other = await newWorkflow(store(), { ownerId: workflow.ownerId });
    const own = await acceptAll(store(), workflow, ['a', 'b', 'c', 'd']);
    const claimed = await claim(store(), { limit: 3 });
    const ends = [completed(), failed('No answer.')];
    await Promise.all(
      ends.map((end, index) => {
        const run = claimed[index];
        return run && store().executions.append(appendOf(run, [end]));
      }),
    );
    const { id: last } = await store().executions.accept(newExecution(other, { at: start + 4 }));
    const { id: foreign } = await store().executions.accept(newExecution(await newWorkflow(store())));
    ids = [...own, last, foreign];
  });

  test("all runs of the owner's workflows, newest first", async () => {
    expect(await list()).toEqual({ found: [4, 3, 2, 1, 0], total: 5 });
  });

  test('page by page, with the same total', async () => {
    expect(await list({ limit: 2, offset: 1 })).toEqual({ found: [3, 2], total: 5 });
    expect(await list({ limit: 2, offset: 5 })).toEqual({ found: [], total: 5 });
    expect(await list({ since: start, limit: 2, offset: 1 })).toEqual({ found: [3, 2], total: 5 });
  });

  test('each as it is read on its own', async () => {
    const { items } = await store().executions.list({ visibleTo: workflow.ownerId, limit: 50, offset: 0 });
    for (const run of items) expect(run).toEqual(await store().executions.byId(run.id));
  });

  test('of one workflow', async () => {
    expect(await list({ workflowId: workflow.id })).toEqual({ found: [3, 2, 1, 0], total: 4 });
    expect(await list({ workflowId: other.id })).toEqual({ found: [4], total: 1 });
    expect(await list({ workflowId: other.id + 100 })).toEqual({ found: [], total: 0 });
  });

  test('of one status', async () => {
    expect(await list({ status: 'completed' })).toEqual({ found: [0], total: 1 });
    expect(await list({ status: 'failed' })).toEqual({ found: [1], total: 1 });
    expect(await list({ status: 'running' })).toEqual({ found: [2], total: 1 });
    expect(await list({ status: 'pending' })).toEqual({ found: [4, 3], total: 2 });
    expect(await list({ status: 'pending', workflowId: workflow.id })).toEqual({ found: [3], total: 1 });
    expect(await list({ status: 'waiting' })).toEqual({ found: [], total: 0 });
  });

  test('of a period, both ends included', async () => {
    expect(await list({ since: start + 1, until: start + 3 })).toEqual({ found: [3, 2, 1], total: 3 });
    expect(await list({ since: start + 3, status: 'pending' })).toEqual({ found: [4, 3], total: 2 });
    expect(await list({ until: start - 1 })).toEqual({ found: [], total: 0 });
  });

  test('a removed workflow keeps its history in the list of its owner', async () => {
    await store().workflows.remove({ ids: [workflow.id], at: start });
    expect(await list({ status: 'cancelled' })).toEqual({ found: [3], total: 1 });
    expect((await list()).total).toBe(5);
  });

  test('a deleted run is removed from list and total', async () => {
    await store().executions.remove({ ids: ids.slice(0, 2), removableBy: workflow.ownerId });
    expect(await list()).toEqual({ found: [4, 3, 2], total: 3 });
    expect(await list({ status: 'failed' })).toEqual({ found: [], total: 0 });
  });
}

function searchSentences(store: () => Store): void {
  let workflow: Workflow;
  let ids: readonly string[];
  const payloads = ['Plain ASCII', '100%_sure', 'say "hi"\\n', 'Änne ÉTÉ', 'nothing'];
  const find = async (q: string) => {
    const page = await store().executions.list({ visibleTo: workflow.ownerId, q, limit: 50, offset: 0 });
    expect(page.total).toBe(page.items.length);
    return page.items.map(({ id }) => ids.indexOf(id));
  };
  beforeEach(async () => {
    workflow = await newWorkflow(store());
    ids = await acceptAll(store(), workflow, payloads);
  });

  test('text is found in payloads, case-insensitively', async () => {
    expect(await find('plain ascii')).toEqual([0]);
    expect(await find('ÄNNE été')).toEqual([3]);
    expect(await find('I')).toEqual([4, 2, 0]);
  });

  test('characters with a meaning in patterns or JSON match only themselves', async () => {
    expect(await find('%')).toEqual([1]);
    expect(await find('_')).toEqual([1]);
    expect(await find('0%_s')).toEqual([1]);
    expect(await find('"hi"')).toEqual([2]);
    expect(await find('\\n')).toEqual([2]);
    expect(await find('!')).toEqual([]);
  });

  test('text is found in errors, in outputs and in the text of a trigger', async () => {
    const [first, second] = await claim(store());
    if (first === undefined || second === undefined) throw new Error('nothing was claimed');
    await store().executions.append(appendOf(first, [stepSucceeded('a', { reply: 'needle' }), failed('No hay.')]));
    await store().executions.append(appendOf(second, [completed({ found: 'Needle' })]));
    const trigger = { payload: null, text: 'a NEEDLE of its own' };
    ids = [...ids, (await store().executions.accept(newExecution(workflow, { at: start + 9, trigger }))).id];
    expect(await find('needle')).toEqual([5, 1, 0]);
    expect(await find('no hay')).toEqual([0]);
  });

  test('text can be combined with the other filters', async () => {
    const filter = {
      visibleTo: workflow.ownerId,
      limit: 1,
      offset: 1,
      q: 'i',
      since: start,
      status: 'pending',
    } as const;
    const page = await store().executions.list(filter);
    expect(page.items.map(({ id }) => ids.indexOf(id))).toEqual([2]);
    expect(page.total).toBe(3);
  });

  test('a search covers a long history completely', async () => {
    const many = Array.from({ length: 1203 }, (_, index) => (index % 3 === 0 ? 'hit' : 'miss'));
    ids = await acceptAll(store(), workflow, many);
    const filter = { visibleTo: workflow.ownerId, q: 'hit', limit: 2, offset: 399 };
    const page = await store().executions.list(filter);
    expect(page.total).toBe(401);
    expect(page.items.map(({ id }) => ids.indexOf(id))).toEqual([3, 0]);
  });
}

function patienceSentences(store: () => Store): void {
  let workflow: Workflow;
  beforeEach(async () => {
    workflow = await newWorkflow(store());
  });

  /** Lists runs, accepts a run of `workflow` meanwhile, and returns which of the two completed first. */
  async function listBesideAccept(filter: Partial<ExecutionFilter>) {
    const order: string[] = [];
    const list = store().executions.list({ visibleTo: workflow.ownerId, limit: 2, offset: 0, ...filter });
    const accept = store().executions.accept(newExecution(workflow, { at: start + 9999 }));
    await Promise.all([list.then(() => order.push('list')), accept.then(() => order.push('accept'))]);
    return { order, page: await list };
  }

  test('a search of many runs lets other calls through', async () => {
    const payloads = Array.from({ length: 3003 }, () => 'miss');
    await acceptAll(store(), workflow, payloads);
    expect((await listBesideAccept({ q: 'hit' })).order).toEqual(['accept', 'list']);
  });

  test('a search of a few large runs lets other calls through', async () => {
    const large = 'ä'.repeat(1_000_000);
    const payloads = Array.from({ length: 20 }, () => large);
    await acceptAll(store(), workflow, payloads);
    expect((await listBesideAccept({ q: 'höt' })).order).toEqual(['accept', 'list']);
  });

  test('a far page of a list with shared runs lets other calls through, and a page past the end is empty', async () => {
    const { ownerId } = workflow;
    const shared = await newWorkflow(store());
    await store().collaborators.insert({ workflowId: shared.id, userId: ownerId, role: 'viewer', at: start });
    const [oldest] = await acceptAll(store(), workflow, ['mine']);
    const payloads = Array.from({ length: 3003 }, () => 'theirs');
    await acceptAll(store(), shared, payloads);
    const { order, page } = await listBesideAccept({ offset: 3003 });
    expect(order).toEqual(['accept', 'list']);
    expect(page.items.map(({ id }) => id)).toEqual([oldest]);
    const past = { visibleTo: ownerId, limit: 2, offset: 2 ** 31 };
    expect(await store().executions.list(past)).toEqual({ items: [], total: 3005 });
  });
}

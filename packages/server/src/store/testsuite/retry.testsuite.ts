import type { ChildPaused } from '@millrace/core';
import { expect, test } from 'vitest';
import type { ClaimedRun, NewExecution, RetriedRun } from '../executions.ts';
import type { Store } from '../store.ts';
import {
  appendOf,
  claim,
  completed,
  failed,
  listen,
  newExecution,
  newWorkflow,
  runningRun,
  start,
  stepSucceeded,
} from './world.ts';

/** Retries a failed run alone. */
function retryOfRun(id: string, fields: Partial<RetriedRun> = {}): Parameters<Store['executions']['retry']>[0] {
  return { runs: [{ id, status: 'failed', afterSeq: 1, revoked: [1], paused: [], ...fields }], at: start + 50 };
}

/** A run whose step waited for another one, where both failed. */
async function failedFamily(store: Store): Promise<{ readonly parent: ClaimedRun; readonly child: NewExecution }> {
  const parent = await runningRun(store, await newWorkflow(store));
  const child = newExecution(await newWorkflow(store), { parent: { executionId: parent.id, depth: 1 } });
  await store.executions.append({ ...appendOf(parent, [waitsFor(child)]), starts: [child] });
  const claimed = await claimedOne(store, child.id);
  await store.executions.append(appendOf(claimed, [failed('No.')]));
  await store.executions.append(appendOf(parent, [failed('The other one failed.')], 1));
  return { parent, child };
}

async function claimedOne(store: Store, id: string): Promise<ClaimedRun> {
  const run = (await claim(store)).find((claimed) => claimed.id === id);
  if (run === undefined) throw new Error('the run was not claimed');
  return run;
}

function waitsFor({ id }: NewExecution): ChildPaused {
  const pause = { kind: 'child', executionId: id, workflow: 'other', until: null } as const;
  return { kind: 'step_paused', nodeId: 'call', frame: '', stage: 'step', at: start, attempt: 1, pause };
}

function childSentences(store: () => Store): void {
  const retryOfBoth = ({ parent, child }: Awaited<ReturnType<typeof failedFamily>>) => {
    const { runs, at } = retryOfRun(parent.id, { afterSeq: 2, revoked: [1, 2], paused: [waitsFor(child)] });
    return { runs: [...runs, ...retryOfRun(child.id).runs], at };
  };

  test('a run continues together with the one that it waits for again', async () => {
    const family = await failedFamily(store());
    const { parent, child } = family;
    expect(await store().executions.retry(retryOfBoth(family))).toBe('pending');
    const runs = await claim(store());
    expect(runs.map(({ id, journal }) => [id, journal.slice(-2).map(({ fact }) => fact.kind)])).toEqual([
      [parent.id, ['run_retried', 'step_paused']],
      [child.id, ['run_finished', 'run_retried']],
    ]);
    expect(await store().waits.open(parent.id)).toMatchObject([{ nodeId: 'call', pause: { executionId: child.id } }]);
    const claimed = runs.find(({ id }) => id === child.id);
    if (claimed !== undefined) await store().executions.append(appendOf(claimed, [completed(8)], 2));
    expect(await store().waits.answers(parent.id)).toMatchObject([{ answer: { status: 'completed', output: 8 } }]);
  });

  test('a run that it waits for again and that has completed meanwhile answers it at once', async () => {
    const { parent, child } = await failedFamily(store());
    await store().executions.retry(retryOfRun(child.id));
    await store().executions.append(appendOf(await claimedOne(store(), child.id), [completed(8)], 2));
    const retry = retryOfRun(parent.id, { afterSeq: 2, revoked: [1, 2], paused: [waitsFor(child)] });
    expect(await store().executions.retry(retry)).toBe('pending');
    expect(await store().waits.answers(parent.id)).toMatchObject([{ answer: { status: 'completed', output: 8 } }]);
  });

  test.each([
    ['has gone on meanwhile', (child: NewExecution) => store().executions.retry(retryOfRun(child.id))],
    [
      'was deleted meanwhile',
      async (child: NewExecution) => {
        const run = await store().executions.byId(child.id);
        await store().executions.remove({ ids: [child.id], removableBy: run?.ownerId ?? 0 });
      },
    ],
  ])('neither continues if the one that is waited for %s', async (_how, meanwhile) => {
    const family = await failedFamily(store());
    await meanwhile(family.child);
    expect(await store().executions.retry(retryOfBoth(family))).toBe('changed');
    expect(await store().executions.byId(family.parent.id)).toMatchObject({ status: 'failed' });
    expect(await store().waits.open(family.parent.id)).toEqual([]);
  });

  test('a run does not continue while the one that it waits for is being cancelled', async () => {
    const { parent, child } = await failedFamily(store());
    await store().executions.retry(retryOfRun(child.id));
    await claimedOne(store(), child.id);
    await store().executions.cancel({ id: child.id, at: start });
    const retry = retryOfRun(parent.id, { afterSeq: 2, revoked: [1, 2], paused: [waitsFor(child)] });
    expect(await store().executions.retry(retry)).toBe('stopping');
    expect(await store().executions.byId(parent.id)).toMatchObject({ status: 'failed' });
  });

  test('a run that was cancelled continues with the one that waits for it, although its workflow was at its limit', async () => {
    const parent = await runningRun(store(), await newWorkflow(store()));
    const full = await newWorkflow(store(), { concurrency: 1 });
    await runningRun(store(), full);
    const child = newExecution(full, { parent: { executionId: parent.id, depth: 1 } });
    await store().executions.append({ ...appendOf(parent, [waitsFor(child)]), starts: [child] });
    expect(await claim(store())).toEqual([]);
    await store().executions.append(appendOf(parent, [failed('No.')], 1));
    expect(await store().executions.byId(child.id)).toMatchObject({ status: 'cancelled' });
    await store().workflows.update({ id: full.id, changes: { concurrency: 2 }, at: start });
    const retry = retryOfBoth({ parent, child });
    const [first, second] = retry.runs;
    if (first === undefined || second === undefined) throw new Error('there are two');
    await store().executions.retry({ ...retry, runs: [first, { ...second, status: 'cancelled' }] });
    expect((await claim(store())).map(({ id }) => id).sort()).toEqual([parent.id, child.id].sort());
  });
}

/** Tests of runs that continue after their failure, or start with the results of others. */
export function retrySentences(store: () => Store): void {
  aloneSentences(store);
  childSentences(store);
}

function aloneSentences(store: () => Store): void {
  test('a failed run is pending again, and its journal records the retry', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [stepSucceeded('a'), failed('No.')]));
    const notified = listen(store());
    expect(await store().executions.retry(retryOfRun(run.id, { afterSeq: 2, revoked: [2] }))).toBe('pending');
    expect(notified).toEqual(['execution_started', 'pending']);
    expect(await store().executions.openCount()).toBe(1);
    expect(await store().executions.byId(run.id)).toMatchObject({
      status: 'pending',
      failure: null,
      startedAt: run.startedAt,
      completedAt: null,
    });
    const [claimed] = await claim(store(), { now: start + 60 });
    expect(claimed).toMatchObject({ id: run.id, epoch: run.epoch + 1, cancelRequested: false });
    expect(claimed).toMatchObject({ startedAt: run.startedAt, countsFrom: start + 60 });
    expect(await store().executions.byId(run.id)).toMatchObject({ startedAt: run.startedAt });
    expect(claimed?.journal.at(-1)).toEqual({ seq: 3, fact: { kind: 'run_retried', at: start + 50, revoked: [2] } });
  });

  test('a run that did not fail, or whose journal is longer, is not changed', async () => {
    const workflow = await newWorkflow(store());
    const [open, done, bad] = [
      await runningRun(store(), workflow),
      await runningRun(store(), workflow),
      await runningRun(store(), workflow),
    ];
    await store().executions.append(appendOf(done, [completed()]));
    await store().executions.append(appendOf(bad, [stepSucceeded('a'), failed('No.')]));
    const retries = [open, done, bad].map(({ id }) => store().executions.retry(retryOfRun(id)));
    expect(await Promise.all(retries)).toEqual(['changed', 'changed', 'changed']);
    expect((await store().executions.detail(bad.id))?.journal).toHaveLength(2);
  });

  test('a run obeys the limit that its workflow was given after it had failed', async () => {
    const workflow = await newWorkflow(store());
    const [first, second] = [await runningRun(store(), workflow), await runningRun(store(), workflow)];
    for (const run of [first, second]) await store().executions.append(appendOf(run, [failed('No.')]));
    await store().workflows.update({ id: workflow.id, changes: { concurrency: 1 }, at: start });
    for (const { id } of [first, second]) await store().executions.retry(retryOfRun(id));
    const [claimed, ...others] = await claim(store());
    expect([claimed?.id, others]).toEqual([first.id, []]);
    if (claimed !== undefined) await store().executions.append(appendOf(claimed, [completed()], 2));
    expect((await claim(store())).map(({ id }) => id)).toEqual([second.id]);
  });

  test('one of two simultaneous retries is performed', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [failed('No.')]));
    const retry = retryOfRun(run.id);
    const both = [store().executions.retry(retry), store().executions.retry(retry)];
    expect(await Promise.all(both)).toEqual(['pending', 'changed']);
    expect(await store().executions.openCount()).toBe(1);
  });

  test('a run may start with facts, and continues after them', async () => {
    const workflow = await newWorkflow(store());
    const source = await runningRun(store(), workflow);
    const facts = [stepSucceeded('a'), stepSucceeded('b')];
    const fork = newExecution(workflow, { fork: { executionId: source.id, facts } });
    await store().executions.accept(fork);
    expect(await store().executions.byId(fork.id)).toMatchObject({ status: 'pending', replayOf: source.id });
    const [claimed] = await claim(store());
    if (claimed === undefined) throw new Error('the run was not claimed');
    expect(claimed.journal).toEqual(facts.map((fact, index) => ({ seq: index + 1, fact })));
    expect(await store().executions.append(appendOf(claimed, [completed()], 2))).toBe('stored');
  });
}

import { expect, test } from 'vitest';
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

/** Sentences on runs that go on after their failure, or begin with what others did. */
export function retrySentences(store: () => Store): void {
  test('a failed run is pending again, and its journal says since when', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [stepSucceeded('a'), failed('No.')]));
    const told = listen(store());
    expect(await store().executions.retry({ id: run.id, afterSeq: 2, revoked: [2], at: start + 50 })).toBe('pending');
    expect(told).toEqual(['execution_started', 'pending']);
    expect(await store().executions.openCount()).toBe(1);
    expect(await store().executions.byId(run.id)).toMatchObject({
      status: 'pending',
      failure: null,
      startedAt: null,
      completedAt: null,
    });
    const [claimed] = await claim(store(), { now: start + 60 });
    expect(claimed).toMatchObject({ id: run.id, epoch: run.epoch + 1, startedAt: start + 60, cancelRequested: false });
    expect(claimed?.journal.at(-1)).toEqual({ seq: 3, fact: { kind: 'run_retried', at: start + 50, revoked: [2] } });
  });

  test('a run that did not fail, or whose journal is longer, stays as it is', async () => {
    const workflow = await newWorkflow(store());
    const [open, done, bad] = [
      await runningRun(store(), workflow),
      await runningRun(store(), workflow),
      await runningRun(store(), workflow),
    ];
    await store().executions.append(appendOf(done, [completed()]));
    await store().executions.append(appendOf(bad, [stepSucceeded('a'), failed('No.')]));
    const retries = [open, done, bad].map(({ id }) =>
      store().executions.retry({ id, afterSeq: 1, revoked: [1], at: start }),
    );
    expect(await Promise.all(retries)).toEqual(['changed', 'changed', 'changed']);
    expect((await store().executions.detail(bad.id))?.journal).toHaveLength(2);
  });

  test('of two retries at once one is done', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [failed('No.')]));
    const retry = { id: run.id, afterSeq: 1, revoked: [1], at: start };
    const both = [store().executions.retry(retry), store().executions.retry(retry)];
    expect(await Promise.all(both)).toEqual(['pending', 'changed']);
    expect(await store().executions.openCount()).toBe(1);
  });

  test('a run may begin with facts, and goes on after them', async () => {
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

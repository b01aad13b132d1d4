import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import {
  appendOf,
  claim,
  completed,
  listen,
  newExecution,
  newWorkflow,
  runningRun,
  start,
  stepSucceeded,
} from './world.ts';

/** Tests of cancelling runs. */
export function cancelSentences(store: () => Store): void {
  pendingSentences(store);
  runningSentences(store);
}

function pendingSentences(store: () => Store): void {
  test('a pending run ends at once, with a fact in its journal and an event', async () => {
    const { id } = await store().executions.accept(newExecution(await newWorkflow(store())));
    const notified = listen(store());
    expect(await store().executions.cancel({ id, at: start + 5 })).toBe('cancelled');
    expect(notified).toEqual(['execution_cancelled']);
    const detail = await store().executions.detail(id);
    expect(detail).toMatchObject({ status: 'cancelled', completedAt: start + 5, failure: { code: 'run_cancelled' } });
    expect(detail?.journal).toMatchObject([
      { seq: 1, fact: { kind: 'run_finished', status: 'cancelled', output: null } },
    ]);
    expect(await claim(store())).toEqual([]);
    expect(await store().executions.openCount()).toBe(0);
  });

  test('a run that was released continues in its journal where it stopped', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [stepSucceeded('a')]));
    await store().executions.release({ owner: 'worker-1' });
    expect(await store().executions.cancel({ id: run.id, at: start })).toBe('cancelled');
    const journal = (await store().executions.detail(run.id))?.journal;
    expect(journal?.map(({ seq, fact }) => [seq, fact.kind])).toEqual([
      [1, 'step_succeeded'],
      [2, 'run_finished'],
    ]);
  });
}

function runningSentences(store: () => Store): void {
  test('a running run is asked to stop, and ends when its owner ends it', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const notified = listen(store());
    expect(await store().executions.cancel({ id: run.id, at: start })).toBe('requested');
    expect(notified).toEqual([`cancel ${run.id}`]);
    expect(await store().executions.byId(run.id)).toMatchObject({ status: 'running' });
    expect(await store().executions.append(appendOf(run, [stepSucceeded('a')]))).toBe('stored');
  });

  test('the next owner of the run receives the request', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.cancel({ id: run.id, at: start });
    const [taken] = await claim(store(), { owner: 'worker-2', now: start + 30_001 });
    expect(taken).toMatchObject({ id: run.id, cancelRequested: true });
  });

  test('an ended run is unchanged, and an unknown one is missing', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [completed()]));
    const notified = listen(store());
    expect(await store().executions.cancel({ id: run.id, at: start })).toBe('ended');
    expect(await store().executions.cancel({ id: '01900000-0000-7000-8000-ffffffffffff', at: start })).toBe('missing');
    expect(await store().executions.byId(run.id)).toMatchObject({ status: 'completed' });
    expect(notified).toEqual([]);
  });

  test('a cancel in the same turn as the claim before it asks the new owner', async () => {
    const { id } = await store().executions.accept(newExecution(await newWorkflow(store())));
    const [, outcome] = await Promise.all([claim(store()), store().executions.cancel({ id, at: start })]);
    expect(outcome).toBe('requested');
  });
}

import type { Fact } from '@millrace/core';
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
  someTrigger,
  start,
  stepSucceeded,
} from './world.ts';

/** Tests of claiming runs, leases, release and recovery. */
export function claimSentences(store: () => Store): void {
  takingSentences(store);
  leaseSentences(store);
  crashCountSentences(store);
  handingBackSentences(store);
  readingSentences(store);
}

function takingSentences(store: () => Store): void {
  test('a claimed run has all that its owner needs', async () => {
    const workflow = await newWorkflow(store(), { maxExecutionSeconds: 12.5 });
    const { id } = await store().executions.accept(newExecution(workflow));
    expect(await claim(store(), { now: start + 3 })).toEqual([
      {
        id,
        workflowId: workflow.id,
        ownerId: workflow.ownerId,
        workflowSlug: workflow.slug,
        version: workflow.version,
        epoch: 1,
        triggerNodeId: 'start',
        toNodeId: null,
        recording: null,
        trigger: someTrigger,
        acceptedAt: start,
        startedAt: start + 3,
        countsFrom: start + 3,
        maxExecutionSeconds: 12.5,
        unownedMs: 0,
        size: Buffer.byteLength(JSON.stringify(someTrigger.payload)),
        clockSets: [],
        depth: 0,
        cancelRequested: false,
        crashCount: 0,
        incident: null,
        isManual: false,
        lastSeq: 0,
        journal: [],
      },
    ]);
    expect(await store().executions.byId(id)).toMatchObject({ status: 'running', startedAt: start + 3 });
    expect(await store().executions.openCount()).toBe(1);
  });

  test('a trigger is read back without the parts it did not have', async () => {
    const trigger = { payload: null, text: 'hello' };
    await store().executions.accept(newExecution(await newWorkflow(store()), { trigger }));
    const [run] = await claim(store());
    expect(run?.trigger).toStrictEqual(trigger);
  });

  test('runs of a workflow are claimed in the order in which they were accepted, up to the limit, each once', async () => {
    const workflow = await newWorkflow(store());
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1) ids.push((await store().executions.accept(newExecution(workflow))).id);
    expect((await claim(store(), { limit: 3 })).map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect((await claim(store(), { limit: 3 })).map(({ id }) => id)).toEqual(ids.slice(3));
    expect(await claim(store())).toEqual([]);
  });

  test('of two claims in the same turn each run goes to one', async () => {
    const workflow = await newWorkflow(store());
    for (let i = 0; i < 5; i += 1) await store().executions.accept(newExecution(workflow));
    const [first, second] = await Promise.all([
      claim(store(), { limit: 3 }),
      claim(store(), { owner: 'worker-2', limit: 3 }),
    ]);
    const ids = [...first, ...second].map(({ id }) => id);
    expect(ids).toHaveLength(5);
    expect(new Set(ids).size).toBe(5);
  });
}

function leaseSentences(store: () => Store): void {
  test('a run is claimed from its owner only after the lease has ended', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    expect(await claim(store(), { owner: 'worker-2', now: start + 30_000 })).toEqual([]);
    const [taken] = await claim(store(), { owner: 'worker-2', now: start + 30_001 });
    expect(taken).toEqual({ ...run, epoch: 2, unownedMs: 1, crashCount: 1 });
    expect(await store().executions.openCount()).toBe(1);
  });

  test('an owner does not claim its own run, however far the clock was set forward', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    expect(await claim(store(), { now: start + 999_000 })).toEqual([]);
    expect(await store().executions.append(appendOf(run, [completed()]))).toBe('stored');
  });

  test('a run that is taken over comes with its journal and the time of its first claim', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const facts = [stepSucceeded('a'), stepSucceeded('b')];
    await store().executions.append(appendOf(run, facts));
    const [taken] = await claim(store(), { owner: 'worker-2', now: start + 60_000 });
    expect(taken?.journal).toEqual([
      { seq: 1, fact: facts[0] },
      { seq: 2, fact: facts[1] },
    ]);
    expect(taken?.startedAt).toBe(run.startedAt);
    expect(await store().executions.byId(run.id)).toMatchObject({ startedAt: run.startedAt });
  });

  test('the next owner gets the total time for which the run had no owner since it began', async () => {
    const workflow = await newWorkflow(store());
    const { id } = await store().executions.accept(newExecution(workflow));
    const claimAt = async (now: number, owner = 'worker-1') =>
      (await claim(store(), { now, owner, leaseUntil: now + 10_000 }))[0]?.unownedMs;
    expect(await claimAt(start + 60_000)).toBe(0);
    await store().executions.recover();
    expect(await claimAt(start + 100_000)).toBe(30_000);
    await store().executions.release({ owner: 'worker-1' });
    expect(await claimAt(start + 101_000)).toBe(30_000);
    expect(await claimAt(start + 115_000, 'worker-2')).toBe(34_000);
    expect(await store().executions.byId(id)).toMatchObject({ status: 'running', startedAt: start + 60_000 });
  });

  test('the next owner gets the changes of the clock, without those of rejected appends', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const append = async (facts: readonly Fact[], byMs: number, afterSeq = 0) =>
      store().executions.append({ ...appendOf(run, facts, afterSeq), clockSets: [{ afterFacts: 0, byMs }] });
    expect(await append([stepSucceeded('a')], 60_000)).toBe('stored');
    expect(await append([], -10_000, 1)).toBe('stored');
    expect(await append([], 3000, 1)).toBe('stored');
    expect(await append([], 5000, 0)).toBe('lost');
    await store().executions.release({ owner: 'worker-1' });
    expect((await claim(store()))[0]).toMatchObject({
      unownedMs: 53_000,
      lastSeq: 1,
      clockSets: [
        { afterSeq: 0, byMs: 60_000 },
        { afterSeq: 1, byMs: -7000 },
      ],
    });
  });

  test('renewing extends all leases of the owner and no others', async () => {
    const workflow = await newWorkflow(store());
    const mine = await runningRun(store(), workflow);
    const { id: theirs } = await store().executions.accept(newExecution(workflow));
    await claim(store(), { owner: 'worker-2' });
    await store().executions.renew({ owner: 'worker-1', leaseUntil: start + 90_000 });
    const at = (now: number) => claim(store(), { owner: 'worker-3', now, leaseUntil: start + 999_000 });
    expect((await at(start + 60_000)).map(({ id }) => id)).toEqual([theirs]);
    expect((await at(start + 90_001)).map(({ id }) => id)).toEqual([mine.id]);
  });
}

function crashCountSentences(store: () => Store): void {
  test('the next owner gets the crash count, which starts again after progress', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const crashCountOf = async (owner = 'worker-1', now = start) => {
      const [claimed] = await claim(store(), { owner, now, leaseUntil: now + 10_000 });
      return claimed?.crashCount;
    };
    await store().executions.recover();
    expect(await crashCountOf()).toBe(1);
    await store().executions.release({ owner: 'worker-1' });
    expect(await crashCountOf()).toBe(1);
    expect(await crashCountOf('worker-2', start + 20_000)).toBe(2);
    await store().executions.append(appendOf({ ...run, epoch: 4 }, [stepSucceeded('a')]));
    await store().executions.release({ owner: 'worker-2' });
    expect(await crashCountOf()).toBe(0);
    await store().executions.recover();
    expect(await crashCountOf()).toBe(1);
  });

  test('runs that crashed three times are claimed one at a time, the next after one made progress; others do not wait', async () => {
    const workflow = await newWorkflow(store());
    const runs = [
      await runningRun(store(), workflow),
      await runningRun(store(), workflow),
      await runningRun(store(), workflow),
    ];
    const claimedIds = async () => (await claim(store())).map(({ id }) => id);
    for (let time = 1; time < 3; time += 1) {
      await store().executions.recover();
      expect(await claimedIds()).toHaveLength(3);
    }
    await store().executions.recover();
    const { id: other } = await store().executions.accept(newExecution(workflow));
    const [first, ...rest] = await claim(store());
    if (first === undefined) throw new Error('nothing was claimed');
    expect([first, ...rest].map(({ crashCount }) => crashCount).sort()).toEqual([0, 3]);
    expect(rest.map(({ id }) => id)).toEqual([other]);
    expect(await claimedIds()).toEqual([]);
    const notified = listen(store());
    await store().executions.append(appendOf(first, [stepSucceeded('a')]));
    expect(notified).toEqual(['pending']);
    const [second] = await claimedIds();
    expect(await claimedIds()).toEqual([]);
    await store().executions.cancel({ id: String(second), at: start });
    await store().executions.append({ ...appendOf({ ...first, id: String(second), epoch: 4 }, [completed()]) });
    const [third] = await claimedIds();
    expect([first.id, second, third].sort()).toEqual(runs.map(({ id }) => id).sort());
  });

  test('a quarantined run with a long step blocks the next one for half a minute, however the clock is set', async () => {
    const workflow = await newWorkflow(store());
    for (let run = 0; run < 2; run += 1) await runningRun(store(), workflow);
    for (let time = 1; time < 3; time += 1) {
      await store().executions.recover();
      await claim(store());
    }
    await store().executions.recover();
    const claimedAt = async (monotonic: number, now: number) =>
      (await claim(store(), { now, monotonic, leaseUntil: start + 90_000 })).length;
    expect(await claimedAt(7, start)).toBe(1);
    expect(await claimedAt(30_006, start + 80_000)).toBe(0);
    expect(await claimedAt(30_007, start - 80_000)).toBe(1);
  });
}

function readingSentences(store: () => Store): void {
  test('a claim reads the journals of a limited number of facts, and announces that it left runs', async () => {
    const workflow = await newWorkflow(store());
    const ids: string[] = [];
    for (let run = 0; run < 12; run += 1) {
      const running = await runningRun(store(), workflow);
      const facts = Array.from({ length: 990 }, (_, index) => stepSucceeded(`n${index}`));
      await store().executions.append(appendOf(running, facts));
      ids.push(running.id);
    }
    await store().executions.recover();
    const notified = listen(store());
    expect((await claim(store())).map(({ id }) => id)).toEqual(ids.slice(0, 11));
    // A claim is announced when it is on disk, as this is.
    await store().executions.release({ owner: 'worker-2' });
    expect(notified).toEqual(['pending']);
    expect((await claim(store())).map(({ id }) => id)).toEqual(ids.slice(11));
  });

  test('a claim reads a limited number of bytes, whether of new runs or of their journals', async () => {
    const workflow = await newWorkflow(store());
    const mebi = 1024 * 1024;
    const trigger = { payload: 'x'.repeat(3 * mebi), text: '' };
    for (let i = 0; i < 4; i += 1) await store().executions.accept(newExecution(workflow, { trigger }));
    const first = await claim(store());
    expect(first.map((run) => run.trigger)).toEqual([trigger, trigger, trigger]);
    expect(await claim(store())).toHaveLength(1);
    for (const run of first) await store().executions.append(appendOf(run, [stepSucceeded('a', { output: 'y' })]));
    await store().executions.release({ owner: 'worker-1' });
    expect(await claim(store(), { owner: 'worker-2' })).toHaveLength(3);
    expect(await claim(store(), { owner: 'worker-2' })).toHaveLength(1);
  });

  test.each([
    ['large values', [stepSucceeded('a', { output: 'ä'.repeat(300_000) }), stepSucceeded('b')]],
    [
      'many values',
      Array.from({ length: 30 }, (_, at) => stepSucceeded(`n${at}`, { output: [at, 'y'.repeat(20_000)] })),
    ],
    ['many facts', Array.from({ length: 1100 }, (_, at) => stepSucceeded(`n${at}`))],
  ])('a claim leaves a journal with %s to the owner, who reads it whole', async (_what, facts) => {
    const workflow = await newWorkflow(store());
    const run = await runningRun(store(), workflow);
    await store().executions.append(appendOf(run, facts));
    await store().executions.release({ owner: 'worker-1' });
    const [claimed] = await claim(store(), { owner: 'worker-2' });
    expect(claimed).toMatchObject({ id: run.id, isJournalLarge: true, journal: [], lastSeq: facts.length });
    const journal = await store().executions.journal({ id: run.id, lastSeq: facts.length });
    expect(journal).toEqual(facts.map((fact, at) => ({ seq: at + 1, fact })));
    expect(await store().executions.journal({ id: run.id, lastSeq: 0 })).toEqual([]);
  });
}

function handingBackSentences(store: () => Store): void {
  test('released runs are pending again, announced as claimable, and claimable by any owner', async () => {
    const workflow = await newWorkflow(store());
    const run = await runningRun(store(), workflow);
    await store().executions.append(appendOf(run, [stepSucceeded('a')]));
    const notified = listen(store());
    await store().executions.release({ owner: 'worker-2' });
    expect(notified).toEqual([]);
    await store().executions.release({ owner: 'worker-1' });
    expect(notified).toEqual(['pending']);
    expect(await store().executions.byId(run.id)).toMatchObject({ status: 'pending' });
    const [taken] = await claim(store(), { owner: 'worker-2' });
    expect(taken).toMatchObject({ id: run.id, epoch: 2, journal: [{ seq: 1 }] });
  });

  test('a released run accepts no more facts from its former owner', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.release({ owner: 'worker-1' });
    expect(await store().executions.append(appendOf(run, [completed()]))).toBe('lost');
  });

  test('recovery makes every running run claimable at once, and does not change ended ones', async () => {
    const workflow = await newWorkflow(store());
    const ended = await runningRun(store(), workflow);
    await store().executions.append(appendOf(ended, [completed()]));
    const one = await runningRun(store(), workflow);
    const two = await runningRun(store(), workflow);
    const notified = listen(store());
    expect(await store().executions.recover()).toBe(2);
    expect(notified).toEqual(['pending']);
    expect((await claim(store())).map(({ id, epoch }) => [id, epoch])).toEqual([
      [one.id, 2],
      [two.id, 2],
    ]);
    expect(await store().executions.openCount()).toBe(2);
  });

  test('recovery without running runs publishes nothing', async () => {
    const notified = listen(store());
    expect(await store().executions.recover()).toBe(0);
    expect(notified).toEqual([]);
  });
}

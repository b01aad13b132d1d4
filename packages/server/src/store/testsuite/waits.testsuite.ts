import {
  type Fact,
  laterAttemptNumbers,
  type Pause,
  type PauseAnswer,
  type PauseKey,
  type RunState,
  type StepPaused,
  type StepResumed,
} from '@millrace/core';
import { expect, test } from 'vitest';
import type { CachedRun, ClaimedRun } from '../executions.ts';
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

/** Tests of runs that wait. */
export function waitSentences(store: () => Store): void {
  parkSentences(store);
  answerSentences(store);
  earlySentences(store);
  dueSentences(store);
  endSentences(store);
  childSentences(store);
}

const key: PauseKey = { frame: '', nodeId: 'ask', stage: 'step' };
const approval: Pause = { kind: 'approval', prompt: 'Ship it?', fallback: false, until: null };
const yes: PauseAnswer = { kind: 'decision', confirmed: true, response: 'go', by: 'ada' };
const unknownRun = '01900000-0000-7000-8000-ffffffffffff';

function paused(pause: Pause = approval, fields: Partial<StepPaused> = {}): StepPaused {
  return { kind: 'step_paused', at: start, ...key, attempt: 1, pause, ...fields };
}

function resumed(answer: PauseAnswer = yes, fields: Partial<StepResumed> = {}): StepResumed {
  return { kind: 'step_resumed', at: start + 1, ...key, answer, ...fields };
}

const park = { status: 'interrupted', until: null } as const;

/** A run that waits for a person, without an owner. */
async function parkedRun(store: Store, ...facts: readonly Fact[]): Promise<ClaimedRun> {
  const run = await runningRun(store, await newWorkflow(store));
  const all = facts.length === 0 ? [paused()] : facts;
  expect(await store.executions.append({ ...appendOf(run, all), park })).toBe('parked');
  return run;
}

/** The cached state of a run. The store checks only its epoch and last sequence number. */
function cachedOf({ epoch, trigger }: ClaimedRun, lastSeq: number): CachedRun {
  return {
    epoch,
    lastSeq,
    state: {} as RunState,
    numbers: laterAttemptNumbers([]),
    trigger: { ...trigger },
    clockSetMs: 0,
  };
}

function statusOf(store: Store, id: string): Promise<string | undefined> {
  return store.executions.byId(id).then((run) => run?.status);
}

function parkSentences(store: () => Store): void {
  test('the cached state of a run that no other owner had since then is returned instead of its journal', async () => {
    const run = await parkedRun(store());
    const kept = cachedOf(run, 1);
    await store().waits.answer({ executionId: run.id, ...key, answer: yes });
    const [claimed] = await claim(store(), { cache: new Map([[run.id, kept]]) });
    expect(claimed).toMatchObject({ id: run.id, epoch: 2, lastSeq: 1, journal: [] });
    expect(claimed?.cached).toBe(kept);
    expect(claimed?.trigger).toBe(kept.trigger);
  });

  test.each([
    ['has gone on since then', { lastSeq: 0 }],
    ['is not so far yet', { lastSeq: 2 }],
    ['another had since then', { epoch: 0 }],
  ])('the cached state of a run that %s is ignored, and its journal is read', async (_what, differs) => {
    const run = await parkedRun(store());
    await store().waits.answer({ executionId: run.id, ...key, answer: yes });
    const [claimed] = await claim(store(), { cache: new Map([[run.id, { ...cachedOf(run, 1), ...differs }]]) });
    const journal = [{ seq: 1, fact: paused() }];
    expect(claimed).toMatchObject({ id: run.id, lastSeq: 1, trigger: run.trigger, journal });
    expect(claimed?.cached).toBeUndefined();
  });

  test('a run that only waits has no owner, is not claimed, and counts as neither pending nor running', async () => {
    const run = await parkedRun(store());
    expect(await statusOf(store(), run.id)).toBe('interrupted');
    expect(await store().executions.openCount()).toBe(0);
    expect(await claim(store(), { now: start + 999_000 })).toEqual([]);
    await store().executions.release({ owner: 'worker-1' });
    expect(await store().executions.recover()).toBe(0);
    expect(await store().executions.append(appendOf(run, [stepSucceeded('a')], 1))).toBe('lost');
    expect(await store().waits.open(run.id)).toEqual([{ ...key, pause: approval, pausedAt: start }]);
    const { workflowId } = run;
    const visibleTo = (await store().executions.byId(run.id))?.ownerId ?? 0;
    for (const filter of [{}, { workflowId }] as const) {
      const page = await store().executions.list({
        visibleTo,
        ...filter,
        status: 'interrupted',
        limit: 5,
        offset: 0,
      });
      expect(page).toMatchObject({ items: [{ id: run.id }], total: 1 });
    }
  });

  test('pauses and answers are read back from the journal unchanged', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const call: PauseAnswer = { kind: 'call', body: { ['__proto__']: 1 } };
    const facts = [
      paused({ kind: 'timer', until: start + 5 }, { frame: 'each[3]', stage: 'before', attempt: 0 }),
      paused({ kind: 'callback', tokenHash: 'ab', until: null }, { nodeId: 'hook' }),
      resumed(call, { nodeId: 'hook' }),
    ];
    await store().executions.append(appendOf(run, facts));
    expect((await store().executions.detail(run.id))?.journal.map(({ fact }) => fact)).toStrictEqual(facts);
  });

  test('a run that was asked to stop is not parked: its owner ends it', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.cancel({ id: run.id, at: start });
    expect(await store().executions.append({ ...appendOf(run, [paused()]), park })).toBe('stored');
    expect(await statusOf(store(), run.id)).toBe('running');
  });
}

function answerSentences(store: () => Store): void {
  test('an answer makes a parked run pending, and a second answer is rejected', async () => {
    const run = await parkedRun(store());
    const notified = listen(store());
    const answer = { executionId: run.id, ...key, answer: yes };
    const outcomes = await Promise.all([store().waits.answer(answer), store().waits.answer(answer)]);
    expect(outcomes).toEqual(['answered', 'closed']);
    expect(notified).toEqual(['pending']);
    expect(await statusOf(store(), run.id)).toBe('pending');
    expect(await store().waits.answers(run.id)).toEqual([{ ...key, answer: yes }]);
    expect(await store().waits.open(run.id)).toEqual([]);
    const [again] = await claim(store());
    if (again === undefined) throw new Error('nothing was claimed');
    expect(await store().executions.append(appendOf(again, [resumed()], 1))).toBe('stored');
    expect(await store().waits.answers(run.id)).toEqual([]);
    expect(await store().waits.answer(answer)).toBe('closed');
  });

  test('the owner of a running run is notified, and cannot park it before it has read the answer', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [paused()]));
    const notified: string[] = [];
    store().subscribe({ answered: (ids) => void notified.push(...ids) });
    expect(await store().waits.answer({ executionId: run.id, ...key, answer: yes })).toBe('answered');
    expect(notified).toEqual([run.id]);
    expect(await store().executions.append({ ...appendOf(run, [], 1), park })).toBe('stored');
    expect(await statusOf(store(), run.id)).toBe('running');
    const other = paused(approval, { nodeId: 'other' });
    expect(await store().executions.append({ ...appendOf(run, [resumed(), other], 1), park })).toBe('parked');
  });

  test('an answer is closed if nothing waits for it: another node, frame, stage or run', async () => {
    const run = await parkedRun(store());
    const answer = { executionId: run.id, ...key, answer: yes };
    for (const wrong of [{ nodeId: 'other' }, { frame: 'each[0]' }, { stage: 'after' }, { executionId: unknownRun }]) {
      expect(await store().waits.answer({ ...answer, ...wrong } as typeof answer)).toBe('closed');
    }
    expect(await statusOf(store(), run.id)).toBe('interrupted');
  });

  test('a step that pauses again after a failed attempt is answered again', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [paused()]));
    await store().waits.answer({ executionId: run.id, ...key, answer: yes });
    await store().executions.append({ ...appendOf(run, [resumed(), paused(approval, { attempt: 2 })], 1), park });
    expect(await statusOf(store(), run.id)).toBe('interrupted');
    expect(await store().waits.answer({ executionId: run.id, ...key, answer: yes })).toBe('answered');
  });
}

function earlySentences(store: () => Store): void {
  test('an answer before the step pauses is stored, once, and found when it does', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const answer = { executionId: run.id, ...key, answer: yes, early: true };
    expect(await store().waits.answer(answer)).toBe('answered');
    expect(await store().waits.answer(answer)).toBe('closed');
    expect(await store().waits.answers(run.id)).toEqual([]);
    expect(await store().executions.append({ ...appendOf(run, [stepSucceeded('a')]) })).toBe('stored');
    const notified: string[] = [];
    store().subscribe({ answered: (ids) => void notified.push(...ids) });
    expect(await store().executions.append({ ...appendOf(run, [paused()], 1), park })).toBe('stored');
    expect(notified).toEqual([run.id]);
    expect(await store().waits.answers(run.id)).toEqual([{ ...key, answer: yes }]);
  });

  test('an early answer does not hold up a run that waits for something else', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().waits.answer({ executionId: run.id, ...key, answer: yes, early: true });
    const other = paused(approval, { nodeId: 'other' });
    expect(await store().executions.append({ ...appendOf(run, [other]), park })).toBe('parked');
  });

  test('an early answer is closed if it is not allowed, or after the end', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const answer = { executionId: run.id, ...key, answer: yes };
    expect(await store().waits.answer(answer)).toBe('closed');
    await store().executions.append(appendOf(run, [completed()]));
    expect(await store().waits.answer({ ...answer, early: true })).toBe('closed');
    expect(await store().waits.answer({ ...answer, executionId: unknownRun, early: true })).toBe('closed');
  });
}

function dueSentences(store: () => Store): void {
  const timer = (ms: number, fields: Partial<StepPaused> = {}) => paused({ kind: 'timer', until: start + ms }, fields);

  test('a due wait ends and others continue; the time of the earliest is known', async () => {
    expect(await store().waits.nextDue()).toBeNull();
    const earliest: number[] = [];
    store().subscribe({ waitsUntil: (at) => void earliest.push(at) });
    const [first, second] = [await parkedRun(store(), timer(1000)), await parkedRun(store(), timer(2000))];
    expect(earliest).toEqual([start + 1000, start + 2000]);
    expect(await store().waits.nextDue()).toBe(start + 1000);
    expect(await store().waits.wakeDue({ now: start + 999, limit: 10 })).toBe(0);
    expect(await store().waits.wakeDue({ now: start + 1000, limit: 10 })).toBe(1);
    expect(await statusOf(store(), first.id)).toBe('pending');
    expect(await statusOf(store(), second.id)).toBe('interrupted');
    expect(await store().waits.answers(first.id)).toEqual([{ ...key, answer: { kind: 'time' } }]);
    expect(await store().waits.nextDue()).toBe(start + 2000);
  });

  test('many are woken in batches, the one that waited longest first', async () => {
    const run = await parkedRun(store(), timer(3), timer(1, { nodeId: 'b' }), timer(2, { nodeId: 'c' }));
    expect(await store().waits.wakeDue({ now: start + 9, limit: 2 })).toBe(2);
    expect((await store().waits.answers(run.id)).map(({ nodeId }) => nodeId)).toEqual(['b', 'c']);
    expect(await store().waits.wakeDue({ now: start + 9, limit: 2 })).toBe(1);
    expect(await store().waits.nextDue()).toBeNull();
  });

  test('of an answer and a timeout only one counts', async () => {
    const run = await parkedRun(store(), paused({ ...approval, until: start + 5 } as Pause));
    const answer = store().waits.answer({ executionId: run.id, ...key, answer: yes });
    const [woken, outcome] = await Promise.all([store().waits.wakeDue({ now: start + 5, limit: 10 }), answer]);
    expect([woken, outcome]).toEqual([0, 'answered']);
    expect(await store().waits.answers(run.id)).toEqual([{ ...key, answer: yes }]);
  });
}

function endSentences(store: () => Store): void {
  test('a waiting run is cancelled at once, and can no longer be answered', async () => {
    const run = await parkedRun(store(), paused({ ...approval, until: start + 5 } as Pause));
    const notified = listen(store());
    expect(await store().executions.cancel({ id: run.id, at: start + 1 })).toBe('cancelled');
    expect(notified).toEqual(['execution_cancelled']);
    expect(await statusOf(store(), run.id)).toBe('cancelled');
    expect(await store().waits.answer({ executionId: run.id, ...key, answer: yes })).toBe('closed');
    expect(await store().waits.nextDue()).toBeNull();
  });

  test('the waits of a run end with it, however it ends', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [paused()]));
    await store().executions.append(appendOf(run, [failed('another branch failed')], 1));
    expect(await store().waits.open(run.id)).toEqual([]);
    expect(await store().waits.answer({ executionId: run.id, ...key, answer: yes })).toBe('closed');
  });

  test('a wait is found as answered until its run has journaled the answer', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const at = { ...key, executionId: run.id };
    await store().executions.append(appendOf(run, [paused(approval)]));
    await store().waits.answer({ ...at, answer: yes });
    expect(await store().waits.find(at)).toMatchObject({ isOpen: false, isAnswered: true });
    await store().executions.append(appendOf(run, [resumed(yes)], 1));
    expect(await store().waits.find(at)).toMatchObject({ isOpen: false, isAnswered: false });
  });

  test('a wait that its run has abandoned is over, and cannot be answered, not even early', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const at = { ...key, executionId: run.id };
    expect(await store().waits.find(at)).toBeNull();
    await store().executions.append(appendOf(run, [paused(), paused(approval, { nodeId: 'other' })]));
    expect(await store().waits.find(at)).toEqual({ isOpen: true, isAnswered: false, pause: approval, pausedAt: start });
    const abandoned = [{ ...key, at: start }];
    await store().executions.append({ ...appendOf(run, [stepSucceeded('a')], 2), abandoned, park });
    expect(await store().waits.find(at)).toEqual({
      isOpen: false,
      isAnswered: false,
      pause: approval,
      pausedAt: start,
    });
    expect(await store().waits.open(run.id)).toMatchObject([{ nodeId: 'other' }]);
    expect(await store().waits.answer({ ...at, answer: yes, early: true })).toBe('closed');
    expect(await store().waits.answers(run.id)).toEqual([]);
  });

  test('deleting a workflow cancels its waiting runs', async () => {
    const run = await parkedRun(store());
    await store().workflows.remove({ ids: [run.workflowId], at: start });
    expect(await statusOf(store(), run.id)).toBe('cancelled');
  });
}

function childSentences(store: () => Store): void {
  const ended = (answer: PauseAnswer) => [{ ...key, answer }];

  /** A parked run and the one that it started and waits for. */
  async function family(workflow?: Awaited<ReturnType<typeof newWorkflow>>) {
    const target = workflow ?? (await newWorkflow(store()));
    const parent = await runningRun(store(), await newWorkflow(store()));
    const child = newExecution(target, { parent: { executionId: parent.id, depth: 1 } });
    const pause: Pause = { kind: 'child', executionId: child.id, workflow: target.slug, until: null };
    const outcome = await store().executions.append({
      ...appendOf(parent, [paused(pause)]),
      starts: [child],
      park: { status: 'waiting', until: null },
    });
    return { parent, childId: child.id, outcome };
  }

  test('a run that a step starts is stored with the fact of the pause and refers to its parent', async () => {
    const { parent, childId, outcome } = await family();
    expect(outcome).toBe('parked');
    expect(await store().executions.byId(childId)).toMatchObject({ status: 'pending', parentExecutionId: parent.id });
    const [child] = await claim(store());
    expect(child).toMatchObject({ id: childId, depth: 1 });
  });

  test('a run whose ownership was lost starts nothing', async () => {
    const parent = await runningRun(store(), await newWorkflow(store()));
    const child = newExecution(await newWorkflow(store()), { parent: { executionId: parent.id, depth: 1 } });
    const append = { ...appendOf({ ...parent, epoch: 0 }, [stepSucceeded('a')]), starts: [child] };
    expect(await store().executions.append(append)).toBe('lost');
    expect(await store().executions.byId(child.id)).toBeNull();
  });

  test('the end of a child wakes the parent with its output or its error', async () => {
    for (const [fact, answer] of [
      [completed({ sum: 3 }), { kind: 'end', status: 'completed', output: { sum: 3 }, error: null }],
      [failed('It broke.'), { kind: 'end', status: 'failed', output: null, error: 'It broke.' }],
    ] as const) {
      const { parent, childId } = await family();
      const child = (await claim(store())).find(({ id }) => id === childId);
      if (child === undefined) throw new Error('the child was not claimed');
      await store().executions.append(appendOf(child, [fact]));
      expect(await statusOf(store(), parent.id)).toBe('pending');
      expect(await store().waits.answers(parent.id)).toEqual(ended(answer));
      await claim(store());
    }
  });

  test('a child that is cancelled, or whose workflow is gone, wakes the parent too', async () => {
    const { parent, childId } = await family();
    await store().executions.cancel({ id: childId, at: start });
    expect(await store().waits.answers(parent.id)).toMatchObject([{ answer: { status: 'cancelled' } }]);
    const gone = await newWorkflow(store());
    await store().workflows.remove({ ids: [gone.id], at: start });
    const orphan = await family(gone);
    expect(orphan.outcome).toBe('stored');
    expect(await store().waits.answers(orphan.parent.id)).toMatchObject([
      { answer: { status: 'failed', error: 'Workflow not found.' } },
    ]);
  });

  test('a run has the runs above it, and cancelling the topmost cancels all', async () => {
    const { parent, childId } = await family();
    const child = (await claim(store())).find(({ id }) => id === childId);
    if (child === undefined) throw new Error('the child was not claimed');
    const grandchild = newExecution(await newWorkflow(store()), { parent: { executionId: childId, depth: 2 } });
    const pause: Pause = { kind: 'child', executionId: grandchild.id, workflow: 'deeper', until: null };
    const waiting = { status: 'waiting', until: null } as const;
    await store().executions.append({ ...appendOf(child, [paused(pause)]), starts: [grandchild], park: waiting });
    await store().executions.cancel({ id: parent.id, at: start });
    for (const id of [parent.id, childId, grandchild.id]) expect(await statusOf(store(), id)).toBe('cancelled');
    const above = await store().executions.ancestors(grandchild.id);
    expect(above.map(({ workflowId }) => workflowId)).toEqual([parent.workflowId, child.workflowId]);
    expect(await store().executions.ancestors(parent.id)).toEqual([]);
    expect(await store().executions.openCount()).toBe(0);
  });

  test('a run whose parent fails is asked to stop', async () => {
    const { parent, childId } = await family();
    const child = (await claim(store())).find(({ id }) => id === childId);
    if (child === undefined) throw new Error('the child was not claimed');
    const notified = listen(store());
    await store().executions.cancel({ id: parent.id, at: start });
    expect(notified).toContain(`cancel ${childId}`);
    expect(await store().executions.append(appendOf(child, [completed()]))).toBe('stored');
    expect(await statusOf(store(), parent.id)).toBe('cancelled');
  });
}

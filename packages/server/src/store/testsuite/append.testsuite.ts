import type { Fact } from '@millrace/core';
import { expect, test } from 'vitest';
import type { Store } from '../store.ts';
import {
  appendOf,
  claim,
  completed,
  failed,
  newExecution,
  newWorkflow,
  runningRun,
  start,
  stepSucceeded,
} from './world.ts';

/** Tests of appending to journals. */
export function appendSentences(store: () => Store): void {
  factSentences(store);
  fenceSentences(store);
  endSentences(store);
  startSentences(store);
}

function startSentences(store: () => Store): void {
  test('a run that facts start is accepted with them, and announced', async () => {
    const workflow = await newWorkflow(store());
    const run = await runningRun(store(), workflow);
    const started = newExecution(workflow);
    const notified: string[] = [];
    store().subscribe({ pending: () => void notified.push('pending') });
    await store().executions.append({ ...appendOf(run, [failed('No.')]), starts: [started] });
    expect(await store().executions.byId(started.id)).toMatchObject({ status: 'pending' });
    expect(notified).toEqual(['pending']);
  });

  test('an append that comes too late starts nothing', async () => {
    const workflow = await newWorkflow(store());
    const run = await runningRun(store(), workflow);
    await store().executions.append(appendOf(run, [stepSucceeded('a')]));
    const started = newExecution(workflow);
    const outcome = await store().executions.append({ ...appendOf(run, [failed('No.')]), starts: [started] });
    expect([outcome, await store().executions.byId(started.id)]).toEqual(['lost', null]);
  });

  test('an append whose start is rejected stores nothing', async () => {
    const [workflow, removed] = [await newWorkflow(store()), await newWorkflow(store())];
    const run = await runningRun(store(), workflow);
    await store().workflows.remove({ ids: [removed.id], at: start });
    const append = { ...appendOf(run, [failed('No.')]), starts: [newExecution(removed)] };
    await expect(store().executions.append(append)).rejects.toMatchObject({ code: 'not_found' });
    expect(await store().executions.detail(run.id)).toMatchObject({ status: 'running', journal: [] });
  });
}

/** One of each kind and form. */
const everyFact: readonly Fact[] = [
  stepSucceeded('a', { text: 'Änne\n\u0000"', ['__proto__']: null, big: 1e21 }),
  {
    ...stepSucceeded('b'),
    frame: 'outer[1]/inner[3]',
    route: 'yes',
    respond: { status: 201, headers: { 'x-a': 'b' }, body: [1, null] },
    metadata: { tokens: 12 },
  } as Fact,
  {
    kind: 'step_failed',
    nodeId: 'c',
    frame: '',
    at: start + 1,
    attempt: 2,
    durationMs: 30_000.125,
    failure: { code: 'step_timeout', message: 'It took too long.' },
    retryAt: start + 2000,
  },
  {
    kind: 'step_failed',
    nodeId: 'c',
    frame: '',
    at: start + 2,
    attempt: 3,
    durationMs: 0,
    failure: { code: 'http_status', message: 'The server answered 500.' },
    retryAt: null,
  },
  { kind: 'step_skipped', nodeId: 'd', frame: 'outer[0]', at: start + 3 },
  {
    kind: 'step_stopped',
    nodeId: 'e',
    frame: 'outer[1]',
    at: start + 4,
    attempt: 2,
    startedAt: start,
    failure: { code: 'run_cancelled', message: 'The execution was cancelled.' },
    usage: { calls: 1, inputTokens: 2, outputTokens: 3, costUsd: 0.5 },
  },
];

function factSentences(store: () => Store): void {
  test('facts of every kind are read back unchanged, with gapless numbers from 1', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const facts = [...everyFact, failed('The server answered 500.')];
    await store().executions.append(appendOf(run, facts.slice(0, 2)));
    await store().executions.append(appendOf(run, facts.slice(2), 2));
    const detail = await store().executions.detail(run.id);
    expect(detail?.journal).toStrictEqual(facts.map((fact, index) => ({ seq: index + 1, fact })));
  });

  test('the token usage of models is summed with the facts that report it, in the list as well', async () => {
    const workflow = await newWorkflow(store());
    const run = await runningRun(store(), workflow);
    const usage = { calls: 1, inputTokens: 100, outputTokens: 20, costUsd: 0.25 };
    const [, , step] = everyFact;
    const facts = [{ ...stepSucceeded('a'), usage } as Fact, { ...step, usage } as Fact, stepSucceeded('b')];
    const used = async () => (await store().executions.byId(run.id))?.usage;
    expect(await used()).toEqual({ calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 });
    await store().executions.append(appendOf(run, facts.slice(0, 1)));
    await store().executions.append(appendOf(run, [...facts.slice(1), completed('x')], 1));
    const total = { calls: 2, inputTokens: 200, outputTokens: 40, costUsd: 0.5 };
    expect(await used()).toEqual(total);
    // An append that comes too late counts nothing.
    await store().executions.append(appendOf(run, facts, 1));
    expect(await used()).toEqual(total);
    const filter = { visibleTo: workflow.ownerId, limit: 10, offset: 0 };
    expect((await store().executions.list(filter)).items.map((item) => item.usage)).toEqual([total]);
    expect((await store().executions.list({ ...filter, q: '' })).items.map((item) => item.usage)).toEqual([total]);
  });

  test('events are published with the append, after its commit and in order', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const published: unknown[] = [];
    store().subscribe({ published: (events) => void published.push(...events) });
    const event = (nodeId: string, status: 'running' | 'success') => ({
      workflowId: run.workflowId,
      event: { type: 'node_status', executionId: run.id, nodeId, frame: '', attempt: 1, status } as const,
    });
    const events = [event('a', 'success'), event('b', 'running')];
    const appended = store().executions.append({ ...appendOf(run, [stepSucceeded('a')]), events });
    expect(published).toEqual([]);
    await appended;
    expect(published).toEqual(events);
  });

  test('events can be published without a fact, by the owner only', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const published: unknown[] = [];
    store().subscribe({ published: (events) => void published.push(...events) });
    const events = [
      { workflowId: run.workflowId, event: { type: 'execution_cancelled', executionId: run.id } },
    ] as const;
    expect(await store().executions.append({ ...appendOf(run, []), events })).toBe('stored');
    expect(await store().executions.append({ ...appendOf({ ...run, epoch: 0 }, []), events })).toBe('lost');
    expect(published).toEqual(events);
  });
}

function fenceSentences(store: () => Store): void {
  test('a former owner is rejected after another claim, and other runs in its batch are not affected', async () => {
    const workflow = await newWorkflow(store());
    const zombie = await runningRun(store(), workflow);
    const [taken] = await claim(store(), { owner: 'worker-2', now: start + 30_001, leaseUntil: start + 90_000 });
    const healthy = await runningRun(store(), workflow);
    if (taken === undefined) throw new Error('the run was not taken over');
    const published: unknown[] = [];
    store().subscribe({ published: (events) => void published.push(...events) });
    const event = { workflowId: workflow.id, event: { type: 'execution_cancelled', executionId: zombie.id } } as const;
    const results = await Promise.all([
      store().executions.append({ ...appendOf(zombie, [stepSucceeded('z')]), events: [event] }),
      store().executions.append(appendOf(healthy, [stepSucceeded('h')])),
      store().executions.append(appendOf(taken, [stepSucceeded('t')])),
    ]);
    expect(results).toEqual(['lost', 'stored', 'stored']);
    expect(published).toEqual([]);
    const nodes = async (id: string) =>
      (await store().executions.detail(id))?.journal.map(({ fact }) => 'nodeId' in fact && fact.nodeId);
    expect(await nodes(zombie.id)).toEqual(['t']);
    expect(await nodes(healthy.id)).toEqual(['h']);
  });

  test('an append that does not start at the end of the journal is rejected', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [stepSucceeded('a')]));
    expect(await store().executions.append(appendOf(run, [stepSucceeded('b')], 0))).toBe('lost');
    expect(await store().executions.append(appendOf(run, [stepSucceeded('b')], 2))).toBe('lost');
    expect(await store().executions.append(appendOf(run, [stepSucceeded('b')], 1))).toBe('stored');
  });

  test('appends of one owner in the same turn are stored one after the other', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const results = await Promise.all([
      store().executions.append(appendOf(run, [stepSucceeded('a'), stepSucceeded('b')])),
      store().executions.append(appendOf(run, [stepSucceeded('c')], 2)),
    ]);
    expect(results).toEqual(['stored', 'stored']);
    expect((await store().executions.detail(run.id))?.journal.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('an unknown run is lost', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    const unknown = { ...run, id: '01900000-0000-7000-8000-ffffffffffff' };
    expect(await store().executions.append(appendOf(unknown, [stepSucceeded('a')]))).toBe('lost');
  });
}

function endSentences(store: () => Store): void {
  test('the fact that finishes a run ends it', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [stepSucceeded('a'), completed({ ok: true })]));
    expect(await store().executions.detail(run.id)).toMatchObject({
      status: 'completed',
      completedAt: start + 9,
      failure: null,
      finalOutput: { ok: true },
    });
    expect(await store().executions.openCount()).toBe(0);
    expect(await claim(store(), { now: start + 999_000 })).toEqual([]);
  });

  test('a failed run has its error', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [failed('The server answered 500.')]));
    const failure = { code: 'http_status', message: 'The server answered 500.' };
    expect(await store().executions.byId(run.id)).toMatchObject({ status: 'failed', failure });
  });

  test('nothing is appended after the end', async () => {
    const run = await runningRun(store(), await newWorkflow(store()));
    await store().executions.append(appendOf(run, [completed()]));
    expect(await store().executions.append(appendOf(run, [stepSucceeded('a')], 1))).toBe('lost');
  });
}

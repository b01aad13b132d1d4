import { type JsonObject, Problem } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { maxExchanges, maxRecordingBytes, type NewRecording, type RecordedStep } from '../recordings.ts';
import type { Store } from '../store.ts';
import { newExecution, newWorkflow, start } from './world.ts';

/** A run that takes part in a recording, and shorter calls for it. */
async function begin(store: Store, recording?: NewRecording) {
  const workflow = await newWorkflow(store);
  const run = newExecution(workflow, recording === undefined ? {} : { recording });
  const { id } = await store.executions.accept(run);
  const step: RecordedStep = { executionId: id, workflowId: workflow.id, epoch: 1, frame: '', nodeId: 'a', attempt: 1 };
  return {
    id,
    workflow,
    step,
    add: (entry: JsonObject, other: Partial<RecordedStep> = {}) =>
      store.recordings.add({ id, step: { ...step, ...other }, exchange: { kind: 'http', entry } }),
    use: (positions: readonly number[], other: Partial<RecordedStep> = {}) =>
      store.recordings.use({ id, step: { ...step, ...other }, positions }),
    async entries() {
      return (await store.recordings.read(id))?.exchanges.map(({ entry }) => entry);
    },
  };
}

const given = (...entries: readonly JsonObject[]): NewRecording => ({
  kind: 'given',
  exchanges: entries.map((entry) => ({ kind: 'http', entry })),
});

/** Tests of recordings. */
export function recordingSentences(store: () => Store): void {
  describe('a recording', () => addingSentences(store));
  describe('recorded answers', () => answerSentences(store));
  startSentences(store);
}

function addingSentences(store: () => Store): void {
  test('has the exchanges of its runs in their order, and the workflows of these', async () => {
    const { add, id, workflow } = await begin(store(), { kind: 'record' });
    const child = await begin(store(), { kind: 'shared', recording: { id, isReplayed: false } });
    await add({ n: 1 });
    await store().recordings.add({ id, step: child.step, exchange: { kind: 'models', entry: { n: 2 } } });
    expect(await store().recordings.read(id)).toEqual({
      isGiven: false,
      isCut: false,
      bytes: 14,
      workflowIds: [workflow.id, child.workflow.id],
      exchanges: [
        { position: 0, kind: 'http', entry: { n: 1 } },
        { position: 1, kind: 'models', entry: { n: 2 } },
      ],
    });
    expect(await store().recordings.read(child.id)).toBeNull();
    const { recordedIn } = (await store().executions.byId(child.id)) ?? {};
    expect(recordedIn).toEqual({ id, isReplayed: false });
  });

  test('replaces the exchanges of an attempt that another owner of the run makes again', async () => {
    const { add, entries } = await begin(store(), { kind: 'record' });
    await add({ n: 1 });
    await add({ n: 2 });
    await add({ n: 3 }, { nodeId: 'b' });
    await add({ n: 4 }, { epoch: 2 });
    await add({ n: 5 }, { epoch: 2 });
    await add({ n: 6 }, { epoch: 2, attempt: 2 });
    expect(await entries()).toEqual([{ n: 3 }, { n: 4 }, { n: 5 }, { n: 6 }]);
  });

  test('that becomes too large is empty, and stays so', async () => {
    const { add, id } = await begin(store(), { kind: 'record' });
    await add({ n: 1 });
    await add({ text: 'x'.repeat(maxRecordingBytes) });
    await add({ n: 2 });
    expect(await store().recordings.read(id)).toMatchObject({ isCut: true, bytes: 0, exchanges: [] });
  });

  test('that gets too many exchanges is empty', async () => {
    const { add, id } = await begin(store(), { kind: 'record' });
    await Promise.all(Array.from({ length: maxExchanges }, (_, n) => add({ n })));
    expect((await store().recordings.read(id))?.exchanges).toHaveLength(maxExchanges);
    await add({});
    expect(await store().recordings.read(id)).toMatchObject({ isCut: true, exchanges: [] });
  });

  test('of a deleted run accepts nothing', async () => {
    const { add, id, workflow } = await begin(store(), { kind: 'record' });
    await store().executions.cancel({ id, at: start });
    await store().executions.remove({ ids: [id], removableBy: workflow.ownerId });
    await add({ n: 1 });
    expect(await store().recordings.read(id)).toBeNull();
  });
}

function answerSentences(store: () => Store): void {
  test('are used in their order, each as often as it says', async () => {
    const { use } = await begin(store(), given({ n: 0, times: 2 }, { n: 1 }, { n: 2 }));
    expect([await use([0, 2]), await use([0, 2]), await use([0, 2]), await use([0, 2])]).toEqual([0, 0, 2, null]);
    expect(await use([1])).toBe(1);
  });

  test('that an earlier owner of the run used for the same attempt are free again', async () => {
    const { use } = await begin(store(), given({ n: 0 }, { n: 1 }));
    expect(await use([0, 1])).toBe(0);
    expect(await use([0, 1], { epoch: 2 })).toBe(0);
    expect(await use([0, 1], { epoch: 2, attempt: 2 })).toBe(1);
  });

  test('are not changed by what is added', async () => {
    const { add, entries } = await begin(store(), given({ n: 0 }));
    await add({ n: 1 });
    expect(await entries()).toEqual([{ n: 0 }]);
  });

  test('are a copy of the recording of another run, whose uses do not count', async () => {
    const source = await begin(store(), given({ n: 0 }));
    await source.use([0]);
    const { id, use, entries } = await begin(store(), { kind: 'copied', from: source.id });
    await store().executions.cancel({ id: source.id, at: start });
    await store().executions.remove({ ids: [source.id], removableBy: source.workflow.ownerId });
    expect(await entries()).toEqual([{ n: 0 }]);
    expect(await use([0])).toBe(0);
    expect(await store().executions.byId(id)).toMatchObject({ recording: 'replayed' });
  });
}

function startSentences(store: () => Store): void {
  test('a run that copies a recording which no longer exists is not accepted', async () => {
    const workflow = await newWorkflow(store());
    const run = newExecution(workflow, { recording: { kind: 'copied', from: 'missing' } });
    await expect(store().executions.accept(run)).rejects.toThrow(Problem);
    expect(await store().executions.byId(run.id)).toBeNull();
  });

  test.each([
    [undefined, null],
    [{ kind: 'record' }, { isReplayed: false }],
    [given(), { isReplayed: true }],
  ] as const)('the owner of a run with %j knows its recording', async (recording, known) => {
    const { id } = await begin(store(), recording);
    const claim = { owner: 'one', now: start, monotonic: 0, leaseUntil: start + 1000, limit: 10 };
    const [run] = await store().executions.claim(claim);
    expect(run?.recording).toEqual(known === null ? null : { id, ...known });
  });
}

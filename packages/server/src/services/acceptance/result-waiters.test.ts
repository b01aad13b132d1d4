import type { LiveEvent } from '@millrace/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualTime } from '../../ground/virtual-time.ts';
import type { StoreSubscriber } from '../../store/store.ts';
import { createResultWaiters, type ResultWaiters } from './result-waiters.ts';

const id = '01900000-0000-7000-8000-000000000001';
const response = { status: 200, headers: {}, body: 'hi' };
const status = { type: 'node_status', executionId: id, nodeId: 'n', frame: '', attempt: 1, status: 'success' } as const;
const responded: LiveEvent = { ...status, respond: response };
const completed: LiveEvent = { type: 'execution_completed', executionId: id, output: 5 };

let time: VirtualTime;
let waiters: ResultWaiters;
let publish: (...events: LiveEvent[]) => void;
let subscribers: Set<StoreSubscriber>;
beforeEach(() => {
  time = new VirtualTime();
  subscribers = new Set();
  waiters = createResultWaiters({
    timers: time.timers,
    store: {
      subscribe: (subscriber) => {
        subscribers.add(subscriber);
        return () => subscribers.delete(subscriber);
      },
      // No run has a journal here: results that a journal already contains are tested with the API.
      executions: { detail: async () => null },
    },
  });
  publish = (...events) => {
    for (const subscriber of subscribers) subscriber.published?.(events.map((event) => ({ workflowId: 1, event })));
  };
});
afterEach(() => {
  waiters.close();
  expect([time.pending, subscribers.size]).toEqual([0, 0]);
});

describe('a wait for the end', () => {
  it('ends with the run, and not with the earlier response of a respond node', async () => {
    const { answer } = waiters.expect(id, { moment: 'end', timeoutMs: 10 });
    publish(responded, completed);
    expect(await answer).toEqual({ kind: 'completed', output: 5 });
  });

  it.each([
    [{ type: 'execution_cancelled', executionId: id }, { kind: 'cancelled' }],
    [
      { type: 'execution_failed', executionId: id, failure: { code: 'assertion', message: 'no' }, nodeId: 'n' },
      { kind: 'failed', failure: { code: 'assertion', message: 'no' } },
    ],
  ] as const)('ends with %j', async (event, outcome) => {
    const { answer } = waiters.expect(id, { moment: 'end', timeoutMs: 10 });
    publish(event);
    expect(await answer).toEqual(outcome);
  });

  it('does not end with another run', async () => {
    const { answer } = waiters.expect(id, { moment: 'end', timeoutMs: 10 });
    publish({ ...completed, executionId: 'another' }, { type: 'edge_deleted', id: 1 });
    time.advance(10);
    expect(await answer).toEqual({ kind: 'late' });
  });
});

describe('a wait for a response', () => {
  it('ends with the first respond node', async () => {
    const { answer } = waiters.expect(id, { moment: 'respond', timeoutMs: 10 });
    publish(responded, { ...responded, respond: { ...response, body: 'later' } }, completed);
    expect(await answer).toEqual({ kind: 'responded', answer: response });
  });

  it('ends with the run if no node responded', async () => {
    const { answer } = waiters.expect(id, { moment: 'respond', timeoutMs: 10 });
    publish(completed);
    expect(await answer).toEqual({ kind: 'completed', output: 5 });
  });
});

describe('every wait', () => {
  it('for the same run ends with it', async () => {
    const waits = [1, 2, 3].map(() => waiters.expect(id, { moment: 'end', timeoutMs: 10 }));
    publish(completed);
    expect(await Promise.all(waits.map(({ answer }) => answer))).toHaveLength(3);
  });

  it('ends at its own timeout, and leaves the others waiting', async () => {
    const short = waiters.expect(id, { moment: 'end', timeoutMs: 10 });
    const long = waiters.expect(id, { moment: 'end', timeoutMs: 20 });
    time.advance(10);
    expect(await short.answer).toEqual({ kind: 'late' });
    publish(completed);
    expect(await long.answer).toMatchObject({ kind: 'completed' });
  });

  it('ends when it is abandoned, and when the process stops', async () => {
    const abandoned = waiters.expect(id, { moment: 'end', timeoutMs: 10 });
    abandoned.abandon();
    const stopped = waiters.expect(id, { moment: 'end', timeoutMs: 10 });
    waiters.close();
    expect([await abandoned.answer, await stopped.answer]).toEqual([{ kind: 'late' }, { kind: 'late' }]);
  });
});

it('a wait is removed if its run cannot be read', async () => {
  const store = {
    subscribe: () => () => undefined,
    executions: { detail: () => Promise.reject(new Error('the disk')) },
  };
  const unreadable = createResultWaiters({ store, timers: time.timers });
  await expect(unreadable.expectExisting(id, { moment: 'end', timeoutMs: 10 })).rejects.toThrow('the disk');
  expect(unreadable.isAwaited(id)).toBe(false);
});

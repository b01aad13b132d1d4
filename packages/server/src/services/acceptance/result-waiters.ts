import {
  type Failure,
  type HttpAnswer,
  type Json,
  type LiveEvent,
  type Published,
  standingEntries,
} from '@millrace/core';
import type { CancelTimer, Timers } from '../../ground/clock.ts';
import type { ExecutionDetail } from '../../store/executions.ts';
import type { Store } from '../../store/store.ts';

/** The result of a run, for a request that waits for it. */
export type RunResult =
  | { readonly kind: 'responded'; readonly answer: HttpAnswer }
  | { readonly kind: 'completed'; readonly output: Json }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }
  /** Neither the end nor a response came in time: the run continues. */
  | { readonly kind: 'late' };

/** The event that a request waits for: the run's end, or the first respond node before it. */
export type AwaitedMoment = 'respond' | 'end';

interface Wait {
  readonly moment: AwaitedMoment;
  readonly timeoutMs: number;
}

/** The wait of one request. It ends by itself, at the latest at its timeout. */
export interface Expectation {
  readonly answer: Promise<RunResult>;
  /** Ends the wait as `late`, e.g. because the client disconnected. */
  abandon(): void;
}

/** Lets requests wait for the results of runs. */
export interface ResultWaiters {
  /** For a run that is about to be accepted. Call it before that, so that no event is missed. */
  expect(executionId: string, wait: Wait): Expectation;
  /** For a run that may already have responded or ended. */
  expectExisting(executionId: string, wait: Wait): Promise<Expectation>;
  /** True if a request waits for this run. */
  isAwaited(executionId: string): boolean;
  /** Ends every wait as `late`, because the process stops. */
  close(): void;
}

interface Waiter {
  readonly moment: AwaitedMoment;
  settle(answer: RunResult): void;
}

interface ResultWaitersPorts {
  readonly store: Pick<Store, 'subscribe'> & { readonly executions: Pick<Store['executions'], 'detail'> };
  readonly timers: Timers;
}

export function createResultWaiters({ store, timers }: ResultWaitersPorts): ResultWaiters {
  const waiting = new Map<string, Set<Waiter>>();
  const unsubscribe = store.subscribe({
    published: (events) => {
      if (waiting.size > 0) settleBy(waiting, events);
    },
  });

  function expect(executionId: string, { moment, timeoutMs }: Wait): Expectation {
    let settle: (answer: RunResult) => void = () => undefined;
    let cancelTimer: CancelTimer = () => undefined;
    const answer = new Promise<RunResult>((resolve) => {
      const waiter: Waiter = {
        moment,
        settle: (found) => {
          cancelTimer();
          forget(waiting, executionId, waiter);
          resolve(found);
        },
      };
      settle = waiter.settle;
      waiting.set(executionId, (waiting.get(executionId) ?? new Set()).add(waiter));
    });
    cancelTimer = timers.after(timeoutMs, () => settle({ kind: 'late' }));
    return { answer, abandon: () => settle({ kind: 'late' }) };
  }

  return {
    expect,
    isAwaited: (executionId) => waiting.has(executionId),
    async expectExisting(executionId, wait) {
      // Subscribed first, so that no event is lost while the journal is read. Settling twice has no effect.
      const expectation = expect(executionId, wait);
      let known: RunResult | null;
      try {
        const detail = await store.executions.detail(executionId);
        known = detail && answerOf(detail, wait.moment);
      } catch (error) {
        expectation.abandon();
        throw error;
      }
      if (known === null) return expectation;
      expectation.abandon();
      return { answer: Promise.resolve(known), abandon: () => undefined };
    },
    close() {
      unsubscribe();
      for (const waiters of [...waiting.values()]) {
        for (const waiter of [...waiters]) waiter.settle({ kind: 'late' });
      }
    },
  };
}

function forget(waiting: Map<string, Set<Waiter>>, executionId: string, waiter: Waiter): void {
  const waiters = waiting.get(executionId);
  waiters?.delete(waiter);
  if (waiters?.size === 0) waiting.delete(executionId);
}

function settleBy(waiting: ReadonlyMap<string, ReadonlySet<Waiter>>, events: readonly Published[]): void {
  for (const { event } of events) {
    if (!('executionId' in event)) continue;
    const waiters = waiting.get(event.executionId);
    if (waiters === undefined) continue;
    for (const waiter of [...waiters]) {
      const answer = answerIn(event, waiter.moment);
      if (answer !== null) waiter.settle(answer);
    }
  }
}

function answerIn(event: LiveEvent, moment: AwaitedMoment): RunResult | null {
  switch (event.type) {
    case 'node_status':
      return moment === 'respond' && event.respond !== undefined ? { kind: 'responded', answer: event.respond } : null;
    case 'execution_completed':
      return { kind: 'completed', output: event.output };
    case 'execution_failed':
      return { kind: 'failed', failure: event.failure };
    case 'execution_cancelled':
      return { kind: 'cancelled' };
    default:
      return null;
  }
}

/** The result that a run's journal already contains; null if it has none yet, or if a retry took it back. */
function answerOf({ journal, status }: ExecutionDetail, moment: AwaitedMoment): RunResult | null {
  for (const { fact } of standingEntries(journal)) {
    if (moment === 'respond' && fact.kind === 'step_succeeded' && fact.respond !== undefined) {
      return { kind: 'responded', answer: fact.respond };
    }
    if (fact.kind !== 'run_finished') continue;
    if (fact.status === 'completed') return { kind: 'completed', output: fact.output };
    if (fact.failure !== null && fact.status === 'failed') return { kind: 'failed', failure: fact.failure };
  }
  // A run that was cancelled before it started has no journal.
  return status === 'cancelled' ? { kind: 'cancelled' } : null;
}

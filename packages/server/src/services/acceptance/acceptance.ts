import { Problem, type Workflow } from '@millrace/core';
import type { Clock, Timers } from '../../ground/clock.ts';
import { ClockPast } from '../../ground/clock-past.ts';
import type { Idempotency, IdempotentUse, NewExecution } from '../../store/executions.ts';
import type { Store } from '../../store/store.ts';
import { HeldRejections } from './held-rejections.ts';
import { QueuePace } from './queue-pace.ts';

/** Accepts runs up to the limit of pending and running runs. */
export interface Acceptance {
  /** The use of a request's key now. Equal keys with different scopes are different keys. */
  useOf(scope: string, given: Idempotency | null): IdempotentUse | null;
  /**
   * The id of the run that an earlier request with this key started; null for a new request.
   * @throws Problem `idempotency_conflict` if the earlier request had another body
   */
  earlier(workflow: Pick<Workflow, 'id'>, use: IdempotentUse | null): Promise<string | null>;
  /**
   * @throws Problem `overloaded` if too many runs are open (after a short wait in a flood), or the disk cannot keep up
   */
  checkRoom(): Promise<void>;
  /**
   * Resolves when the run is committed. `created` is false if an earlier request with the same idempotency key started
   * a run; `id` is then the id of that run.
   * @throws Problem `overloaded` if too many runs are open, `idempotency_conflict` as `earlier`
   */
  accept(run: NewExecution): Promise<{ readonly id: string; readonly created: boolean }>;
}

interface AcceptancePorts {
  readonly store: Pick<Store, 'executions' | 'backlog'>;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
  /** How many runs may be open at once. */
  readonly maxOpenRuns: number;
}

/** How long a key identifies a request. */
const idempotentForMs = 24 * 60 * 60 * 1000;

export function createAcceptance({ store, clock, timers, maxOpenRuns }: AcceptancePorts): Acceptance {
  const pace = new QueuePace();
  const held = new HeldRejections({ clock, timers });
  const past = new ClockPast(clock);
  async function checkRoom(): Promise<void> {
    const { backlog } = store;
    if (backlog !== null) throw backlog;
    const open = await store.executions.openCount();
    if (open < maxOpenRuns) return;
    await held.wait();
    const retryAfter = pace.secondsUntilRoom(clock.monotonic(), open, open - maxOpenRuns + 1);
    throw new Problem('overloaded', 'Too many executions are pending or running. Try again later.', { retryAfter });
  }
  return {
    useOf: (scope, given) => given && { ...given, key: `${scope}:${given.key}`, since: past.ago(idempotentForMs) },
    async earlier({ id: workflowId }, use) {
      return use === null ? null : store.executions.byIdempotencyKey({ workflowId, ...use });
    },
    checkRoom,
    async accept(run) {
      await checkRoom();
      // An estimate: counted before the commit.
      pace.accepted();
      return store.executions.accept(run);
    },
  };
}

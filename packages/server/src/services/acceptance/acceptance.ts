import { type Instant, Problem, type Trigger, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import { newExecutionId } from '../../ground/ids.ts';
import type { NewChatTurn } from '../../store/chats.ts';
import type { Idempotency, NewExecution } from '../../store/executions.ts';
import type { VersionedGraph } from '../../store/graphs.ts';
import type { Store } from '../../store/store.ts';
import { concurrencyKeyOf } from './concurrency-key.ts';
import { QueuePace } from './queue-pace.ts';

/** A run to be stored, so that a runner claims it. */
export interface RunStart {
  /** From `newId`, so that a caller can wait for the run before it is stored. */
  readonly id: string;
  readonly workflow: Pick<Workflow, 'id' | 'concurrency' | 'concurrencyKey'>;
  readonly graph: VersionedGraph;
  readonly triggerNodeId: string;
  readonly trigger: Trigger;
  /** The same key for the same workflow within 24 hours starts nothing. */
  readonly idempotency: Idempotency | null;
  /** Whether somebody starts it by hand: then pinned outputs hold. */
  readonly isManual?: boolean;
  /** The execution that it replays, and the facts that it begins with. */
  readonly fork?: NonNullable<NewExecution['fork']>;
  /** The message that starts it. */
  readonly chat?: NewChatTurn;
}

/** Accepts runs, as long as not too many are waiting. */
export interface Acceptance {
  newId(): string;
  /**
   * The run that this key started within the last 24 hours; null for a new request.
   * @throws Problem `idempotency_conflict` when another body started it
   */
  earlier(workflow: Pick<Workflow, 'id'>, idempotency: Idempotency | null): Promise<string | null>;
  /** @throws Problem `overloaded` when too many runs are open */
  checkRoom(): Promise<void>;
  /**
   * Resolves when the run is on disk; `created` is false when the idempotency key named an earlier one.
   * @throws Problem `overloaded` when too many runs are open, `idempotency_conflict` as `earlier`
   */
  accept(start: RunStart): Promise<{ readonly id: string; readonly created: boolean }>;
}

interface AcceptancePorts {
  readonly store: Pick<Store, 'executions'>;
  readonly clock: Clock;
  /** How many runs may be open at once. */
  readonly maxOpenRuns: number;
}

const idempotentForMs: Instant = 24 * 60 * 60 * 1000;

export function createAcceptance({ store, clock, maxOpenRuns }: AcceptancePorts): Acceptance {
  const pace = new QueuePace();
  async function checkRoom(): Promise<void> {
    const open = await store.executions.openCount();
    if (open < maxOpenRuns) return;
    const retryAfter = pace.secondsUntilRoom(clock.monotonic(), open, open - maxOpenRuns + 1);
    throw new Problem('overloaded', 'Too many executions are waiting to run. Try again later.', { retryAfter });
  }
  return {
    newId: () => newExecutionId(clock.now()),
    async earlier({ id: workflowId }, idempotency) {
      if (idempotency === null) return null;
      return store.executions.byIdempotencyKey({ workflowId, ...idempotency, since: clock.now() - idempotentForMs });
    },
    checkRoom,
    async accept({ id, workflow, graph, triggerNodeId, trigger, idempotency, isManual = false, fork, chat }) {
      await checkRoom();
      pace.accepted();
      const at = clock.now();
      return store.executions.accept({
        id,
        workflowId: workflow.id,
        version: graph.version,
        graph,
        triggerNodeId,
        trigger,
        concurrencyKey: concurrencyKeyOf(workflow, trigger),
        idempotency: idempotency && { ...idempotency, since: at - idempotentForMs },
        isManual,
        ...(fork && { fork }),
        at,
        ...(chat !== undefined && { chat }),
      });
    },
  };
}

import type { Instant } from '@millrace/core';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import type { Writer } from '../database/writer.ts';

/** Ends the runs that were asked to stop and have no owner, in many short transactions. */
export interface StoppingRuns {
  finish(params: { at: Instant }): Promise<void>;
  /** Begins to end those that a committed transaction has marked. */
  follow(effects: Effects): void;
}

interface StoppingRunsParts {
  readonly connection: Connection;
  readonly writer: Pick<Writer, 'submit'>;
  readonly cancellation: { cancel(params: { id: string; at: Instant }, effects: Effects): unknown };
  readonly endedAtOnce: number;
  /** Called when they could not be ended. They remain marked. */
  readonly failed: (error: unknown) => void;
}

/** Prepares the statements that end the runs for which the transaction of a cancellation had no time. */
export function prepareStoppingRuns(parts: StoppingRunsParts): StoppingRuns {
  const { connection, writer, cancellation, endedAtOnce, failed } = parts;
  const some = connection
    .prepare<[number], string>(
      `SELECT id FROM executions INDEXED BY executions_stopping
       WHERE cancel_requested = 1 AND status IN ('pending', 'waiting', 'interrupted') LIMIT ?`,
    )
    .pluck();

  /** Returns whether there may be more. */
  function endSome(at: Instant, effects: Effects): boolean {
    const ids = some.all(endedAtOnce);
    for (const id of ids) {
      cancellation.cancel({ id, at }, effects);
      // The end of one run can end runs that it waited for.
      if (effects.ended >= endedAtOnce) break;
    }
    return ids.length > 0;
  }

  async function finish({ at }: { at: Instant }): Promise<void> {
    while (await writer.submit((effects) => endSome(at, effects)));
  }

  return {
    finish,
    follow({ stoppingSince: at }) {
      if (at !== null) finish({ at }).catch(failed);
    },
  };
}

import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';

/** The columns that say how often a run was lost. */
export interface LostRow {
  readonly last_seq: number;
  readonly losses: number;
  readonly lost_seq: number | null;
}

/**
 * Runs that are lost with their processes, time after time. A run that got on since then is counted anew: where its journal
 * ended is noted, so that whoever appends has nothing to write for it.
 */
export interface Losses {
  /** Notes that its owner is gone. A pending one that may be the reason waits for its turn to run alone. */
  note(id: string): void;
  /**
   * Lets one of those be claimed, unless another is under way alone: until it gets on, or for `aloneMs`.
   * @param monotonic milliseconds on a clock that nobody can set
   */
  letOneThrough(monotonic: number, effects: Effects): void;
  /** Some run got on: whoever waits to run alone may be next. */
  gotOn(effects: Effects): void;
}

/**
 * A run that was lost so often is a suspect: after the first of these crashes all that were under way go on at once, as they
 * should, and at the third in a row chance is no good explanation any more.
 */
const suspectAfter = 3;

/** Milliseconds for which a suspect is alone: what ends a process mostly does so at once, and others' steps may take long. */
const aloneMs = 30_000;

/** What keeps a suspect from being claimed. */
const alone = 'alone';

/** How often the run was lost where its journal ends. */
export function lossesOf({ last_seq: lastSeq, losses, lost_seq: lostSeq }: LostRow): number {
  return lostSeq === lastSeq ? losses : 0;
}

/** Prepares the statements on lost runs. */
export function prepareLosses(connection: Connection): Losses {
  const count = connection.prepare<[string]>(
    `UPDATE executions SET losses = CASE WHEN lost_seq = last_seq THEN losses + 1 ELSE 1 END, lost_seq = last_seq
     WHERE id = ?`,
  );
  const setAside = connection.prepare<[string]>(
    `UPDATE executions SET blocked_on = '${alone}' WHERE id = ? AND status = 'pending' AND losses >= ${suspectAfter}`,
  );
  const aside = connection.prepare<[], { id: string }>(
    `SELECT id FROM executions INDEXED BY executions_pending WHERE status = 'pending' AND blocked_on = '${alone}'
     ORDER BY priority DESC, turn, id LIMIT 1`,
  );
  const underWay = connection.prepare<[]>(
    `SELECT 1 FROM executions INDEXED BY executions_leases
     WHERE status = 'running' AND lost_seq = last_seq AND losses >= ${suspectAfter} LIMIT 1`,
  );
  const letThrough = connection.prepare<[string]>('UPDATE executions SET blocked_on = NULL WHERE id = ?');
  // What a rollback undoes, the next claim finds: nothing but a look is lost by that.
  let mayBeAside = aside.get() !== undefined;
  let letThroughAt = Number.NEGATIVE_INFINITY;
  return {
    note(id) {
      count.run(id);
      mayBeAside = setAside.run(id).changes > 0 || mayBeAside;
    },
    letOneThrough(monotonic, effects) {
      const next = aside.get();
      mayBeAside = next !== undefined;
      if (next === undefined || (underWay.get() !== undefined && monotonic - letThroughAt < aloneMs)) return;
      letThrough.run(next.id);
      letThroughAt = monotonic;
      effects.pending = true;
    },
    gotOn(effects) {
      effects.pending ||= mayBeAside;
    },
  };
}

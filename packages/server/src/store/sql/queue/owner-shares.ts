import type { Claim } from '../../executions.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { quarantineOfRow } from './crash-counts.ts';

/** A pending run with its owner. */
interface OwnedRow {
  readonly id: string;
  readonly owner_id: number;
}

/** The places that the process of a claim has for each owner. */
type Shares = Pick<NonNullable<Claim['places']>, 'placesFor' | 'lackedBy'>;

/** What the value of `blocked_on` says: whose runs wait, and for what. */
interface Lack {
  readonly ownerId: number;
  readonly of: 'place' | 'memory';
}

/**
 * Lets the owners of runs share the places of a process. A pending run whose owner has its share is blocked: it leaves
 * the queue, so that claims for others need not look at it each time.
 */
export interface OwnerShares {
  /** Called before a claim: unblocks as many runs as each owner may get. */
  unblock(places: Shares, limit: number): void;
  /** True if the run may be claimed; otherwise it is blocked. */
  admits(places: Shares, row: OwnedRow, size: number): boolean;
  /** Called after a claim: another one follows if there are blocked runs whose owner may have more. */
  settle(places: Shares, effects: Effects): void;
}

/** A large run, of whatever size. */
const large = Number.POSITIVE_INFINITY;

/** Large runs that are unblocked for one claim: the size of the first decides about the next. */
const largeAtOnce = 1;

/** The shares of owners, on this connection. */
export function prepareOwnerShares(connection: Connection): OwnerShares {
  const blocked = connection
    .prepare<[], string>(
      `SELECT DISTINCT blocked_on FROM executions INDEXED BY executions_pending
       WHERE status = 'pending' AND blocked_on > 'owner:' AND blocked_on < 'owner;'`,
    )
    .pluck();
  const block = connection.prepare<[string, string]>('UPDATE executions SET blocked_on = ? WHERE id = ?');
  // Quarantined runs go back into quarantine, from which they come one at a time.
  const unblock = connection.prepare<[string, number]>(
    `UPDATE executions SET blocked_on = ${quarantineOfRow} WHERE id IN (
       SELECT id FROM executions INDEXED BY executions_pending WHERE status = 'pending' AND blocked_on = ?
       ORDER BY priority DESC, turn, id LIMIT ?)`,
  );
  // A key without runs costs one query.
  const waiting = new Map(blocked.all().map((key) => [key, lackOf(key)]));
  const isAdmitted = (places: Shares, { ownerId, of }: Lack) =>
    places.lackedBy(ownerId, of === 'memory' ? large : 0) === null;
  return {
    unblock(places, limit) {
      for (const [key, lack] of waiting) {
        if (!isAdmitted(places, lack)) continue;
        const most = lack.of === 'memory' ? largeAtOnce : places.placesFor(lack.ownerId);
        const { changes } = unblock.run(key, Math.min(most, limit));
        // Only after a transaction that unblocked none: one that unblocked the last may be rolled back.
        if (changes === 0) waiting.delete(key);
      }
    },
    admits(places, { id, owner_id: ownerId }, size) {
      const of = places.lackedBy(ownerId, size);
      if (of === null) return true;
      const key = `owner:${ownerId}:${of}`;
      block.run(key, id);
      waiting.set(key, { ownerId, of });
      return false;
    },
    settle(places, effects) {
      for (const lack of waiting.values()) effects.pending ||= isAdmitted(places, lack);
    },
  };
}

function lackOf(key: string): Lack {
  const [, ownerId, of] = key.split(':');
  return { ownerId: Number(ownerId), of: of === 'memory' ? 'memory' : 'place' };
}

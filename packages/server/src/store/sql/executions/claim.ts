import { formatInstant, parseInstant } from '@millrace/core';
import type { CachedRun, Claim, ClaimedRun } from '../../executions.ts';
import { type Bit, isMoment } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { isStorageFailure } from '../database/failures.ts';
import { clockSetsOf } from '../queue/clock-sets.ts';
import type { ConcurrencySlots, SlotRow } from '../queue/concurrency-slots.ts';
import { type CrashCounts, type CrashRow, crashCountOf } from '../queue/crash-counts.ts';
import { type IncidentRow, type Incidents, incidentOf } from '../queue/incidents.ts';
import type { OwnerShares } from '../queue/owner-shares.ts';
import type { QueuePositions } from '../queue/queue-positions.ts';
import { recordingOf, type TriggerRow, toTrigger } from './execution-row.ts';
import type { Journal } from './journal.ts';
import type { prepareJournalSize } from './journal-size.ts';

interface ClaimParts {
  readonly connection: Connection;
  readonly journal: Journal;
  readonly slots: ConcurrencySlots;
  readonly ownerShares: OwnerShares;
  readonly positions: QueuePositions;
  readonly crashCounts: CrashCounts;
  readonly incidents: Pick<Incidents, 'releaseHeld'>;
  readonly journalSize: ReturnType<typeof prepareJournalSize>;
}

/** The fields of a claimed run that SQLite stores as they are. */
type PlainField =
  | 'workflowSlug'
  | 'version'
  | 'epoch'
  | 'triggerNodeId'
  | 'toNodeId'
  | 'maxExecutionSeconds'
  | 'unownedMs'
  | 'depth';

/** A `ClaimedRun` before its times, flags and texts are parsed, with the columns that decide whether it is claimed. */
interface ClaimRow extends Pick<ClaimedRun, PlainField>, Omit<TriggerRow, 'payload'>, SlotRow, CrashRow, IncidentRow {
  readonly status: 'pending' | 'running';
  readonly owner_id: number;
  readonly priority: number;
  readonly turn: number;
  readonly lease_until: string | null;
  readonly accepted_at: string;
  readonly first_started_at: string | null;
  readonly isManual: Bit;
  readonly recorded_in: string | null;
  readonly answered_by: string | null;
  readonly clock_sets: string | null;
  readonly cancelRequested: Bit;
  /** Null if it is large, or if the run was claimed before: its owner may have cached it. */
  readonly payload: string | null;
  /** Null if the run was claimed before. */
  readonly payloadBytes: number | null;
}

/**
 * Claims runs. The rows are read first and updated one by one, not by UPDATE … RETURNING, which could return neither
 * the trigger and the workflow with them, nor their previous status, nor an order. All of it is one transaction, so no
 * other claim can interleave.
 */
export function prepareClaim({
  connection,
  journal,
  slots,
  ownerShares,
  positions,
  crashCounts,
  incidents,
  journalSize,
}: ClaimParts): (params: Claim, effects: Effects) => ClaimedRun[] {
  const find = prepareFind(connection);
  const take = connection.prepare<[string, string, string, number, string]>(
    `UPDATE executions
     SET status = 'running', epoch = epoch + 1, claimed_by = ?, lease_until = ?, started_at = coalesce(started_at, ?),
       unowned_ms = ?
     WHERE id = ?`,
  );
  const contentOf = prepareContent(connection, journal);
  const measured = prepareSize(connection, journalSize);
  const sizeOf = (row: ClaimRow, cache: Claim['cache']): ReadSize => {
    const cached = cachedRun(row, cache);
    return cached === undefined ? measured(row) : { facts: 0, bytes: 0, isLarge: false, size: cached.state.size };
  };

  function takeRow(
    { row, isLarge, size }: Candidate,
    { owner, at, until, cache }: Lease,
    effects: Effects,
  ): ClaimedRun {
    const hasCrashed = row.status === 'running';
    if (hasCrashed) crashCounts.increment(row.id);
    const unownedMs = row.unownedMs + unownedFor(row, at);
    take.run(owner, until, at, unownedMs, row.id);
    if (row.status === 'pending') effects.move(row.workflow_id, 'pending', 'running');
    positions.reached(row.turn);
    const counts = { at, unownedMs, size, crashCount: crashCountOf(row) + (hasCrashed ? 1 : 0) };
    return { ...toClaimedRun(row, counts), ...contentOf(row, isLarge, cache?.get(row.id)) };
  }

  return ({ owner, now, monotonic, leaseUntil, limit, cache, places = unlimited }, effects) => {
    const lease: Lease = { owner, at: formatInstant(now), until: formatInstant(leaseUntil), cache };
    const getsSlot = slots.allocator(effects);
    incidents.releaseHeld(monotonic);
    crashCounts.releaseOne(monotonic, effects);
    ownerShares.unblock(places, limit);
    const mayStart = (row: ClaimRow, size: number): boolean =>
      row.status === 'running' || (ownerShares.admits(places, row, size) && getsSlot(row));
    const taken: ClaimedRun[] = [];
    let examined = 0;
    let [factsLeft, bytesLeft] = [maxFactsRead, maxBytesRead];
    let hasBlocked = true;
    // Blocked runs have left the queue, so the next ones can follow.
    while (hasBlocked && taken.length < limit && examined < maxExamined && factsLeft > 0 && bytesLeft > 0) {
      const found = find({ owner, at: lease.at, limit: limit - taken.length });
      const candidates: Candidate[] = [];
      for (const row of found) {
        if (factsLeft <= 0 || bytesLeft <= 0) break;
        examined += 1;
        const { facts, bytes, isLarge, size } = sizeOf(row, cache);
        if (!mayStart(row, size)) continue;
        places.take({ ownerId: row.owner_id, size });
        factsLeft -= facts;
        bytesLeft -= bytes;
        candidates.push({ row, isLarge, size });
      }
      for (const candidate of candidates) taken.push(takeRow(candidate, lease, effects));
      hasBlocked = candidates.length < found.length;
    }
    // The next claim continues from here.
    if (hasBlocked) effects.pending = true;
    ownerShares.settle(places, effects);
    return taken;
  };
}

/** Places of which every owner may have as many as it wants. */
const unlimited: NonNullable<Claim['places']> = {
  placesFor: () => Number.POSITIVE_INFINITY,
  lackedBy: () => null,
  take: () => undefined,
};

/** Runs examined in one claim: blocking one takes about 10 µs, during which every request waits. */
const maxExamined = 512;

/**
 * Facts after which a claim reads no further journal: reading and folding as many takes about 50 ms. Without this, the
 * runs of one claim after a restart could keep the event loop for seconds.
 */
const maxFactsRead = 10_000;

/**
 * Bytes of payloads and journals after which a claim reads no further run: parsing as many takes about 100 ms. Without
 * this, a claim of 64 runs with the largest payloads would take seconds and 600 MB.
 */
const maxBytesRead = 8 * 1024 * 1024;

/** A larger payload is read after it is decided whether its run is claimed. */
const smallPayload = 65_536;

/** The cached state of a run, if the run has not changed since. */
function cachedRun({ id, last_seq: lastSeq, epoch }: ClaimRow, cache: Claim['cache']): CachedRun | undefined {
  const cached = cache?.get(id);
  return cached?.lastSeq === lastSeq && cached.epoch === epoch ? cached : undefined;
}

/** A run that may be claimed. */
interface Candidate extends Pick<ReadSize, 'isLarge' | 'size'> {
  readonly row: ClaimRow;
}

/** What a claim reads of a run. */
interface ReadSize {
  readonly facts: number;
  readonly bytes: number;
  /** True if its journal is left to its owner. */
  readonly isLarge: boolean;
  /** The bytes of its payload and its journal, as far as they were counted. */
  readonly size: number;
}

/** Measures what a claim would read of a run. */
function prepareSize(connection: Connection, journalSize: ClaimParts['journalSize']): (row: ClaimRow) => ReadSize {
  const triggerBytes = connection
    .prepare<[string], number>('SELECT octet_length(payload) FROM triggers WHERE execution_id = ?')
    .pluck();
  return ({ id, payloadBytes, last_seq: lastSeq }) => {
    const trigger = payloadBytes ?? triggerBytes.get(id) ?? 0;
    if (lastSeq === 0) return { facts: 0, bytes: trigger, isLarge: false, size: trigger };
    const { bytes, isLarge } = journalSize(id, lastSeq);
    const size = trigger + bytes;
    return isLarge ? { facts: 0, bytes: trigger, isLarge, size } : { facts: lastSeq, bytes: size, isLarge, size };
  };
}

interface Lease {
  readonly owner: string;
  readonly at: string;
  readonly until: string;
  readonly cache: Claim['cache'];
}

/**
 * Finds the runs that an owner may claim, in the order in which they are claimed. Three statements: as one with UNION ALL
 * and ORDER BY, SQLite needs 50 µs even when it finds nothing, which is the usual answer; these need 15 µs.
 */
function prepareFind(connection: Connection): (params: Wanted) => readonly ClaimRow[] {
  // Both scan a partial index of open runs, so the cost depends on the limit, not on the history.
  const pending = connection
    .prepare<[number], string>(
      `SELECT id FROM executions INDEXED BY executions_pending
       WHERE status = 'pending' AND blocked_on IS NULL ORDER BY priority DESC, turn, id LIMIT ?`,
    )
    .pluck();
  // An owner does not claim its own runs: after a standstill, or when the clock is set forward, all of its leases seem
  // to have ended.
  const abandoned = connection
    .prepare<[string, string, number], string>(
      `SELECT id FROM executions INDEXED BY executions_leases
       WHERE status = 'running' AND lease_until < ? AND claimed_by <> ? ORDER BY lease_until LIMIT ?`,
    )
    .pluck();
  // The deletion of a workflow ends its runs in many transactions: one that is claimed in between only ends.
  const find = connection.prepare<[string], ClaimRow>(
    `SELECT e.id, e.workflow_id, e.owner_id, e.status, e.priority, e.turn, e.gate, e.in_turn, e.schedule_id, w.concurrency,
       e.last_seq, e.losses, e.lost_seq, e.incident, e.accepted_at, e.started_at, e.first_started_at, e.lease_until,
       w.slug AS workflowSlug, e.version, e.epoch, e.trigger_node_id AS triggerNodeId, e.to_node_id AS toNodeId,
       w.max_execution_seconds AS maxExecutionSeconds, e.unowned_ms AS unownedMs, e.clock_sets, e.depth, e.is_manual AS isManual,
       e.recorded_in, e.answered_by,
       e.cancel_requested OR w.deleted_at IS NOT NULL AS cancelRequested, octet_length(t.payload) AS payloadBytes,
       iif(octet_length(t.payload) <= ${smallPayload}, t.payload, NULL) AS payload, t.text, t.headers, t.query,
       t.session_id
     FROM executions e
     JOIN workflows w ON w.id = e.workflow_id
     LEFT JOIN triggers t ON t.execution_id = e.id AND e.epoch = 0
     WHERE e.id = ?`,
  );
  return ({ owner, at, limit }) => {
    const waiting = pending.all(limit);
    const leftBehind = abandoned.all(at, owner, limit);
    const rows = [...waiting, ...leftBehind].map((id) => find.get(id)).filter((row) => row !== undefined);
    return leftBehind.length === 0 ? rows : rows.sort(byTurn).slice(0, limit);
  };
}

interface Wanted {
  readonly owner: string;
  readonly at: string;
  readonly limit: number;
}

function byTurn(one: ClaimRow, other: ClaimRow): number {
  return other.priority - one.priority || one.turn - other.turn || (one.id < other.id ? -1 : 1);
}

/** The milliseconds for which the run had no owner: since its lease ended, or since it was parked. */
function unownedFor({ lease_until: end }: ClaimRow, at: string): number {
  if (end === null || !isMoment(end)) return 0;
  return Math.max(0, Math.round(parseInstant(at) - parseInstant(end)));
}

type Content = Pick<ClaimedRun, 'trigger' | 'variables' | 'journal' | 'isJournalLarge' | 'cached' | 'damage'>;

function toClaimedRun(
  row: ClaimRow,
  { at, ...counts }: { readonly at: string } & Pick<ClaimedRun, 'unownedMs' | 'size' | 'crashCount'>,
): Omit<ClaimedRun, keyof Content> {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    ownerId: row.owner_id,
    workflowSlug: row.workflowSlug,
    version: row.version,
    epoch: row.epoch + 1,
    triggerNodeId: row.triggerNodeId,
    toNodeId: row.toNodeId,
    acceptedAt: parseInstant(row.accepted_at),
    startedAt: parseInstant(row.first_started_at ?? row.started_at ?? at),
    countsFrom: parseInstant(row.started_at ?? at),
    maxExecutionSeconds: row.maxExecutionSeconds,
    clockSets: clockSetsOf(row.clock_sets),
    depth: row.depth,
    isManual: row.isManual === 1,
    recording: recordingOf(row),
    cancelRequested: row.cancelRequested === 1,
    incident: incidentOf(row),
    lastSeq: row.last_seq,
    ...counts,
  };
}

/** The parsed parts. One damaged row must not prevent the runs after it from being claimed, so it is claimed too. */
function prepareContent(connection: Connection, journal: Journal) {
  const triggerOf = connection.prepare<[string], TriggerRow>(
    'SELECT payload, text, headers, query, session_id FROM triggers WHERE execution_id = ?',
  );
  return (row: ClaimRow, isLarge: boolean, cached: CachedRun | undefined): Content => {
    // A journal only grows: if it still ends at the same number, it is unchanged.
    if (cached?.lastSeq === row.last_seq && cached.epoch === row.epoch)
      return { trigger: cached.trigger, variables: cached.variables ?? null, journal: [], cached };
    try {
      const trigger = hasTrigger(row) ? row : triggerOf.get(row.id);
      if (trigger === undefined) throw new Error(`execution ${row.id} has no trigger`);
      if (isLarge) return { trigger: toTrigger(trigger), journal: [], isJournalLarge: true };
      return { trigger: toTrigger(trigger), journal: row.last_seq === 0 ? [] : journal.read(row.id) };
    } catch (error) {
      // The disk failed, not this row.
      if (isStorageFailure(error)) throw error;
      return { trigger: { payload: null, text: '' }, journal: [], damage: { error } };
    }
  };
}

function hasTrigger(row: ClaimRow): row is ClaimRow & TriggerRow {
  return row.payload !== null;
}

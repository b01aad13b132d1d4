import {
  addUsage,
  type Fact,
  type Instant,
  type ModelUsage,
  noUsage,
  Problem,
  pauseAfterSetClock,
  type RunFinished,
  type StepPaused,
} from '@millrace/core';
import type { Append, NewExecution } from '../../executions.ts';
import type { Bit } from '../database/columns.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
import { prepareOwnClockSet } from '../queue/clock-sets.ts';
import type { CrashCounts } from '../queue/crash-counts.ts';
import { type EndParams, endParams, setEnd } from '../queue/run-end.ts';
import type { Cancellation } from './cancel.ts';
import type { ChatTurns } from './chats.ts';
import type { Journal } from './journal.ts';
import type { StateCompletion } from './state-step.ts';
import { preparePark, type WaitRows } from './wait-rows.ts';

interface AppendParts {
  readonly connection: Connection;
  readonly journal: Journal;
  readonly cancellation: Cancellation;
  readonly waits: WaitRows;
  /** Stores a run that starts with the facts. */
  readonly accept: (run: NewExecution, effects: Effects) => unknown;
  readonly chats: Pick<ChatTurns, 'answer' | 'replies'>;
  readonly crashCounts: Pick<CrashCounts, 'madeProgress'>;
  readonly completeState: StateCompletion;
  /** Counts what the models of a workflow used. */
  readonly countModels: (workflowId: number, facts: readonly Fact[]) => void;
}

const noStarts: readonly NewExecution[] = [];

type CountUsage = (facts: readonly Fact[], run: Pick<Append, 'id' | 'workflowId'>) => void;

function usageCounter({ connection, countModels }: Pick<AppendParts, 'connection' | 'countModels'>): CountUsage {
  const count = connection
    .prepare<[number, number, number, number, string], Bit>(
      `UPDATE executions SET llm_calls = llm_calls + ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
         cost_usd = cost_usd + ? WHERE id = ? RETURNING answered_by IS NULL`,
    )
    .pluck();
  return (facts, { id, workflowId }) => {
    const { calls, inputTokens, outputTokens, costUsd } = usageOf(facts);
    // Most steps call no model: their runs cost no second UPDATE.
    if (calls === 0) return;
    const isPaid = count.get(calls, inputTokens, outputTokens, costUsd, id) === 1;
    // Recorded answers cost nothing.
    if (isPaid) countModels(workflowId, facts);
  };
}

/** The sub-workflow's run of an ended wait, to be cancelled; `id` is null if the wait was for something else. */
interface AbandonedChild {
  readonly id: string | null;
  readonly at: Instant;
}

/**
 * Appends to a run's journal. The UPDATE (or, without facts, a SELECT) matches no row unless the run is still at this
 * epoch and its journal ends where the caller expects. Nothing is written otherwise.
 */
export function prepareAppend({
  connection,
  journal,
  cancellation,
  waits,
  accept,
  chats,
  crashCounts,
  completeState,
  countModels,
}: AppendParts): (params: Append, effects: Effects) => 'stored' | 'parked' | 'lost' {
  const park = preparePark(connection);
  const check = connection.prepare<[string, number, number], { id: string }>(
    `SELECT id FROM executions WHERE id = ? AND epoch = ? AND last_seq = ? AND status = 'running'`,
  );
  const updateLastSeq = connection.prepare<[number, string, number, number]>(
    `UPDATE executions SET last_seq = ? WHERE id = ? AND epoch = ? AND last_seq = ? AND status = 'running'`,
  );
  const updateEnd = connection.prepare<[number, ...EndParams, string, number, number]>(
    `UPDATE executions SET last_seq = ?, ${setEnd}
     WHERE id = ? AND epoch = ? AND last_seq = ? AND status = 'running'`,
  );

  const countUsage = usageCounter({ connection, countModels });
  const recordClockSet = prepareOwnClockSet(connection);

  /** Advances the end of the journal, or ends the run, if the caller still owns it; false otherwise. */
  function claimPosition({ id, epoch, afterSeq, facts }: Append, end: RunFinished | null): boolean {
    // Events alone change no rows: without a write, their transaction costs no fsync.
    if (facts.length === 0) return check.get(id, epoch, afterSeq) !== undefined;
    const lastSeq = afterSeq + facts.length;
    if (end === null) return updateLastSeq.run(lastSeq, id, epoch, afterSeq).changes === 1;
    return updateEnd.run(lastSeq, ...endParams(end), id, epoch, afterSeq).changes === 1;
  }

  /**
   * Parks a run unless it has an unread answer: that answer has already been announced, so nothing would wake the
   * parked run.
   */
  function parkRun({ id, workflowId }: Append, parked: NonNullable<Append['park']>, effects: Effects): boolean {
    const { status, until, unownedFrom = null } = parked;
    if (waits.hasAnswer(id) || !park(id, status, unownedFrom)) return false;
    waits.wakeAt(id, until, effects);
    effects.move(workflowId, 'running', status);
    effects.left.push({ workflowId, id });
    return true;
  }

  function cancelRun({ id, at }: AbandonedChild, effects: Effects): void {
    if (id !== null) cancellation.cancel({ id, at }, effects);
  }

  function startRun(run: NewExecution, effects: Effects): void {
    try {
      accept(run, effects);
    } catch (error) {
      // A sub-workflow that cannot start fails the step that waits for it, not the append.
      if (!(error instanceof Problem) || run.parent === undefined) throw error;
      const answer = { kind: 'end', status: 'failed', output: null, error: error.message } as const;
      waits.answerParent(run.id, answer, effects);
    }
  }

  return (given, effects) => {
    // A `state` step adds its fact; its value is written after the position is claimed.
    const { params, write } = completeState(given);
    const { id, workflowId, afterSeq, facts, events, starts = noStarts, clockSets = [] } = params;
    const end = endOf(facts);
    if (!claimPosition(params, end)) return 'lost';
    write();
    countUsage(facts, params);
    for (const { afterFacts, byMs } of clockSets) recordClockSet({ id, afterSeq: afterSeq + afterFacts, byMs });
    if (facts.length > 0) {
      journal.insert(id, afterSeq + 1, facts);
      crashCounts.madeProgress(effects);
    }
    const unneeded: AbandonedChild[] = [];
    for (const [index, fact] of facts.entries()) {
      if (fact.kind === 'step_paused') waits.pause(id, afterClockSets(fact, index, clockSets), effects);
      else if (fact.kind === 'step_resumed') unneeded.push({ id: waits.take(id, fact), at: fact.at });
    }
    for (const wait of params.abandoned ?? []) unneeded.push({ id: waits.abandon(id, wait), at: wait.at });
    for (const run of starts) startRun(run, effects);
    // After the starts, because a run that was just started may have to be cancelled already.
    for (const run of unneeded) cancelRun(run, effects);
    for (const event of events) effects.events.push(event);
    if (end !== null) {
      effects.move(workflowId, 'running', end.status);
      effects.end({ workflowId, status: end.status, at: end.at });
      effects.left.push({ workflowId, id });
      cancellation.ended(id, end, effects);
    }
    if (params.chatAnswer !== undefined) chats.answer(id, params.chatAnswer);
    if (params.botAnswer !== undefined) chats.replies.answer(id, params.botAnswer, effects);
    return params.park !== undefined && parkRun(params, params.park, effects) ? 'parked' : 'stored';
  };
}

/** A pause that was recorded before the clock was set: the row has the time of the new clock. */
function afterClockSets(fact: StepPaused, index: number, sets: NonNullable<Append['clockSets']>): StepPaused {
  const later = sets.filter(({ afterFacts }) => afterFacts > index);
  const pause = later.reduce((shifted, { byMs }) => pauseAfterSetClock(shifted, byMs), fact.pause);
  return later.length === 0 ? fact : { ...fact, pause };
}

function usageOf(facts: readonly Fact[]): ModelUsage {
  let usage = noUsage;
  for (const fact of facts) {
    if ('usage' in fact && fact.usage !== undefined) usage = addUsage(usage, fact.usage);
  }
  return usage;
}

function endOf(facts: readonly Fact[]): RunFinished | null {
  const last = facts.at(-1);
  return last?.kind === 'run_finished' ? last : null;
}

import { addUsage, type Fact, type Instant, type ModelUsage, noUsage, Problem, type RunFinished } from '@millrace/core';
import type { Append, NewExecution } from '../../executions.ts';
import type { Connection } from '../database/connection.ts';
import type { Effects } from '../database/effects.ts';
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
  readonly chats: Pick<ChatTurns, 'answer'>;
  readonly crashCounts: Pick<CrashCounts, 'madeProgress'>;
  readonly completeState: StateCompletion;
}

const noStarts: readonly NewExecution[] = [];

function usageCounter(connection: Connection): (facts: readonly Fact[], id: string) => void {
  const count = connection.prepare<[number, number, number, number, string]>(
    `UPDATE executions SET llm_calls = llm_calls + ?, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
       cost_usd = cost_usd + ? WHERE id = ?`,
  );
  return (facts, id) => {
    const { calls, inputTokens, outputTokens, costUsd } = usageOf(facts);
    // Most steps call no model: their runs cost no second UPDATE.
    if (calls > 0) count.run(calls, inputTokens, outputTokens, costUsd, id);
  };
}

/** A run that nobody waits for any longer, if there is one. */
interface Unneeded {
  readonly id: string | null;
  readonly at: Instant;
}

/**
 * Appends to a run's journal. One UPDATE is the compare-and-set: it matches no row unless the run is still at this
 * epoch and its journal ends where the caller expects. Only then are the facts inserted.
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
}: AppendParts): (params: Append, effects: Effects) => 'stored' | 'parked' | 'lost' {
  const park = preparePark(connection);
  const check = connection.prepare<[string, number, number], { id: string }>(
    `SELECT id FROM executions WHERE id = ? AND epoch = ? AND last_seq = ? AND status = 'running'`,
  );
  const advance = connection.prepare<[number, string, number, number]>(
    `UPDATE executions SET last_seq = ? WHERE id = ? AND epoch = ? AND last_seq = ? AND status = 'running'`,
  );
  const finish = connection.prepare<[number, ...EndParams, string, number, number]>(
    `UPDATE executions SET last_seq = ?, ${setEnd}
     WHERE id = ? AND epoch = ? AND last_seq = ? AND status = 'running'`,
  );

  const countUsage = usageCounter(connection);
  const giveTime = connection.prepare<[number, string]>(
    'UPDATE executions SET unowned_ms = unowned_ms + ? WHERE id = ?',
  );

  /** True if the caller still owned the run. */
  function moveOn({ id, epoch, afterSeq, facts }: Append, end: RunFinished | null): boolean {
    // Events alone change no rows: without a write, their transaction costs no fsync.
    if (facts.length === 0) return check.get(id, epoch, afterSeq) !== undefined;
    const lastSeq = afterSeq + facts.length;
    if (end === null) return advance.run(lastSeq, id, epoch, afterSeq).changes === 1;
    return finish.run(lastSeq, ...endParams(end), id, epoch, afterSeq).changes === 1;
  }

  /** Parks a run, unless it already has an unread answer, which would not wake it again. */
  function parkRun({ id, workflowId }: Append, parked: NonNullable<Append['park']>, effects: Effects): boolean {
    const { status, until, unownedFrom = null } = parked;
    if (waits.hasAnswer(id) || !park(id, status, unownedFrom)) return false;
    waits.wakeAt(id, until, effects);
    effects.move(workflowId, 'running', status);
    effects.left.push({ workflowId, id });
    return true;
  }

  function cancelRun({ id, at }: Unneeded, effects: Effects): void {
    if (id !== null) cancellation.cancel({ id, at }, effects);
  }

  function startRun(run: NewExecution, effects: Effects): void {
    try {
      accept(run, effects);
    } catch (error) {
      if (!(error instanceof Problem) || run.parent === undefined) throw error;
      const answer = { kind: 'end', status: 'failed', output: null, error: error.message } as const;
      waits.answerParent(run.id, answer, effects);
    }
  }

  return (given, effects) => {
    const { params, write } = completeState(given);
    const { id, workflowId, afterSeq, facts, events, starts = noStarts, setForwardMs = 0 } = params;
    const end = endOf(facts);
    if (!moveOn(params, end)) return 'lost';
    write();
    countUsage(facts, id);
    if (setForwardMs !== 0) giveTime.run(setForwardMs, id);
    if (facts.length > 0) {
      journal.insert(id, afterSeq + 1, facts);
      crashCounts.madeProgress(effects);
    }
    const unneeded: Unneeded[] = [];
    for (const fact of facts) {
      if (fact.kind === 'step_paused') waits.pause(id, fact, effects);
      else if (fact.kind === 'step_resumed') unneeded.push({ id: waits.take(id, fact), at: fact.at });
    }
    for (const wait of params.abandoned ?? []) unneeded.push({ id: waits.abandon(id, wait), at: wait.at });
    for (const run of starts) startRun(run, effects);
    // After the starts: one of them may already be unnecessary.
    for (const run of unneeded) cancelRun(run, effects);
    for (const event of events) effects.events.push(event);
    if (end !== null) {
      effects.move(workflowId, 'running', end.status);
      effects.left.push({ workflowId, id });
      cancellation.ended(id, end, effects);
    }
    if (params.chatAnswer !== undefined) chats.answer(id, params.chatAnswer);
    return params.park !== undefined && parkRun(params, params.park, effects) ? 'parked' : 'stored';
  };
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

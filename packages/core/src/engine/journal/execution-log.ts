import { runThrough, type SlicedWork } from '../../base/meter.ts';
import type { Pause, PauseStage } from '../../component/pause.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Instant } from '../../time.ts';
import type { Trigger } from '../execution.ts';
import { applyFact } from '../fold/fold.ts';
import type { Plan } from '../plan.ts';
import { newRunState, type RunState, type StepState, stepAt } from '../run-state.ts';
import { inputOf } from '../step-input.ts';
import { stoppedBecause } from '../stopped-step.ts';
import { AttemptNumbering } from './attempt-numbers.ts';
import type { Fact, Failure, JournalEntry, RunFinished, RunRetried, StepKey } from './history.ts';
import { Agreements } from './log-agreements.ts';
import { addedToPrompt, promptOf, type SentPrompt } from './model-prompt.ts';
import { standingEntries } from './retried-journal.ts';

/** One attempt of one node, one skipped node, or one step that waits. */
export interface LogEntry extends StepKey {
  /** The `seq` of its fact in the journal. */
  readonly seq: number;
  readonly status: 'success' | 'failed' | 'skipped' | 'waiting';
  /**
   * Counts from 1 and continues after a retry of the execution. 0 for a skipped node and for an approval before the
   * first attempt.
   */
  readonly attempt: number;
  /** Null for a skipped node, and when the run's version cannot be read. */
  readonly input: Json;
  readonly outputs: JsonObject | null;
  readonly failure: Failure | null;
  readonly metadata: JsonObject;
  /** The time of the next attempt, if one follows this failed attempt. */
  readonly retryAt: Instant | null;
  /** The user who approved the step before it ran, or the continuation after it. */
  readonly answeredBy: string | null;
  /** What it waits for. */
  readonly waitsFor: { readonly stage: PauseStage; readonly pause: Pause } | null;
  /** When the attempt could first begin; null when the run's version cannot be read. */
  readonly queuedAt: Instant | null;
  /** Null when no attempt has begun. */
  readonly startedAt: Instant | null;
  /** Null while it waits. */
  readonly endedAt: Instant | null;
  readonly durationMs: number;
  readonly at: Instant;
  /** For a call of a model whose prompt was asked for. */
  readonly prompt?: SentPrompt;
}

/** What the log of an execution is built from. */
export interface LoggedRun {
  /** Null when the run's version cannot be read: then inputs and queue times are unknown. */
  readonly plan: Plan | null;
  readonly trigger: Trigger;
  readonly acceptedAt: Instant;
  readonly journal: readonly JournalEntry[];
  /** The `seq` of the entry that is to have the prompt of its model. */
  readonly promptOf?: number | undefined;
}

/** The log of an execution. */
export function executionLog(run: LoggedRun): readonly LogEntry[] {
  return runThrough(executionLogInSlices(run));
}

/** The same, built in one pass over the journal that may stop after each fact. */
export function* executionLogInSlices(run: LoggedRun): SlicedWork<readonly LogEntry[]> {
  const log = new LogBuilder(run);
  for (const entry of run.journal) {
    log.add(entry);
    yield;
  }
  return log.finish();
}

type StepFact = Exclude<Fact, RunFinished>;
/** Facts after which a step continues. They are shown only while they are the last fact of their step. */
type Beginning = Extract<StepFact, { kind: 'step_paused' | 'step_started' | 'loop_started' | 'calls_opened' }>;
type Ending = Extract<StepFact, { kind: 'step_succeeded' | 'step_failed' | 'step_stopped' | 'step_skipped' }>;

/** A started or waiting attempt with no later fact of its step. */
interface OpenAttempt {
  readonly index: number;
  readonly fact: Beginning;
  readonly entry: LogEntry;
}

/** When an attempt could have begun, and when it began. */
interface Timing {
  readonly queuedAt: Instant | null;
  startedAt: Instant | null;
}

const statuses = {
  step_succeeded: 'success',
  step_failed: 'failed',
  step_stopped: 'failed',
  step_skipped: 'skipped',
} as const;

class LogBuilder {
  readonly #run: LoggedRun;
  /** Null is a placeholder for a start or pause that has no entry, or none yet. */
  readonly #entries: (LogEntry | null)[] = [];
  /**
   * The index of the entry of each ended attempt or skipped node, by `seq`; an answer given after the step is noted in
   * that entry.
   */
  readonly #places = new Map<number, number>();
  readonly #open = new Map<string, OpenAttempt>();
  readonly #timings = new Map<string, Timing>();
  readonly #numbers = new AttemptNumbering();
  readonly #agreements = new Agreements();
  /** The `seq` of the standing facts: those that no retry has revoked. */
  readonly #standing: ReadonlySet<number>;
  /** The fold of the standing facts so far; null without a plan. */
  readonly #state: RunState | null;
  /**
   * The state before a retry that revoked a whole loop: steps of that loop are no longer in the fold of the standing
   * facts. Built when first needed.
   */
  #past: RunState | null = null;
  /** By step, when the next attempt after a failed one was due. */
  readonly #retryAts = new Map<string, Instant>();
  #retriedAt: Instant | null = null;

  constructor(run: LoggedRun) {
    this.#run = run;
    this.#state = run.plan === null ? null : newRunState(run.plan);
    this.#standing = new Set(standingEntries(run.journal).map(({ seq }) => seq));
  }

  add(entry: JournalEntry): void {
    const { fact, seq } = entry;
    const attemptOffset = this.#numbers.follow(entry);
    const agreement = this.#agreements.follow(entry);
    if (fact.kind === 'run_retried') {
      this.#restart(fact);
      return;
    }
    if (fact.kind === 'run_finished') this.#stopOpen(fact);
    else this.#addStep(fact, { seq, attemptOffset, answeredBy: agreement?.seq === seq ? agreement.by : null });
    if (agreement !== null && agreement.seq < seq) this.#setAnsweredBy(agreement.seq, agreement.by);
    if (this.#state !== null && this.#standing.has(seq)) applyFact(this.#state, fact);
    if (this.#past !== null) applyFact(this.#past, fact);
  }

  finish(): readonly LogEntry[] {
    for (const { index, fact, entry } of this.#open.values()) {
      if (fact.kind === 'step_paused') this.#entries[index] = entry;
    }
    return this.#entries.filter((entry) => entry !== null);
  }

  #addStep(fact: StepFact, known: { seq: number; attemptOffset: number; answeredBy: string | null }): void {
    const key = keyOf(fact);
    const step = this.#stepOf(fact, known.seq);
    this.#open.delete(key);
    const timing = this.#timingOf(fact, step);
    if (fact.kind === 'step_resumed') return;
    const entry = { ...known, ...this.#common(fact, { step, attemptOffset: known.attemptOffset, seq: known.seq }) };
    if (isBeginning(fact)) {
      this.#open.set(key, { index: this.#entries.length, fact, entry: begunEntry(fact, entry, timing) });
      this.#entries.push(null);
      return;
    }
    this.#places.set(known.seq, this.#entries.length);
    this.#entries.push(endedEntry(fact, entry, timing));
    this.#timings.delete(key);
    if (fact.kind === 'step_failed' && fact.retryAt !== null) this.#retryAts.set(key, fact.retryAt);
    else this.#retryAts.delete(key);
  }

  /**
   * The step of a fact, as it was before that fact. A revoked fact can usually be placed in the state of the standing
   * facts; only steps in a loop that was revoked as a whole need `#past`, the state before the retry.
   */
  #stepOf(fact: StepFact, seq: number): StepState | undefined {
    const { plan, journal } = this.#run;
    if (plan === null || this.#state === null) return undefined;
    const step = stepAt(this.#state, fact);
    if (this.#standing.has(seq) || (step !== undefined && step.phase !== 'waiting')) return step;
    this.#past ??= foldOf(
      plan,
      journal.filter((entry) => entry.seq < seq),
    );
    return stepAt(this.#past, fact);
  }

  #common(
    fact: Exclude<StepFact, { kind: 'step_resumed' }>,
    { step, attemptOffset, seq }: { step?: StepState | undefined; attemptOffset: number; seq: number },
  ) {
    const isSkipped = fact.kind === 'step_skipped';
    const prompt = step === undefined || this.#run.promptOf !== seq ? null : promptOf(step);
    return {
      nodeId: fact.nodeId,
      frame: fact.frame,
      attempt: isSkipped || fact.attempt === 0 ? 0 : fact.attempt + attemptOffset,
      input: step === undefined || isSkipped ? null : this.#inputOf(step),
      outputs: null,
      failure: null,
      metadata: step === undefined ? {} : callMetadata(step),
      retryAt: null,
      waitsFor: null,
      at: fact.at,
      ...(prompt !== null && { prompt }),
    };
  }

  /** For a call of a model, what is new in its prompt: the whole prompts would grow with the square of their number. */
  #inputOf(step: StepState): Json {
    return addedToPrompt(step) ?? runThrough(inputOf(step, this.#run.trigger));
  }

  /** The times of the attempt that a fact is about. A question after a step is part of no attempt. */
  #timingOf(fact: StepFact, step: StepState | undefined): Timing {
    if ('stage' in fact && fact.stage === 'after') return { queuedAt: fact.at, startedAt: null };
    const key = keyOf(fact);
    const timing = this.#timings.get(key) ?? { queuedAt: this.#queuedAt(key, step), startedAt: null };
    this.#timings.set(key, timing);
    if (isBeginning(fact) && !('stage' in fact && fact.stage === 'before')) timing.startedAt ??= fact.at;
    return timing;
  }

  /** Since when the next attempt of a step may begin: not before the execution was accepted, or retried. */
  #queuedAt(key: string, step: StepState | undefined): Instant | null {
    if (step === undefined) return null;
    const { acceptedAt } = this.#run;
    return Math.max(
      acceptedAt,
      this.#retriedAt ?? acceptedAt,
      step.since ?? acceptedAt,
      this.#retryAts.get(key) ?? acceptedAt,
    );
  }

  /** Ends the open attempts and waits when the run finishes. */
  #stopOpen({ failure, at }: RunFinished): void {
    for (const { index, entry } of this.#open.values()) {
      if (failure !== null) this.#entries[index] = stoppedEntry(entry, failure, at);
    }
    this.#open.clear();
  }

  #setAnsweredBy(seq: number, answeredBy: string): void {
    const place = this.#places.get(seq);
    const entry = place === undefined ? undefined : this.#entries[place];
    if (place !== undefined && entry) this.#entries[place] = { ...entry, answeredBy };
  }

  #restart({ at }: RunRetried): void {
    this.#retriedAt = at;
    this.#past = null;
    this.#timings.clear();
    this.#retryAts.clear();
  }
}

function foldOf(plan: Plan, entries: readonly JournalEntry[]): RunState {
  const state = newRunState(plan);
  for (const { fact } of standingEntries(entries)) applyFact(state, fact);
  return state;
}

type Common = Omit<LogEntry, 'status' | 'queuedAt' | 'startedAt' | 'endedAt' | 'durationMs'>;

function begunEntry(fact: Beginning, common: Common, { queuedAt, startedAt }: Timing): LogEntry {
  const waitsFor = fact.kind === 'step_paused' ? { stage: fact.stage, pause: fact.pause } : null;
  const times = { queuedAt: atMost(queuedAt, startedAt ?? fact.at), startedAt, endedAt: null, durationMs: 0 };
  return { ...common, status: 'waiting', waitsFor, ...times };
}

function endedEntry(fact: Ending, common: Common, timing: Timing): LogEntry {
  const durationMs =
    fact.kind === 'step_stopped' ? fact.at - fact.startedAt : 'durationMs' in fact ? fact.durationMs : 0;
  const startedAt = fact.kind === 'step_skipped' ? null : Math.min(timing.startedAt ?? fact.at, fact.at - durationMs);
  return {
    ...common,
    status: statuses[fact.kind],
    outputs: fact.kind === 'step_succeeded' ? fact.outputs : null,
    failure: 'failure' in fact ? fact.failure : null,
    metadata: { ...common.metadata, ...('metadata' in fact && fact.metadata), ...usageMetadata(fact, common) },
    retryAt: fact.kind === 'step_failed' ? fact.retryAt : null,
    queuedAt: atMost(timing.queuedAt, startedAt ?? fact.at),
    startedAt,
    endedAt: fact.at,
    durationMs,
  };
}

/**
 * Timestamps are rounded and the clock may be set: limits `queuedAt` so that no attempt appears to begin before it was
 * queued.
 */
function atMost(queuedAt: Instant | null, startedAt: Instant): Instant | null {
  return queuedAt === null ? null : Math.min(queuedAt, startedAt);
}

/** What a call of a model used. */
function usageMetadata(fact: Ending, { metadata }: Common): JsonObject {
  const usage = 'usage' in fact ? fact.usage : undefined;
  // The agent as a whole has the sum in its outputs.
  if (usage === undefined || metadata.agent === undefined) return {};
  const { inputTokens, outputTokens, costUsd } = usage;
  return {
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      cost_usd: costUsd,
    },
  };
}

/** What a call is: its agent, and for a call of a tool the tool and the id that the model gave it. */
function callMetadata({ frame: { call } }: StepState): JsonObject {
  if (call === null) return {};
  const { tool, id } = call.of.all[call.index]?.call ?? {};
  return {
    agent: call.of.step.node.nodeId,
    ...(tool !== undefined && { tool }),
    ...(id !== undefined && { call_id: id }),
  };
}

/** An attempt that was under way, or a step that waited, when its run ended. */
function stoppedEntry(entry: LogEntry, failure: Failure, at: Instant): LogEntry {
  return {
    ...entry,
    status: 'failed',
    failure: stoppedBecause(failure),
    waitsFor: null,
    startedAt: entry.startedAt ?? entry.at,
    endedAt: at,
    durationMs: at - entry.at,
    at,
  };
}

function isBeginning(fact: StepFact): fact is Beginning {
  const { kind } = fact;
  return kind === 'step_paused' || kind === 'step_started' || kind === 'loop_started' || kind === 'calls_opened';
}

function keyOf({ frame, nodeId }: StepKey): string {
  return JSON.stringify([frame, nodeId]);
}

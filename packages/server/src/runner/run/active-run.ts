import {
  advance,
  applyFact,
  type Decision,
  type Fact,
  followSetClock,
  formatInstant,
  type Instant,
  newRunState,
  type Plan,
  type RunFinished,
  RunScope,
  type RunState,
  type StepFailed,
  type StepState,
  standingEntries,
  stepAt,
} from '@millrace/core';
import type { CancelTimer } from '../../ground/clock.ts';
import type { Append, ClaimedRun, KeptRun } from '../../store/executions.ts';
import type { GivenAnswer } from '../../store/waits.ts';
import type { RunnerPorts } from '../ports.ts';
import { type AttemptEnd, Attempts } from '../steps/attempts.ts';
import { Flights } from '../steps/flights.ts';
import { loopEnded, loopFailed, pinnedOutput } from '../steps/perform.ts';
import { type Stop, stopped, stoppedBefore } from '../steps/stopped.ts';
import { mayHaveBegun, notesItsStart, started, unknownOutcome } from '../steps/unknown-outcome.ts';
import { Alarm } from './alarm.ts';
import { eventOf } from './events.ts';
import { type Breakdown, isStoreFailure } from './fatal-error.ts';
import { type AppendOutcome, JournalTail } from './journal-tail.ts';

/** Milliseconds before another try at answers that could not be read: a busy database has time to recover. */
const answersRetryMs = 1000;

/** Milliseconds by which a clock must jump to count as set: less comes of rounding, and of keeping it right. */
const leastSetMs = 1000;

/**
 * Facts that may be recorded before others have their turn: some milliseconds' work, and enough for an append to cost
 * little beside it.
 */
const mostFactsAhead = 128;

/** How a run has left this process: why it cannot go on, or what may be kept of it; neither where it is another's. */
interface Leaving {
  readonly broken: Breakdown | null;
  readonly kept: KeptRun | null;
}

/**
 * One claimed run in this process: performs what `advance` decides and appends the facts.
 *
 * Steps whose effect is `pure` may run ahead of the journal, because nothing outside has seen them: after a crash
 * they run again with the same result for everyone. Any other step starts only after all facts before it are stored.
 */
export class ActiveRun {
  readonly id: string;
  readonly #ports: RunnerPorts;
  readonly #run: ClaimedRun;
  readonly #state: RunState;
  readonly #attempts: Attempts;
  readonly #left: (leaving: Leaving) => void;
  readonly #tail: JournalTail;
  readonly #inFlight = new Flights();
  readonly #alarm: Alarm;
  /** The steps whose beginning this owner of the run has journaled. */
  readonly #noted = new WeakSet<StepState>();
  /** Steps that an owner before this one may have begun. */
  readonly #inherited: ReadonlySet<StepState>;
  /** How the run is to be parked, when its latest decision says so. */
  #park: Append['park'] | null = null;
  #cancelRequested: boolean;
  #stopping = false;
  #over = false;
  /** Why it cannot go on. */
  #broken: { readonly error: unknown } | null = null;
  /** By how much the wall clock is ahead of the one that nobody can set, as this run knows it. */
  #wallAhead: number;
  /** By how much somebody has set the wall clock since this process has the run. */
  #clockSetMs = 0;
  /** Another look at answers that could not be read. */
  #answersRetry: CancelTimer | null = null;

  constructor(ports: RunnerPorts, run: ClaimedRun, plan: Plan, left: (leaving: Leaving) => void) {
    this.id = run.id;
    this.#ports = ports;
    this.#run = run;
    this.#state = run.kept?.state ?? foldOf(plan, run);
    this.#left = left;
    this.#wallAhead = wallAhead(ports);
    this.#cancelRequested = run.cancelRequested;
    this.#inherited = run.epoch === 1 ? none : begunBefore(this.#state, ports.clock.now());
    this.#tail = new JournalTail(ports, run, (outcome, park) => this.#appended(outcome, park));
    this.#alarm = new Alarm(ports, () => this.turn());
    const scope = new RunScope(this.#state, {
      trigger: run.trigger,
      run: { id: run.id, started_at: formatInstant(run.startedAt), workflow: run.workflowSlug },
      links: (step) => ports.links.outputsOf(run.id, step),
    });
    const flights = this.#inFlight;
    this.#attempts = new Attempts({ ports, run, scope, flights, ended: (end) => this.#attemptEnded(end) });
    // Answers may have come while the run had no owner, or before a crash.
    if (this.#state.paused.size > 0) this.answered();
    // A fork begins with facts.
    if (run.lastSeq === 0 || run.epoch === 1) {
      this.#tail.publish({ type: 'execution_started', executionId: run.id, triggerNodeId: run.triggerNodeId });
    }
  }

  /** Does all that can be done now. Called at the start and whenever something has happened. */
  turn(): void {
    this.#guarded(() => {
      this.#alarm.off();
      while (this.#performNow()) {
        // Each round may make further steps ready. Those of a long loop have to let others have their turn.
        if (this.#tail.length >= mostFactsAhead) break;
      }
      this.#tail.append(this.#park);
    });
  }

  cancel(): void {
    this.#cancelRequested = true;
    this.turn();
  }

  /** Waits of this run have been answered: goes on with the answers. */
  answered(): void {
    this.#ports.store.waits.answers(this.id).then(
      (answers) => this.#takeAnswers(answers),
      (error: unknown) => {
        if (this.#over) return;
        // A damaged answer stays damaged.
        if (!isStoreFailure(error)) return this.#breakDown(error);
        this.#ports.log.warn({ err: error, executionId: this.id }, 'answers could not be read; trying again');
        this.#answersRetry?.();
        this.#answersRetry = this.#ports.timers.after(answersRetryMs, () => this.answered());
      },
    );
  }

  #takeAnswers(answers: readonly GivenAnswer[]): void {
    this.#guarded(() => {
      if (this.#state.finished !== null) return;
      const at = this.#ports.clock.now();
      const awaited = answers.filter(({ stage, ...key }) => stepAt(this.#state, key)?.pause?.stage === stage);
      for (const { answer, ...key } of awaited) this.#record({ kind: 'step_resumed', ...key, at, answer });
      if (awaited.length > 0) this.turn();
    });
  }

  /** Starts no further step; those in flight go on. */
  stop(): void {
    this.#stopping = true;
  }

  /** How often the run had been claimed, this time included. */
  get epoch(): number {
    return this.#run.epoch;
  }

  /** Whether nothing is in flight and nothing waits to be stored. */
  get isQuiet(): boolean {
    return this.#over || (this.#inFlight.size === 0 && this.#tail.isStored);
  }

  /** Lets go of the run without a further fact: it is another owner's now, or will be. */
  drop(): void {
    this.#leave({ broken: null, kept: null });
  }

  #leave(leaving: Leaving): void {
    this.#over = true;
    this.#alarm.off();
    this.#answersRetry?.();
    this.#tail.close();
    this.#inFlight.abortAll();
    this.#left(leaving);
  }

  /** Whatever this run does wrong ends this run, and no other. */
  #guarded(act: () => void): void {
    if (this.#over || this.#broken !== null) return;
    try {
      this.#followClock();
      act();
    } catch (error) {
      this.#breakDown(error);
    }
  }

  /** The run cannot go on. The runner writes its end behind the stored journal, so an append under way is waited for. */
  #breakDown(error: unknown): void {
    this.#broken = { error };
    const afterSeq = this.#tail.storedSeq;
    if (afterSeq === null) this.#inFlight.abortAll();
    else this.#leave({ broken: { error, afterSeq, cancelRequested: this.#cancelRequested }, kept: null });
  }

  /** Where somebody has set the wall clock, what is to come moves with it: a run's time is what really passes. */
  #followClock(): void {
    const byMs = Math.round(wallAhead(this.#ports) - this.#wallAhead);
    if (Math.abs(byMs) < leastSetMs) return;
    const forwardMs = Math.max(0, this.#clockSetMs);
    this.#wallAhead += byMs;
    this.#clockSetMs += byMs;
    followSetClock(this.#state, byMs);
    // Its next owner, who has nothing but the journal's times, would take that for time of the run.
    this.#tail.setForward(Math.max(0, this.#clockSetMs) - forwardMs);
  }

  /** Stores what it sees of the clock, so that its next owner knows it too. */
  lookAtClock(): void {
    this.#guarded(() => this.#tail.append(null));
  }

  /** When its time is up, had it never waited. */
  get #deadline(): Instant {
    const { countsFrom, unownedMs, maxExecutionSeconds } = this.#run;
    return countsFrom + unownedMs + maxExecutionSeconds * 1000 + this.#clockSetMs;
  }

  /** When its time is up, if it waits no more: see docs/decisions/012-waiting-is-not-running.md. */
  get #timeUp(): Instant {
    return this.#deadline + this.#state.waitedMs;
  }

  /** Carries out one round of decisions; true when facts came of it at once. */
  #performNow(): boolean {
    const { clock } = this.#ports;
    const before = this.#tail.length;
    this.#park = null;
    const situation = {
      cancelRequested: this.#cancelRequested,
      now: clock.now(),
      deadline: this.#deadline,
      maxSteps: this.#ports.maxSteps,
      maxSize: this.#ports.maxRunSize,
      losses: this.#run.losses,
    };
    for (const decision of advance(this.#state, situation)) {
      // One that was carried out before it may have ended the iteration that this one is about.
      if (isStillDue(decision, this.#state)) this.#carryOut(decision);
    }
    return this.#tail.length > before && this.#state.finished === null;
  }

  #carryOut(decision: Decision): void {
    const at = this.#ports.clock.now();
    switch (decision.kind) {
      case 'skip': {
        const { node, frame } = decision.step;
        this.#record({ kind: 'step_skipped', nodeId: node.nodeId, frame: frame.key, at });
        break;
      }
      case 'finish':
        this.#finish({ kind: 'run_finished', at, ...decision.result });
        break;
      case 'perform':
        this.#consider(decision.step, decision.attempt, decision.notBefore ?? at);
        break;
      case 'end_loop':
        this.#record(loopEnded(decision, at));
        break;
      case 'fail_loop':
        this.#record(loopFailed(decision, at, this.#ports.random()));
        break;
      case 'pause':
        this.#record({ ...decision.fact, at });
        break;
      case 'park':
        // How long it waits for an attempt its journal does not tell.
        this.#park = {
          status: decision.status,
          until: decision.until,
          ...(this.#state.open.size > 0 && { unownedFrom: at }),
        };
        break;
      case 'wake':
        this.#alarm.setFor(decision.at);
        break;
    }
  }

  /** Ends the run, and all attempts that are under way with it. */
  #finish(end: RunFinished): void {
    const { at, failure } = end;
    if (failure !== null) for (const step of this.#state.open) this.#recordStop(step, { at, reason: failure });
    this.#inFlight.abortAll();
    this.#record(end);
  }

  #recordStop(step: StepState, stop: Stop): void {
    const flight = this.#inFlight.of(step);
    if (flight !== undefined) this.#record(stopped(flight, stop));
    else if (this.#inherited.has(step)) this.#record(stoppedBefore(step, stop));
  }

  /** Performs an attempt if its time has come, it is not under way, and the facts before it are stored where they must be. */
  #consider(step: StepState, attempt: number, notBefore: number): void {
    if (this.#stopping || this.#inFlight.of(step) !== undefined) this.#alarm.setFor(this.#timeUp);
    else if (notBefore > this.#ports.clock.now()) this.#alarm.setFor(Math.min(notBefore, this.#timeUp));
    else if (this.#mayRunAhead(step)) this.#perform(step, attempt);
    else if (this.#tail.isStored) this.#act(step, attempt);
  }

  /** Whether the attempt has no effect outside: lost from the journal in a crash, it happens again in the same way. */
  #mayRunAhead(step: StepState): boolean {
    return (
      step.node.component.effect === 'pure' || step.resumed !== null || pinnedOutput(step, this.#run) !== undefined
    );
  }

  /** Performs an attempt that others see. One that must not be repeated unasked says first that it begins. */
  #act(step: StepState, attempt: number): void {
    const at = this.#ports.clock.now();
    const isNoted = step.started === attempt;
    // Its beginning was journaled by a process that is gone, or before the end that a retry took back.
    if (isNoted && !this.#noted.has(step)) this.#record(unknownOutcome(step, attempt, at));
    else if (isNoted) this.#perform(step, attempt);
    else if (notesItsStart(step)) this.#note(step, attempt, at);
    else this.#performTold(step, attempt);
  }

  #note(step: StepState, attempt: number, at: Instant): void {
    this.#noted.add(step);
    this.#record(started(step, attempt, at));
  }

  /** Performs a step that takes its time, and tells that it has begun. */
  #performTold(step: StepState, attempt: number): void {
    this.#tail.publish({ type: 'node_status', executionId: this.id, nodeId: step.node.nodeId, status: 'running' });
    this.#perform(step, attempt);
  }

  #perform(step: StepState, attempt: number): void {
    const end = this.#attempts.make(step, attempt);
    if (end === null) this.#alarm.setFor(this.#timeUp);
    else this.#recordEnd(end);
  }

  /** An attempt that took its time has ended. */
  #attemptEnded(end: AttemptEnd): void {
    this.#guarded(() => {
      this.#recordEnd(end);
      this.turn();
    });
  }

  /** Records how an attempt ended, with the executions that begin with that. */
  #recordEnd({ fact, starts }: AttemptEnd): void {
    this.#record(fact);
    this.#tail.start(starts);
  }

  #record(fact: Fact): void {
    applyFact(this.#state, fact);
    if (fact.kind === 'step_failed') this.#dropStopped(fact);
    this.#tail.record(fact, this.#state.abandoned.splice(0));
    this.#tail.publish(eventOf(this.id, fact));
  }

  /** Ends the attempts that were under way in an iteration that a failure has ended. */
  #dropStopped({ at, failure: reason }: StepFailed): void {
    for (const flight of this.#inFlight.abortAllBut(this.#state.open)) this.#record(stopped(flight, { at, reason }));
  }

  /** Null where its state is not the fold of what is stored: more came of it meanwhile, or its times have moved. */
  #toKeep(): KeptRun | null {
    const { epoch, trigger } = this.#run;
    const { storedSeq: lastSeq, isStored } = this.#tail;
    if (lastSeq === null || !isStored || this.#broken !== null || this.#clockSetMs !== 0) return null;
    return { epoch, lastSeq, state: this.#state, numbers: this.#attempts.numbers, trigger };
  }

  /** Something was stored, or could not be: goes on from there. */
  #appended(outcome: AppendOutcome, park: Append['park'] | null): void {
    if (this.#over) return;
    if (outcome === 'lost')
      this.#ports.log.warn({ executionId: this.id }, 'this run has another owner, or is gone; dropped it');
    const isDone = outcome === 'stored' && this.#state.finished !== null && this.#tail.length === 0;
    if (outcome === 'lost' || isDone) this.drop();
    else if (outcome === 'parked') this.#leave({ broken: null, kept: this.#toKeep() });
    else if (this.#broken !== null) this.#breakDown(this.#broken.error);
    else if (outcome === 'refused') this.#breakDown(this.#tail.refusal);
    // A run that is not parked has answers to take, or is about to hear that it was cancelled.
    else if (park !== null && this.#tail.length === 0) this.answered();
    else this.turn();
  }
}

/** What its journal has come to. */
function foldOf(plan: Plan, { countsFrom, journal }: ClaimedRun): RunState {
  const state = newRunState(plan, countsFrom);
  for (const { fact } of standingEntries(journal)) applyFact(state, fact);
  // The waits that these facts have ended are closed in the store already.
  state.abandoned.length = 0;
  return state;
}

function wallAhead({ clock }: RunnerPorts): number {
  return clock.now() - clock.monotonic();
}

const none: ReadonlySet<StepState> = new Set();

function begunBefore({ open }: RunState, now: Instant): ReadonlySet<StepState> {
  return new Set([...open].filter((step) => mayHaveBegun(step, now)));
}

function isStillDue(decision: Decision, state: RunState): boolean {
  if (!('step' in decision)) return true;
  return 'loop' in decision ? decision.step.loop === decision.loop : state.open.has(decision.step);
}

import {
  advance,
  type Decision,
  followSetClock,
  type Instant,
  type LaterNumbers,
  type Plan,
  type RunState,
  stepAt,
} from '@millrace/core';
import type { Append, CachedRun, ClaimedRun } from '../../store/executions.ts';
import type { GivenAnswer } from '../../store/waits.ts';
import type { ClockWatch } from '../clock-watch.ts';
import type { RunnerPorts } from '../ports.ts';
import { type AttemptEnd, Attempts, type StateAttempt } from '../steps/attempts.ts';
import { loopEnded, wholeFailed } from '../steps/outcome-facts.ts';
import { RunningAttempts } from '../steps/running-attempts.ts';
import { Alarm } from './alarm.ts';
import {
  claimedNumbers,
  claimedScope,
  claimedState,
  clockSetMs,
  inheritedSteps,
  type ResumedRun,
} from './claimed-state.ts';
import type { FatalError } from './fatal-error.ts';
import { IncomingAnswers } from './incoming-answers.ts';
import { type AppendOutcome, type CompletableStep, JournalTail } from './journal-tail.ts';
import { Recorder } from './recorder.ts';
import { logRecovery } from './run-log.ts';
import { type DueAttempt, StepStarter } from './step-starter.ts';

/**
 * The maximum number of facts to record before yielding to other runs: a few milliseconds of work, and enough to keep
 * the cost of an append per fact small.
 */
const maxFactsAhead = 128;

/** The same for the characters of their values: writing as many takes some 10 ms. */
const maxSizeAhead = 1_048_576;

/**
 * Why this process stopped performing a run: `fatal` if it cannot continue, `cached` if its state can be cached;
 * neither otherwise, e.g. if it has ended or has another owner.
 */
export interface Leaving {
  readonly fatal: FatalError | null;
  readonly cached: CachedRun | null;
}

/** A claimed run with the total of the process's `ClockWatch` that its stored times follow. */
export interface OwnedRun extends ResumedRun {
  readonly followedMs: number;
}

interface ActiveRunParts {
  readonly run: OwnedRun;
  readonly plan: Plan;
  readonly watch: ClockWatch;
  readonly left: (leaving: Leaving) => void;
}

/**
 * One claimed run in this process: carries out the decisions of `advance` and appends the facts. Does nothing until
 * started.
 */
export class ActiveRun {
  readonly id: string;
  readonly ownerId: number;
  readonly #ports: RunnerPorts;
  readonly #run: ClaimedRun;
  readonly #state: RunState;
  readonly #numbers: LaterNumbers;
  readonly #starter: StepStarter;
  readonly #left: (leaving: Leaving) => void;
  readonly #tail: JournalTail;
  readonly #recorder: Recorder;
  readonly #running = new RunningAttempts();
  readonly #alarm: Alarm;
  readonly #answers: IncomingAnswers;
  readonly #watch: ClockWatch;
  /** The total of the watch that the state follows. */
  #followedMs: number;
  /** By how much the clock was set since the run was claimed. */
  #clockSetMs = 0;
  /** How to park the run, if its latest decision is to park. */
  #park: Append['park'] | null = null;
  #cancelRequested: boolean;
  /** Actions postponed while the store completes a step's fact, so that they are recorded after that fact. */
  readonly #deferred: (() => void)[] = [];
  #over = false;
  /** The size of the outputs that were appended, or are being appended. */
  #sizeAppended: number;
  /** True if some of the latest decisions were not carried out because the turn was over, or enough was recorded. */
  #isInterrupted = false;
  /** Why the run cannot continue. */
  #fatal: { readonly error: unknown } | null = null;

  constructor(ports: RunnerPorts, { run, plan, watch, left }: ActiveRunParts) {
    this.id = run.id;
    this.ownerId = run.ownerId;
    this.#ports = ports;
    this.#run = run;
    this.#state = claimedState(plan, run);
    this.#sizeAppended = this.#state.size;
    this.#left = left;
    this.#cancelRequested = run.cancelRequested;
    this.#watch = watch;
    this.#followedMs = run.followedMs;
    this.#tail = new JournalTail(ports, run, (outcome, park) => this.#appended(outcome, park));
    this.#alarm = new Alarm(ports, () => this.tick());
    this.#answers = new IncomingAnswers({
      ports,
      executionId: run.id,
      take: (answers) => this.#takeAnswers(answers),
      failed: (error) => this.#fail(error),
    });
    const [running, tail] = [this.#running, this.#tail];
    const inherited = inheritedSteps(run, this.#state, ports.clock.now());
    const numbers = claimedNumbers(run);
    this.#numbers = numbers;
    const recorder = new Recorder({
      run,
      state: this.#state,
      tail,
      running,
      inherited,
      numbers,
      maxSize: ports.maxRunSize,
    });
    this.#recorder = recorder;
    const scope = claimedScope(ports, run, this.#state);
    const attempts = new Attempts({ ports, run, scope, running, numbers, ended: (end) => this.#attemptEnded(end) });
    this.#starter = new StepStarter({ clock: ports.clock, run, attempts, running, tail, numbers, recorder });
  }

  /** Starts the run, or continues it after an earlier owner. Called once. */
  start(): void {
    // Answers may have come while the run had no owner, or before a crash.
    if (this.#state.paused.size > 0) this.answered();
    const { lastSeq, epoch, triggerNodeId, crashCount, cached } = this.#run;
    // The run was cached in this process, so this claim follows a wait and not a crash.
    if (crashCount > 0 && cached === undefined) logRecovery(this.#ports.log, this.#run, this.#state);
    // Published before the first fact. The journal of a replay begins with reused facts, so its first claim is
    // recognised by its epoch.
    if (lastSeq === 0 || epoch === 1) {
      this.#tail.publish({ type: 'execution_started', executionId: this.id, triggerNodeId });
    }
    this.tick();
  }

  /** Does all that can be done now, in this turn of the event loop or a later one. Called after every event. */
  tick(): void {
    this.#ports.turns.take(() => this.#guarded(() => this.#act()));
  }

  #act(): void {
    const { turns } = this.#ports;
    this.#alarm.off();
    while (this.#performNow()) {
      // Each round may make further steps ready. A long loop must yield the event loop to other runs.
      if (this.#tail.length >= maxFactsAhead || this.#isInterrupted || turns.isOver) break;
    }
    this.#tail.append(this.#park);
    if (this.#tail.length === 0) this.#sizeAppended = this.#state.size;
    // Otherwise the append continues the run.
    if (this.#isInterrupted && this.#tail.isStored) turns.later(() => this.tick());
  }

  cancel(): void {
    this.#cancelRequested = true;
    this.tick();
  }

  /** Waits of this run have been answered: continues with the answers. */
  answered(): void {
    this.#answers.read();
  }

  #takeAnswers(answers: readonly GivenAnswer[]): void {
    this.#guarded(() => {
      if (this.#state.finished !== null) return;
      const at = this.#ports.clock.now();
      const awaited = answers.filter(({ stage, ...key }) => stepAt(this.#state, key)?.pause?.stage === stage);
      for (const { answer, ...key } of awaited) this.#recorder.record({ kind: 'step_resumed', ...key, at, answer });
      if (awaited.length > 0) this.tick();
    });
  }

  /** Starts no further step; running attempts continue. */
  stop(): void {
    this.#starter.stop();
  }

  /** How often the run has been claimed, including this time. */
  get epoch(): number {
    return this.#run.epoch;
  }

  /** Its values in memory, in characters of JSON. */
  get size(): number {
    return Math.max(this.#run.size, this.#state.size);
  }

  /** True if no attempt is running and everything is stored. */
  get isQuiet(): boolean {
    return this.#over || (this.#running.size === 0 && this.#tail.isStored);
  }

  /** Leaves the run without a further fact: it has another owner, or will have one. */
  drop(): void {
    this.#leave({ fatal: null, cached: null });
  }

  #leave(leaving: Leaving): void {
    this.#over = true;
    this.#alarm.off();
    this.#answers.close();
    this.#tail.close();
    this.#running.abortAll();
    this.#ports.mcp.leave(this.id);
    this.#left(leaving);
  }

  /** An error in this run ends only this run. */
  #guarded(act: () => void): void {
    if (this.#over || this.#fatal !== null) return;
    if (this.#tail.isCompleting) {
      this.#deferred.push(act);
      return;
    }
    try {
      this.#ports.work.perform({ executionId: this.id, during: 'steps', nodeId: null }, () => {
        this.#followClock();
        act();
      });
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Stops the run after an error. The runner then appends `run_finished` to the stored journal, so this waits for an
   * append in progress.
   */
  #fail(error: unknown): void {
    this.#fatal = { error };
    const afterSeq = this.#tail.storedSeq;
    if (afterSeq === null) this.#running.abortAll();
    else this.#leave({ fatal: { error, afterSeq, cancelRequested: this.#cancelRequested }, cached: null });
  }

  /** If the wall clock was set, shifts all future times of the run by the same amount. */
  #followClock(): void {
    this.#watch.check();
    const byMs = this.#watch.totalMs - this.#followedMs;
    if (byMs === 0) return;
    this.#followedMs += byMs;
    this.#clockSetMs += byMs;
    followSetClock(this.#state, byMs);
    // The next owner only sees the journal's times.
    this.#tail.clockSet(byMs);
  }

  /** Stores a change of the clock for the next owner. */
  checkClock(): void {
    this.#guarded(() => this.#tail.append(null));
  }

  /** The end of the run's time limit, without the time that it has waited. */
  get #deadline(): Instant {
    const { countsFrom, unownedMs, maxExecutionSeconds } = this.#run;
    return countsFrom + unownedMs + maxExecutionSeconds * 1000 + this.#clockSetMs;
  }

  /**
   * The end of the run's time limit, including the time that it has waited so far: see
   * docs/decisions/012-waiting-is-not-running.md.
   */
  get #timeUp(): Instant {
    return this.#deadline + this.#state.waitedMs;
  }

  /** Carries out one round of decisions; true if facts were recorded. */
  #performNow(): boolean {
    const before = this.#tail.length;
    const begun = this.#running.size;
    this.#isInterrupted = false;
    this.#park = null;
    const context = {
      cancelRequested: this.#cancelRequested,
      now: this.#ports.clock.now(),
      deadline: this.#deadline,
      maxSteps: this.#ports.maxSteps,
      maxSize: this.#ports.maxRunSize,
      crashCount: this.#run.crashCount,
      incident: this.#run.incident,
    };
    for (const decision of advance(this.#state, context)) {
      // An earlier decision of this round may have ended the iteration of this one.
      if (isStillDue(decision, this.#state)) this.#carryOut(decision);
      // A step whose outputs exceed the limit ends the run: nothing follows its end in the journal.
      if (this.#state.finished !== null) break;
      // The store computes the fact of a `state` step, and the next decisions depend on it.
      if (this.#tail.isCompleting) break;
      // Yields only after some progress in this turn, so that a round never repeats without any.
      const isEnough = this.#ports.turns.isOver || this.#state.size - this.#sizeAppended >= maxSizeAhead;
      this.#isInterrupted = isEnough && this.#tail.length + this.#running.size > before + begun;
      if (this.#isInterrupted) break;
    }
    return this.#tail.length > before && this.#state.finished === null;
  }

  #carryOut(decision: Decision): void {
    const at = this.#ports.clock.now();
    switch (decision.kind) {
      case 'skip': {
        const { node, frame } = decision.step;
        this.#recorder.record({ kind: 'step_skipped', nodeId: node.nodeId, frame: frame.key, at });
        break;
      }
      case 'finish':
        this.#recorder.finish({ kind: 'run_finished', at, ...decision.result });
        break;
      case 'perform':
        this.#startStep({ ...decision, notBefore: decision.notBefore ?? at });
        break;
      case 'end_loop':
        this.#recorder.record(loopEnded(decision, at));
        break;
      case 'fail_loop':
        this.#recorder.record(wholeFailed({ ...decision.loop, ...decision }, at, () => this.#ports.random()));
        break;
      case 'fail_calls':
        this.#recorder.record(wholeFailed({ ...decision.calls, ...decision }, at, () => this.#ports.random()));
        break;
      case 'pause':
        this.#recorder.record({ ...decision.fact, at });
        break;
      case 'park':
        // Waiting for a retry leaves no fact, so the store is given the time at which it began.
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

  #startStep(due: DueAttempt): void {
    const nextCheckAt = this.#starter.start(due);
    if (nextCheckAt !== null) this.#alarm.setFor(Math.min(nextCheckAt, this.#timeUp));
  }

  /** An asynchronous attempt has ended. */
  #attemptEnded(end: AttemptEnd | StateAttempt): void {
    this.#guarded(() => {
      // Another attempt has ended the run, by the size of its outputs, in the same turn.
      if (this.#state.finished !== null) return;
      this.#recorder.recordEnd(end);
      // The store completes a state step, and everything else waits for that.
      if (this.#tail.isCompleting) this.#tail.append(null);
      else this.tick();
    });
  }

  /** The state to cache; null if it is not the fold of the stored journal, because more was recorded meanwhile. */
  #cacheable(): CachedRun | null {
    const { epoch, trigger, variables = null } = this.#run;
    const { storedSeq: lastSeq, isStored } = this.#tail;
    if (lastSeq === null || !isStored || this.#fatal !== null) return null;
    return {
      epoch,
      lastSeq,
      state: this.#state,
      numbers: this.#numbers,
      trigger,
      variables,
      clockSetMs: clockSetMs(this.#run) + this.#clockSetMs,
    };
  }

  /** The store has completed a step: its fact comes first, then the postponed actions. */
  #completed(step: CompletableStep): void {
    this.#guarded(() => this.#recorder.recordCompleted(step));
    for (const act of this.#deferred.splice(0)) this.#guarded(act);
  }

  /** An append has succeeded or failed: continues from there. */
  #appended(outcome: AppendOutcome, park: Append['park'] | null): void {
    if (this.#over) return;
    if (outcome === 'lost')
      this.#ports.log.warn(
        { executionId: this.id },
        'the execution was taken over by another process or deleted; this process stops performing it',
      );
    const completed = outcome === 'stored' ? this.#tail.takeCompleted() : null;
    if (completed !== null) this.#completed(completed);
    const isDone =
      completed === null && outcome === 'stored' && this.#state.finished !== null && this.#tail.length === 0;
    if (outcome === 'lost' || isDone) this.drop();
    else if (outcome === 'parked') this.#leave({ fatal: null, cached: this.#cacheable() });
    else if (this.#fatal !== null) this.#fail(this.#fatal.error);
    else if (outcome === 'rejected') this.#fail(this.#tail.rejection);
    else if (this.#tail.isCompleting) this.#tail.append(null);
    // A run that could not be parked has new answers, or is about to be cancelled.
    else if (park !== null && this.#tail.length === 0) this.answered();
    else this.tick();
  }
}

function isStillDue(decision: Decision, state: RunState): boolean {
  if (!('step' in decision)) return true;
  if ('loop' in decision) return decision.step.loop === decision.loop;
  return 'calls' in decision ? decision.step.calls === decision.calls : state.open.has(decision.step);
}

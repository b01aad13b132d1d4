import type { Fact, RunFinished, StepPaused } from '@millrace/core';
import { interpret, type RandomWorld, violationsIn } from '@millrace/core/testkit';
import type { Append } from '../../src/store/executions.ts';
import type { Action } from './action.ts';
import type { Answer } from './faulty-store.ts';
import { type Family, isUnknown, seenOf } from './seen.ts';
import type { CalledStep } from './sim-steps.ts';

/** A run that is cancelled must end within this many milliseconds. */
const stopMs = 1000;

/** Milliseconds by which a wait may end late: a run that another process holds is continued later. */
const latestMs = 5000;

/** Changes of the clock by less than this many milliseconds are not detected, so a wait may end as much earlier. */
const undetectedMs = 1000;

/** More retries than there are mishaps, because each mishap may make one more step fail. */
const mostRetries = 5;

interface WitnessParts {
  /** The id of the simulated run. */
  readonly executionId: string;
  readonly action: Action;
  readonly now: () => number;
  /** Called when the run has failed and is to be retried. */
  readonly failed: () => void;
}

/** Observes the steps and the store calls, and reports what must not happen. */
export class Witness {
  /** The violations, one per line. */
  readonly violations: string[] = [];
  readonly #parts: WitnessParts;
  /** Frames and nodes of steps whose success is stored. */
  readonly #finished = new Set<string>();
  readonly #keys = new Map<string, string>();
  /** By execution: the run as its steps see it. */
  readonly #runs = new Map<string, string>();
  readonly #calls = new Map<string, number>();
  /** The runs that were started, by the frame and node that wait for them. */
  readonly #childOf = new Map<string, string>();
  /** Waits for a duration: when they must end. */
  readonly #durations = new Map<string, number>();
  readonly #lateness: string[] = [];
  #endedAt: number | null = null;
  #cancelledAt: number | null = null;
  #retries = 0;
  /**
   * Number of steps in doubt: those with the effect once that were running when a process died, or when their run
   * failed.
   */
  #unknown = 0;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  /** Whether the run has ended for good. */
  get hasEnded(): boolean {
    return this.#endedAt !== null;
  }

  /** A user was informed that the run is cancelled or stopping. */
  cancelled(outcome: 'cancelled' | 'requested'): void {
    this.#cancelledAt = this.#parts.now();
    if (outcome === 'cancelled') this.#endedAt = this.#cancelledAt;
  }

  /** A step starts, in a process that may have been overtaken without noticing. */
  called({ name, key, run, kind }: CalledStep, isOvertaken: boolean): void {
    const known = this.#keys.get(name) ?? key;
    if (known !== key) this.violations.push(`${name} has two keys`);
    this.#keys.set(name, key);
    this.#sees(name.split(' ')[0] ?? '', run);
    const calls = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, calls);
    if ((kind === 'once' || kind === 'once_tool') && calls > 1 + this.#retries)
      this.violations.push(`${name} was performed ${calls} times`);
    // An overtaken process may start a step that another has finished: the key identifies it to the other side, and its
    // facts are not stored.
    if (isOvertaken) return;
    if (this.#finished.has(name)) this.violations.push(`${name} was performed again after it had finished`);
    const mayBegin = name.startsWith(this.#parts.executionId) ? this.#cancelledAt === null : !this.hasEnded;
    if (!mayBegin) this.violations.push(`${name} began after its run was to stop`);
  }

  /** All steps see the same data of their run, also after a crash or a retry. */
  #sees(executionId: string, run: string): void {
    const known = this.#runs.get(executionId) ?? run;
    if (known !== run) this.violations.push(`a step saw its run as ${run}, another one as ${known}`);
    this.#runs.set(executionId, known);
  }

  /** Called with the result of a store call. */
  answered({ point, asked, value }: Answer): void {
    if (point === 'executions.retry' && value === 'pending') this.#retries += 1;
    if (point !== 'executions.append' || value === 'lost') return;
    const { id, facts } = asked as Append;
    for (const fact of facts) {
      if (fact.kind === 'step_succeeded') this.#finished.add(`${id} ${fact.frame}/${fact.nodeId}`);
      if (isUnknown(fact)) this.#unknown += 1;
      this.#noteDuration(id, fact);
      if (fact.kind === 'step_paused' && fact.pause.kind === 'child') this.#noteChild(id, fact, fact.pause);
      if (fact.kind === 'run_finished' && id === this.#parts.executionId) this.#noteEnd(fact);
    }
  }

  /** There is one sub-workflow per frame and node, however often it fails. */
  #noteChild(id: string, { frame, nodeId }: StepPaused, { executionId }: { readonly executionId: string }): void {
    const name = `${id} ${frame}/${nodeId}`;
    const known = this.#childOf.get(name) ?? executionId;
    if (known !== executionId) this.violations.push(`${name} started two sub-workflows`);
    this.#childOf.set(name, executionId);
  }

  /** A wait for a duration takes its time, measured by the monotonic clock. */
  #noteDuration(id: string, fact: Fact): void {
    if (fact.kind !== 'step_paused' && fact.kind !== 'step_resumed') return;
    const name = `${id} ${fact.frame}/${fact.nodeId} ${fact.stage}`;
    const now = this.#parts.now();
    if (fact.kind === 'step_paused') {
      const { pause } = fact;
      if (pause.kind === 'timer' && pause.isDuration === true) this.#durations.set(name, now + pause.until - fact.at);
      else this.#durations.delete(name);
      return;
    }
    const due = this.#durations.get(name);
    if (due === undefined || fact.answer.kind !== 'time') return;
    const late = now - due;
    if (late <= -undetectedMs || late > latestMs) this.#lateness.push(`${name} ended ${late} ms after its duration`);
  }

  #noteEnd({ status }: RunFinished): void {
    const { action, failed, now } = this.#parts;
    if (action.kind === 'retry' && status === 'failed' && this.#retries < mostRetries) failed();
    else this.#endedAt = now();
  }

  /** All violations at the end: of the observations, the journals, and the result of the action. */
  allViolations(story: Story): readonly string[] {
    return [...this.violations, ...violationsInJournals(story), ...this.#violationsInAction(story)];
  }

  #violationsInAction({ family: { journal, children }, wasCalm }: Story): readonly string[] {
    const violations: string[] = [];
    const last = journal.at(-1);
    if (wasCalm && this.#retries === 0 && [journal, ...children.values()].some((facts) => facts.some(isUnknown))) {
      violations.push('a step is unknown, though no process died');
    }
    if (this.#parts.action.kind === 'retry' && last?.kind === 'run_finished' && last.status !== 'completed') {
      violations.push(`after ${this.#retries} retries the run is ${last.status}`);
    }
    if (wasCalm && this.#retries > 1 + this.#unknown) violations.push(`it took ${this.#retries} retries`);
    // What was left of a duration at a restart is measured by the wall clock.
    if (wasCalm) violations.push(...this.#lateness);
    if (!wasCalm || this.#cancelledAt === null) return violations;
    const took = (this.#endedAt ?? Number.POSITIVE_INFINITY) - this.#cancelledAt;
    return took > stopMs ? [...violations, `it took ${took} ms until the run stopped`] : violations;
  }
}

/** The complete result. */
interface Story {
  readonly world: RandomWorld;
  readonly family: Family;
  /** Whether nothing failed from some moment on. */
  readonly isRepaired: boolean;
  /** Whether the service had no mishaps. */
  readonly wasCalm: boolean;
}

function violationsInJournals({ world, family, isRepaired }: Story): readonly string[] {
  const violations = [...violationsIn(family.journal, interpret({ ...world, seen: seenOf(family, isRepaired) }))];
  const { child } = world;
  if (child === null) return violations;
  for (const journal of family.children.values()) {
    const seen = seenOf({ journal, children: new Map<string, readonly Fact[]>() }, isRepaired);
    violations.push(...violationsIn(journal, interpret({ ...child, seen })).map((violation) => `child: ${violation}`));
  }
  return violations;
}

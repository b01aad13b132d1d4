import type { Fact, RunFinished, StepPaused } from '@millrace/core';
import { interpret, type RandomWorld, violationsIn } from '@millrace/core/testkit';
import type { Append } from '../../src/store/executions.ts';
import type { Action } from './action.ts';
import type { Answer } from './faulty-store.ts';
import { type Family, isUnknown, seenOf } from './seen.ts';
import type { CalledStep } from './sim-steps.ts';

/** Within so many milliseconds a run that is asked to stop has ended. */
const stopMs = 1000;

/** More retries than there are mishaps: each may have one more step fail. */
const mostRetries = 5;

interface WitnessParts {
  /** Of the run that the simulation is about. */
  readonly executionId: string;
  readonly action: Action;
  readonly now: () => number;
  /** Hears that the run has failed, where it is to be retried. */
  readonly failed: () => void;
}

/** Sees what the steps do and what the store was asked for, and says what must not have been. */
export class Witness {
  /** What is wrong, a line each. */
  readonly violations: string[] = [];
  readonly #parts: WitnessParts;
  /** Frames and nodes that have succeeded, once that is stored. */
  readonly #finished = new Set<string>();
  readonly #keys = new Map<string, string>();
  /** By execution what its steps see of it. */
  readonly #runs = new Map<string, string>();
  readonly #calls = new Map<string, number>();
  /** By the frames and nodes that wait for them, the runs that they started. */
  readonly #childOf = new Map<string, string>();
  #endedAt: number | null = null;
  #cancelledAt: number | null = null;
  #retries = 0;
  /** Steps in doubt: those that are done once, and were under way when a process died, or when their run failed. */
  #unknown = 0;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  /** Whether the run has ended for good. */
  get hasEnded(): boolean {
    return this.#endedAt !== null;
  }

  /** Somebody was told that the run is cancelled, or asked to stop. */
  cancelled(outcome: 'cancelled' | 'requested'): void {
    this.#cancelledAt = this.#parts.now();
    if (outcome === 'cancelled') this.#endedAt = this.#cancelledAt;
  }

  /** A step begins, in a process that may have been overtaken without knowing. */
  called({ name, key, run, kind }: CalledStep, isOvertaken: boolean): void {
    const known = this.#keys.get(name) ?? key;
    if (known !== key) this.violations.push(`${name} has two keys`);
    this.#keys.set(name, key);
    this.#sees(name.split(' ')[0] ?? '', run);
    const calls = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, calls);
    if (kind === 'once' && calls > 1 + this.#retries) this.violations.push(`${name} was performed ${calls} times`);
    // Who was overtaken may begin what another has done: its key tells the other side, and its facts are not stored.
    if (isOvertaken) return;
    if (this.#finished.has(name)) this.violations.push(`${name} was performed again after it had finished`);
    const mayBegin = name.startsWith(this.#parts.executionId) ? this.#cancelledAt === null : !this.hasEnded;
    if (!mayBegin) this.violations.push(`${name} began after its run was to stop`);
  }

  /** A run is to its steps what it was to those before: also after a crash, or a retry. */
  #sees(executionId: string, run: string): void {
    const known = this.#runs.get(executionId) ?? run;
    if (known !== run) this.violations.push(`a step saw its run as ${run}, another one as ${known}`);
    this.#runs.set(executionId, known);
  }

  /** The store has done what it was asked for. */
  answered({ point, asked, value }: Answer): void {
    if (point === 'executions.retry' && value === 'pending') this.#retries += 1;
    if (point !== 'executions.append' || value === 'lost') return;
    const { id, facts } = asked as Append;
    for (const fact of facts) {
      if (fact.kind === 'step_succeeded') this.#finished.add(`${id} ${fact.frame}/${fact.nodeId}`);
      if (isUnknown(fact)) this.#unknown += 1;
      if (fact.kind === 'step_paused' && fact.pause.kind === 'child') this.#noteChild(id, fact, fact.pause);
      if (fact.kind === 'run_finished' && id === this.#parts.executionId) this.#noteEnd(fact);
    }
  }

  /** In one place of a run there is one sub-workflow, however often it fails. */
  #noteChild(id: string, { frame, nodeId }: StepPaused, { executionId }: { readonly executionId: string }): void {
    const name = `${id} ${frame}/${nodeId}`;
    const known = this.#childOf.get(name) ?? executionId;
    if (known !== executionId) this.violations.push(`${name} started two sub-workflows`);
    this.#childOf.set(name, executionId);
  }

  #noteEnd({ status }: RunFinished): void {
    const { action, failed, now } = this.#parts;
    if (action.kind === 'retry' && status === 'failed' && this.#retries < mostRetries) failed();
    else this.#endedAt = now();
  }

  /** What is wrong when all is over: with what was seen, with the journals, and with what came of the deed. */
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
    if (!wasCalm || this.#cancelledAt === null) return violations;
    const took = (this.#endedAt ?? Number.POSITIVE_INFINITY) - this.#cancelledAt;
    return took > stopMs ? [...violations, `it took ${took} ms until the run stopped`] : violations;
  }
}

/** What happened in all. */
interface Story {
  readonly world: RandomWorld;
  readonly family: Family;
  /** Whether nothing failed any more from some moment on. */
  readonly isRepaired: boolean;
  /** Whether nothing happened to the service. */
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

import type { Fact, RunFinished, StepPaused } from '@millrace/core';
import { faultsIn, interpret, type RandomWorld } from '@millrace/core/testkit';
import type { Append } from '../../src/store/executions.ts';
import type { Deed } from './deed.ts';
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
  readonly deed: Deed;
  readonly now: () => number;
  /** Hears that the run has failed, where it is to be retried. */
  readonly failed: () => void;
}

/** Sees what the steps do and what the store was asked for, and says what must not have been. */
export class Witness {
  /** What is wrong, a line each. */
  readonly faults: string[] = [];
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
    if (known !== key) this.faults.push(`${name} has two keys`);
    this.#keys.set(name, key);
    this.#sees(name.split(' ')[0] ?? '', run);
    const calls = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, calls);
    if (kind === 'once' && calls > 1 + this.#retries) this.faults.push(`${name} was performed ${calls} times`);
    // Who was overtaken may begin what another has done: its key tells the other side, and its facts are not stored.
    if (isOvertaken) return;
    if (this.#finished.has(name)) this.faults.push(`${name} was performed again after it had finished`);
    const mayBegin = name.startsWith(this.#parts.executionId) ? this.#cancelledAt === null : !this.hasEnded;
    if (!mayBegin) this.faults.push(`${name} began after its run was to stop`);
  }

  /** A run is to its steps what it was to those before: also after a crash, or a retry. */
  #sees(executionId: string, run: string): void {
    const known = this.#runs.get(executionId) ?? run;
    if (known !== run) this.faults.push(`a step saw its run as ${run}, another one as ${known}`);
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
    if (known !== executionId) this.faults.push(`${name} started two sub-workflows`);
    this.#childOf.set(name, executionId);
  }

  #noteEnd({ status }: RunFinished): void {
    const { deed, failed, now } = this.#parts;
    if (deed.kind === 'retry' && status === 'failed' && this.#retries < mostRetries) failed();
    else this.#endedAt = now();
  }

  /** What is wrong when all is over: with what was seen, with the journals, and with what came of the deed. */
  verdict(story: Story): readonly string[] {
    return [...this.faults, ...faultsInJournals(story), ...this.#faultsInDeed(story)];
  }

  #faultsInDeed({ family: { journal, children }, wasCalm }: Story): readonly string[] {
    const faults: string[] = [];
    const last = journal.at(-1);
    if (wasCalm && this.#retries === 0 && [journal, ...children.values()].some((facts) => facts.some(isUnknown))) {
      faults.push('a step is unknown, though no process died');
    }
    if (this.#parts.deed.kind === 'retry' && last?.kind === 'run_finished' && last.status !== 'completed') {
      faults.push(`after ${this.#retries} retries the run is ${last.status}`);
    }
    if (wasCalm && this.#retries > 1 + this.#unknown) faults.push(`it took ${this.#retries} retries`);
    if (!wasCalm || this.#cancelledAt === null) return faults;
    const took = (this.#endedAt ?? Number.POSITIVE_INFINITY) - this.#cancelledAt;
    return took > stopMs ? [...faults, `it took ${took} ms until the run stopped`] : faults;
  }
}

/** What happened in all. */
interface Story {
  readonly world: RandomWorld;
  readonly family: Family;
  /** Whether nothing failed any more from some moment on. */
  readonly isMended: boolean;
  /** Whether nothing happened to the service. */
  readonly wasCalm: boolean;
}

function faultsInJournals({ world, family, isMended }: Story): readonly string[] {
  const faults = [...faultsIn(family.journal, interpret({ ...world, seen: seenOf(family, isMended) }))];
  const { child } = world;
  if (child === null) return faults;
  for (const journal of family.children.values()) {
    const seen = seenOf({ journal, children: new Map<string, readonly Fact[]>() }, isMended);
    faults.push(...faultsIn(journal, interpret({ ...child, seen })).map((fault) => `child: ${fault}`));
  }
  return faults;
}

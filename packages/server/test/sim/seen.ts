import type { Fact, StepFailed } from '@millrace/core';
import type { Seen, StepSucceeded } from '@millrace/core/testkit';

/** The facts of a run's journal that count, and those of the runs that it started. */
export interface Family {
  readonly journal: readonly Fact[];
  /** By the ids of the executions. */
  readonly children: ReadonlyMap<string, readonly Fact[]>;
}

type End = StepSucceeded | StepFailed;

/**
 * What the interpreter needs from the real run because it does not depend on randomness alone: the steps that were
 * running when a process died, and failed because their effect is unknown. With `isRepaired`, nothing failed from some
 * moment on; then the result contains every failure.
 */
export function seenOf({ journal, children }: Family, isRepaired: boolean): Seen {
  const ends = new Map<string, End>();
  const started = new Map<string, string>();
  for (const fact of journal) {
    if (isEnd(fact)) ends.set(`${fact.frame}/${fact.nodeId}`, fact);
    if (fact.kind === 'step_paused' && fact.pause.kind === 'child') {
      started.set(`${fact.frame}/${fact.nodeId}`, fact.pause.executionId);
    }
  }
  return {
    failures(name) {
      const end = ends.get(name);
      if (isUnknown(end)) return always;
      if (!isRepaired) return undefined;
      if (end?.kind === 'step_failed') return always;
      return end === undefined ? 0 : end.attempt - 1;
    },
    child(name) {
      const found = children.get(started.get(name) ?? '');
      return found === undefined ? undefined : seenOf({ journal: found, children: new Map() }, isRepaired);
    },
  };
}

/** More failures than any policy has attempts. */
const always = 9;

/** Whether a step failed because its process died. */
export function isUnknown(fact: Fact | undefined): boolean {
  return fact?.kind === 'step_failed' && fact.failure.code === 'step_unknown';
}

function isEnd(fact: Fact): fact is End {
  return fact.kind === 'step_succeeded' || (fact.kind === 'step_failed' && fact.retryAt === null);
}

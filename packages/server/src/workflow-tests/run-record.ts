import {
  type ExecutionStatus,
  type Fact,
  type Failure,
  type Json,
  type JsonObject,
  standingEntries,
} from '@millrace/core';
import type { ExecutionDetail } from '../store/executions.ts';

/** The result of a run, from its journal. */
export interface RunRecord {
  readonly status: ExecutionStatus;
  /** The nodes that ran, in the order of their first attempt. */
  readonly path: readonly string[];
  /** The nodes that were skipped and never ran. */
  readonly skipped: readonly string[];
  readonly finalOutput: Json;
  readonly failure: Failure | null;
  /** The node whose failure ended the run. */
  readonly failedNode: string | null;
  /** The outputs of each step, by node or, in a loop, by frame and node: `each[0]/double`. */
  readonly outputs: ReadonlyMap<string, JsonObject>;
}

export function recordOf({ status, journal, finalOutput, failure }: ExecutionDetail): RunRecord {
  const facts = standingEntries(journal).map(({ fact }) => fact);
  const path = new Set(facts.flatMap((fact) => (isOfRun(fact) || !hasBegun(fact) ? [] : [fact.nodeId])));
  const skipped = facts.flatMap((fact) =>
    fact.kind === 'step_skipped' && !path.has(fact.nodeId) ? [fact.nodeId] : [],
  );
  const end = facts.at(-1);
  return {
    status,
    path: [...path],
    skipped: [...new Set(skipped)],
    finalOutput,
    failure,
    failedNode: end?.kind === 'run_finished' ? end.nodeId : null,
    outputs: outputsIn(facts),
  };
}

function isOfRun(fact: Fact): fact is Extract<Fact, { kind: 'run_finished' }> {
  return fact.kind === 'run_finished';
}

/** Whether a fact shows that its step has started; a step that waits for a person's permission has not. */
function hasBegun(fact: Fact): boolean {
  if (fact.kind === 'step_paused' || fact.kind === 'step_resumed') return fact.stage !== 'before';
  return fact.kind !== 'step_skipped';
}

function outputsIn(facts: readonly Fact[]): ReadonlyMap<string, JsonObject> {
  return new Map(
    facts.flatMap((fact) =>
      fact.kind === 'step_succeeded' ? [[stepName(fact.frame, fact.nodeId), fact.outputs] as const] : [],
    ),
  );
}

function stepName(frame: string, nodeId: string): string {
  return frame === '' ? nodeId : `${frame}/${nodeId}`;
}

import type { Instant, JsonObject, Meter, RunScope, StepState, Trigger } from '@millrace/core';
import type { ClaimedRun, NewExecution } from '../../store/executions.ts';
import type { Outside } from '../ports.ts';
import type { Work } from '../work-record.ts';
import type { BoundModel } from './bound-model.ts';

/** One attempt of one node, ready to be performed. */
export interface Attempt {
  readonly executionId: string;
  readonly workflowId: number;
  readonly step: StepState;
  readonly attempt: number;
  readonly trigger: Trigger;
  readonly scope: RunScope;
  /** The value of `now` in its expressions: the same for each attempt, so that each sends the same. */
  readonly now: Instant;
  readonly run: ClaimedRun;
  /** What it reaches outside of the service. */
  readonly outside: Outside;
  /** Executions that start if the attempt succeeds. */
  readonly starts: NewExecution[];
  /** The placeholders of secret variables in its config, with the variables' names. */
  readonly placeholders: Map<string, string>;
  /** Its config after its expressions were evaluated, with the arguments of a tool; null before. */
  evaluated: JsonObject | null;
  readonly signal: AbortSignal;
  /** Limits its work on the event loop. */
  readonly meter: Meter;
  /** Only for a node that uses a model. */
  readonly model: BoundModel | null;
}

/** The work of an attempt. */
export function workOf({
  executionId,
  step,
}: {
  readonly executionId: string;
  readonly step: { readonly node: Pick<StepState['node'], 'nodeId'> };
}): Work {
  return { executionId, during: 'steps', nodeId: step.node.nodeId };
}

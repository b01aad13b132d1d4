import type { Instant, RunScope, StepState, Trigger } from '@millrace/core';
import type { ClaimedRun, NewExecution } from '../../store/executions.ts';
import type { BoundModel } from './bound-model.ts';

/** One attempt of one node, ready to be performed. */
export interface Attempt {
  readonly executionId: string;
  readonly workflowId: number;
  readonly step: StepState;
  readonly attempt: number;
  readonly trigger: Trigger;
  readonly scope: RunScope;
  /** What `now` is in its expressions: the same at each attempt, as what it sends must be. */
  readonly now: Instant;
  readonly run: ClaimedRun;
  /** Executions that begin with its outcome, if it has a good one. */
  readonly starts: NewExecution[];
  /** What stands for secret variables in its config, with their names. */
  readonly placeholders: Map<string, string>;
  readonly signal: AbortSignal;
  /** For a node that takes a model. */
  readonly model: BoundModel | null;
}

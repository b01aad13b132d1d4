import type { ErrorCode } from './errors.ts';
import type { RunFinished } from './history.ts';
import type { Json } from './json.ts';
import type { RunState, StepState } from './run-state.ts';
import type { Instant } from './time.ts';

/** What may happen next in a run. */
export type Decision =
  /** Perform this attempt, not before `notBefore`. Stays decided until a fact tells how it ended. */
  | { readonly kind: 'perform'; readonly step: StepState; readonly attempt: number; readonly notBefore: Instant | null }
  | { readonly kind: 'skip'; readonly step: StepState }
  | { readonly kind: 'finish'; readonly result: Omit<RunFinished, 'kind' | 'at'> };

/** What advance must know beside the journal. */
export interface Situation {
  readonly cancelRequested: boolean;
  readonly now: Instant;
  /** When the run's time is up. */
  readonly deadline: Instant;
}

/**
 * Attempts that a run may make: enough for any graph drawn by hand, and an end to one that does not end by itself.
 */
const maxSteps = 10_000;

/**
 * The brain of the engine: what follows from a run's journal, of which `state` is the fold. Pure; performing the
 * decisions and appending the facts they lead to is the runner's work.
 */
export function advance(state: RunState, situation: Situation): readonly Decision[] {
  if (state.finished !== null) return [];
  const stop = reasonToStop(state, situation);
  if (stop !== null) return [stop];
  const decisions: Decision[] = [];
  for (const step of state.open) {
    decisions.push(
      step.phase === 'skipping'
        ? { kind: 'skip', step }
        : { kind: 'perform', step, attempt: step.attempts + 1, notBefore: step.retryAt },
    );
  }
  if (decisions.length === 0) return [finish('completed', { output: finalOutput(state) })];
  return decisions.length === 1 ? decisions : decisions.sort(inStartOrder);
}

function reasonToStop(state: RunState, situation: Situation): Decision | null {
  if (situation.cancelRequested) return failed('cancelled', 'run_cancelled', 'The execution was cancelled.');
  if (state.failure !== null) {
    const { failure, nodeId } = state.failure;
    const message = `Node '${nodeId}' failed: ${failure.message}`;
    return finish('failed', { failure: { code: failure.code, message }, nodeId });
  }
  if (situation.now >= situation.deadline) {
    return failed('failed', 'run_timeout', 'The execution took longer than max_execution_seconds allows.');
  }
  if (state.stepCount >= maxSteps && state.open.size > 0) {
    return failed('failed', 'run_steps', `The execution made ${maxSteps} steps, which is the limit.`);
  }
  return null;
}

function failed(status: 'failed' | 'cancelled', code: ErrorCode, message: string): Decision {
  return finish(status, { failure: { code, message } });
}

function finish(status: RunFinished['status'], rest: Partial<RunFinished>): Decision {
  return { kind: 'finish', result: { status, output: null, failure: null, nodeId: null, ...rest } };
}

/** By the priority of the edge that leads to it, then by edge id; the trigger, which has none, comes alone. */
function inStartOrder(a: Decision, b: Decision): number {
  if (a.kind === 'finish' || b.kind === 'finish') return 0;
  const left = a.step.inputEdges[0] ?? a.step.node.incoming[0];
  const right = b.step.inputEdges[0] ?? b.step.node.incoming[0];
  if (left === undefined || right === undefined) return 0;
  return right.priority - left.priority || left.id - right.id;
}

/** What a respond node answered, else the value of the node that no taken edge leaves; of several, keyed by node id. */
function finalOutput(state: RunState): Json {
  if (state.respond !== null) return state.respond.body;
  const last = [...state.steps.values()].filter(
    (step) => (step.phase === 'succeeded' || step.phase === 'failed') && step.taking === 0,
  );
  if (last.length === 1) return last[0]?.value ?? null;
  return Object.fromEntries(last.map((step) => [step.node.nodeId, step.value]));
}

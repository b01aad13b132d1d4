import type { EventCall, Fact, LiveEvent, RunFinished, StepPaused } from '@millrace/core';

/** What an event says about a step besides its fact. */
export interface EventStep {
  /** The number of the attempt as the log shows it. */
  readonly attempt: number;
  /** Undefined if the step is no call. */
  readonly call?: EventCall | undefined;
}

/** The event that subscribers get for a fact, once it is stored. */
export function eventOf(executionId: string, fact: Fact, step: EventStep): LiveEvent {
  return fact.kind === 'run_finished' ? endEvent(executionId, fact) : stepEvent(executionId, fact, step);
}

function stepEvent(executionId: string, fact: Exclude<Fact, RunFinished>, step: EventStep): LiveEvent {
  const { nodeId, frame } = fact;
  const about = { executionId, nodeId, frame, ...(step.call && { call: step.call }) } as const;
  const status = { type: 'node_status', ...about, attempt: step.attempt } as const;
  switch (fact.kind) {
    case 'step_succeeded':
      return {
        ...status,
        status: 'success',
        output: fact.outputs,
        durationMs: fact.durationMs,
        ...(fact.metadata?.pinned === true && { isPinned: true }),
        ...(fact.respond && { respond: fact.respond }),
      };
    case 'step_failed':
      return {
        ...status,
        status: fact.retryAt === null ? 'failed' : 'retrying',
        failure: fact.failure,
        durationMs: fact.durationMs,
      };
    case 'step_stopped':
      return { ...status, status: 'failed', failure: fact.failure };
    case 'step_paused':
      return pausedEvent(about, fact) ?? { ...status, status: 'waiting' };
    case 'step_skipped':
      return { ...status, status: 'skipped' };
    case 'step_resumed':
    case 'step_started':
      return { ...status, status: 'running' };
    case 'calls_opened':
      return { ...status, status: 'running' };
    case 'loop_started':
      return { ...status, status: 'running', total: fact.items.length };
  }
}

type InterruptedEvent = Extract<LiveEvent, { type: 'execution_interrupted' }>;

/** A step that waits for a person interrupts the run; null for any other pause. */
function pausedEvent(about: Omit<InterruptedEvent, 'type' | 'prompt'>, { pause }: StepPaused): InterruptedEvent | null {
  return pause.kind === 'approval' ? { type: 'execution_interrupted', ...about, prompt: pause.prompt } : null;
}

/** The event of the end of a run. */
export function endEvent(executionId: string, end: RunFinished): LiveEvent {
  if (end.status === 'completed') return { type: 'execution_completed', executionId, output: end.output };
  if (end.status === 'cancelled') return { type: 'execution_cancelled', executionId };
  const failure = end.failure ?? { code: 'step_crashed', message: 'The execution failed.' };
  return { type: 'execution_failed', executionId, failure, nodeId: end.nodeId };
}

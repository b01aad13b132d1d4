import type { Fact, LiveEvent, StepPaused } from '@millrace/core';

/** What subscribers are told of a fact, once it is stored. */
export function eventOf(executionId: string, fact: Fact): LiveEvent {
  switch (fact.kind) {
    case 'step_succeeded':
      return {
        type: 'node_status',
        executionId,
        nodeId: fact.nodeId,
        status: 'success',
        output: fact.outputs,
        durationMs: fact.durationMs,
        ...(fact.respond && { respond: fact.respond }),
      };
    case 'step_failed':
      return {
        type: 'node_status',
        executionId,
        nodeId: fact.nodeId,
        status: fact.retryAt === null ? 'failed' : 'retrying',
        failure: fact.failure,
        durationMs: fact.durationMs,
      };
    case 'step_stopped':
      return { type: 'node_status', executionId, nodeId: fact.nodeId, status: 'failed', failure: fact.failure };
    case 'step_paused':
      return pausedEvent(executionId, fact);
    case 'step_resumed':
      return { type: 'node_status', executionId, nodeId: fact.nodeId, status: 'running' };
    case 'step_skipped':
      return { type: 'node_status', executionId, nodeId: fact.nodeId, status: 'skipped' };
    case 'step_started':
    case 'loop_started':
      return { type: 'node_status', executionId, nodeId: fact.nodeId, status: 'running' };
    case 'run_finished':
      if (fact.status === 'completed') return { type: 'execution_completed', executionId, output: fact.output };
      if (fact.status === 'cancelled') return { type: 'execution_cancelled', executionId };
      return {
        type: 'execution_failed',
        executionId,
        failure: fact.failure ?? { code: 'step_crashed', message: 'The execution failed.' },
        nodeId: fact.nodeId,
      };
  }
}

/** A step that waits for a person interrupts the run; any other only waits. */
function pausedEvent(executionId: string, { nodeId, frame, pause }: StepPaused): LiveEvent {
  if (pause.kind !== 'approval') return { type: 'node_status', executionId, nodeId, status: 'waiting' };
  return { type: 'execution_interrupted', executionId, nodeId, frame, prompt: pause.prompt };
}

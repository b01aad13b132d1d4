import { StepError } from '../errors.ts';
import type { Resumed, StepResult } from './component.ts';

/** The result of a step that waited for another execution. */
export function calledResult({ pause, answer }: Resumed): StepResult {
  const name = pause.kind === 'child' ? pause.workflow : '';
  if (answer.kind !== 'end') {
    throw new StepError('step_timeout', `Workflow '${name}' did not end within timeout_seconds.`);
  }
  if (answer.status === 'completed') {
    const id = pause.kind === 'child' ? pause.executionId : null;
    return { outputs: { output: answer.output }, metadata: { execution_id: id } };
  }
  const reason = answer.error === null ? '' : `: ${answer.error}`;
  throw new StepError(
    'subworkflow',
    `Workflow '${name}' ${answer.status === 'failed' ? 'failed' : 'was cancelled'}${reason}`,
  );
}

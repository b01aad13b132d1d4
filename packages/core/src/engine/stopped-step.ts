import { errorTable } from '../errors.ts';
import type { Failure } from './journal/history.ts';

/** The reason why a step has no end of its own: the run or iteration that contains it ended. */
export function stoppedBecause({ code, message }: Failure): Failure {
  const isOfRun = errorTable[code].kind === 'run';
  return { code: isOfRun ? code : 'step_stopped', message: `The step was stopped before it finished. ${message}` };
}

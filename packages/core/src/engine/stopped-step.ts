import { errorTable } from '../errors.ts';
import type { Failure } from './journal/history.ts';

/** Why a step has no end of its own: what it was part of ended for this reason. */
export function stoppedBecause({ code, message }: Failure): Failure {
  const isOfRun = errorTable[code].kind === 'run';
  return { code: isOfRun ? code : 'step_stopped', message: `The step was stopped before its end. ${message}` };
}

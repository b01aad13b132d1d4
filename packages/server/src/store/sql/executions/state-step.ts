import type { Append } from '../../executions.ts';
import type { StateTable } from '../variables/state-table.ts';

/** An append with the fact that follows from stored state, and the write that belongs to it. */
interface Completed {
  readonly params: Append;
  readonly write: () => void;
}

/** Completes the state step of an append, in the transaction that is under way; an append without one stays as it is. */
export type StateCompletion = (given: Append) => Completed;

/** Reads the stored value and has the step make its fact of it; nothing is written until `write`. */
export function prepareStateStep(state: StateTable): StateCompletion {
  return (given) => {
    const { stateStep: step, workflowId } = given;
    const space = step && state.spaceOf(workflowId, step.key);
    const result = space === undefined ? null : (step?.complete(state.read(space)) ?? null);
    if (result === null || space === undefined) return { params: given, write: () => undefined };
    const { fact, events, entry } = result;
    const params = { ...given, facts: [...given.facts, fact], events: [...given.events, ...events] };
    return { params, write: () => state.write(space, entry, fact.at) };
  };
}

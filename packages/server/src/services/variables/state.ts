import { type Json, maxStateKey, maxStateValue, Problem, type StateKey, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';

/** The values that a workflow stores between runs. The caller's write access to the workflow was checked before. */
export interface State {
  /** Null if there is no value. */
  read(workflow: Workflow, key: StateKey): Promise<Json>;
  /** @throws Problem `invalid` if the key is too long or the value too large */
  write(workflow: Workflow, key: StateKey, value: Json): Promise<void>;
  remove(workflow: Workflow, key: StateKey): Promise<void>;
}

interface StatePorts {
  readonly store: Pick<Store, 'state'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createState({ store: { state }, clock }: StatePorts): State {
  const of = ({ id: workflowId }: Workflow, key: StateKey) => ({ workflowId, ...key, at: clock.now() });
  return {
    read: async (workflow, key) => (await state.read(of(workflow, key)))?.value ?? null,
    async write(workflow, key, value) {
      if (key.key.length > maxStateKey) throw invalid(['path', 'key'], `must have at most ${maxStateKey} characters`);
      if (JSON.stringify(value).length > maxStateValue)
        throw invalid(['body', 'value'], `must have at most ${maxStateValue} characters as JSON`);
      await state.write({ ...of(workflow, key), value });
    },
    remove: (workflow, key) => state.remove(of(workflow, key)),
  };
}

function invalid(loc: readonly string[], msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc, msg }]);
}

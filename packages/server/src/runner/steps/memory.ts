import { type FactSpace, type FactsPort, maxFacts, maxPeople, type PeoplePort, StepError } from '@millrace/core';
import type { ClaimedRun } from '../../store/executions.ts';
import type { StoredSpace } from '../../store/memory.ts';
import type { RunnerPorts } from '../ports.ts';

/** The facts that the steps of a run can use: those of its workflow and of the workflow's owner. */
export function factsOf(
  { memory, clock }: Pick<RunnerPorts, 'memory' | 'clock'>,
  run: Pick<ClaimedRun, 'workflowId'>,
): FactsPort {
  return {
    find: (space, key) => memory.find({ space: storedSpace(space, run), key }),
    async list(space, { query, limit }) {
      const { items } = await memory.list({ space: storedSpace(space, run), query, limit, offset: 0 });
      return items;
    },
    async put(space, { key, value }) {
      const stored = await memory.put({ space: storedSpace(space, run), key, value, at: clock.now() });
      if (stored !== 'full') return;
      const message = `The fact '${key}' was not stored: the scope '${space.scope}' has ${maxFacts} facts already. Delete some.`;
      throw new StepError('memory', message);
    },
    async remove(space, key) {
      await memory.remove({ space: storedSpace(space, run), key });
    },
  };
}

/** The people that the steps of a run identify: those of its workflow's owner. */
export function peopleOf(
  { memory, clock }: Pick<RunnerPorts, 'memory' | 'clock'>,
  { workflowId }: Pick<ClaimedRun, 'workflowId'>,
  key: string,
): PeoplePort {
  return {
    async identify(seen) {
      const found = await memory.identify({ owner: { workflowId }, seen, key, at: clock.now() });
      if (found !== 'full') return found;
      const message = `The person was not stored: the workflows of this owner know ${maxPeople} people already. Delete some.`;
      throw new StepError('memory', message);
    },
  };
}

function storedSpace(space: FactSpace, { workflowId }: Pick<ClaimedRun, 'workflowId'>): StoredSpace {
  return { ...space, workflowId };
}

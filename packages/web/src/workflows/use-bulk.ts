import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Workflow } from '../api/workflows.ts';

/** An action on several workflows, one after the other. */
export interface BulkAction {
  /** What happens, for example "Deleting". */
  readonly label: string;
  readonly workflows: readonly Workflow[];
  readonly perform: (workflow: Workflow) => Promise<unknown>;
}

interface BulkState {
  readonly action: BulkAction;
  readonly done: number;
  readonly isRunning: boolean;
  readonly failures: readonly { readonly workflow: Workflow; readonly message: string }[];
}

/** Performs actions on several workflows, with their progress and the failure of each. */
export function useBulk() {
  const cache = useQueryClient();
  const [state, setState] = useState<BulkState | null>(null);

  /** Returns the workflows for which it succeeded. */
  async function run(action: BulkAction): Promise<readonly Workflow[]> {
    const succeeded: Workflow[] = [];
    const failures: BulkState['failures'][number][] = [];
    for (const workflow of action.workflows) {
      setState({ action, done: succeeded.length + failures.length, isRunning: true, failures });
      try {
        await action.perform(workflow);
        succeeded.push(workflow);
      } catch (error) {
        failures.push({ workflow, message: error instanceof Error ? error.message : String(error) });
      }
    }
    setState(failures.length === 0 ? null : { action, done: action.workflows.length, isRunning: false, failures });
    await cache.invalidateQueries({ queryKey: ['workflows'] });
    await cache.invalidateQueries({ queryKey: ['workflow-activity'] });
    return succeeded;
  }

  return { state, run, dismiss: () => setState(null) };
}

export type Bulk = ReturnType<typeof useBulk>;

import { Problem, textTooLarge, type User, type Workflow } from '@millrace/core';
import type { Clock } from '../../ground/clock.ts';
import type { Store } from '../../store/store.ts';
import type { Dsl } from './dsl.ts';

/** The text of a workflow as its editors wrote it, with comments. */
export interface WorkflowTexts {
  /** The saved text, or else the exported one. */
  read(user: User, workflow: Workflow): Promise<{ readonly text: string; readonly isSaved: boolean }>;
  /** Stores the text; the workflow itself does not change. @throws Problem `invalid` if it is too large to be imported */
  save(workflow: Workflow, text: string): Promise<void>;
}

interface WorkflowTextsPorts {
  readonly store: Pick<Store, 'workflowTexts'>;
  readonly clock: Clock;
  readonly dsl: Pick<Dsl, 'export'>;
}

export function createWorkflowTexts({ store, clock, dsl }: WorkflowTextsPorts): WorkflowTexts {
  return {
    async read(user, workflow) {
      const saved = await store.workflowTexts.read(workflow.id);
      return { text: saved ?? (await dsl.export(user, workflow)), isSaved: saved !== null };
    },
    async save({ id }, text) {
      const reason = textTooLarge(text);
      if (reason !== null)
        throw new Problem('invalid', [{ type: 'too_large', loc: ['body', 'yaml_str'], msg: reason }]);
      await store.workflowTexts.write({ workflowId: id, text, at: clock.now() });
    },
  };
}

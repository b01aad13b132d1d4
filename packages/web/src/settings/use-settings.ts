import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { changeWorkflow, type Workflow, workflowDetail } from '../api/workflows.ts';
import { changedFields } from '../edits/contested-fields.ts';
import { useCheckedSave } from '../edits/use-checked-save.ts';

type Changes = Parameters<typeof changeWorkflow>[1];

interface SettingsForm<Form> {
  /** The texts of the form for a workflow. */
  readonly formOf: (workflow: Workflow) => Form;
  /** The request that the texts mean. */
  readonly changesOf: (form: Form) => Changes;
}

/**
 * A form for fields of a workflow. It sends the fields that differ from those with which the edit began; what somebody
 * else changes meanwhile is shown at once if nothing is typed.
 */
export function useSettings<Form>(workflow: Workflow, { formOf, changesOf }: SettingsForm<Form>) {
  const { slug } = workflow;
  const [form, setForm] = useState(() => formOf(workflow));
  const cache = useQueryClient();
  const { restart, save, contest, state, isChanged } = useCheckedSave<Workflow, Changes>({
    stored: workflow,
    changesOf: (before) => changedFields(changesOf(form), before),
    read: () => workflowDetail(slug),
    write: (changes) => changeWorkflow(slug, changes),
    onSaved: async (stored) => {
      setForm(formOf(stored));
      await cache.invalidateQueries({ queryKey: ['workflows'] });
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a workflow that was read again is the reason to run it.
  useEffect(() => {
    if (isChanged || contest !== null) return;
    restart(workflow);
    setForm(formOf(workflow));
  }, [workflow]);
  return {
    form,
    change: (part: Partial<Form>) => setForm({ ...form, ...part }),
    submit: (event: FormEvent): void => {
      event.preventDefault();
      void save();
    },
    edit: { contest, state, isChanged },
  };
}

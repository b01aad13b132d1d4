import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId } from 'react';
import { changeWorkflow, type Workflow, workflowsQuery } from '../api/workflows.ts';
import { inputClasses, selectClasses, TextField } from '../ui/field.tsx';
import { SaveButton } from './saved.tsx';
import { Section } from './section.tsx';

/** Name, description, tags, and whether triggers start the workflow. */
export function WorkflowGeneral({ workflow }: { readonly workflow: Workflow }) {
  const id = useId();
  const save = useChanges(workflow);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? '').trim();
    const tags = text('tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    save.mutate({
      name: text('name'),
      description: text('description'),
      tags: tags.length === 0 ? null : [...new Set(tags)],
      is_active: form.has('is_active'),
    });
  };
  return (
    <Section title="General">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField label="Name" name="name" defaultValue={workflow.name} required maxLength={200} />
        <div className="flex flex-col gap-1">
          <label htmlFor={id} className="font-medium text-[13px]">
            Description
          </label>
          <textarea
            id={id}
            name="description"
            rows={3}
            maxLength={10_000}
            className={`${inputClasses} h-auto py-2`}
            defaultValue={workflow.description}
          />
        </div>
        <TextField
          label="Tags"
          name="tags"
          defaultValue={(workflow.tags ?? []).join(', ')}
          hint="Separated by commas. The list of workflows filters by them."
          autoComplete="off"
        />
        <label className="flex items-center gap-2 text-[13px]">
          <input type="checkbox" className="switch" name="is_active" defaultChecked={workflow.is_active} />
          Active: its triggers start runs
        </label>
        <SaveButton state={save} />
      </form>
    </Section>
  );
}

/** What happens when a run fails, and how long runs may take. */
export function WorkflowRunSettings({ workflow }: { readonly workflow: Workflow }) {
  const id = useId();
  const { data } = useQuery(workflowsQuery({ limit: 1000, offset: 0 }));
  const others = (data?.items ?? []).filter((other) => other.id !== workflow.id);
  const handler = workflow.error_handler_workflow_id;
  const save = useChanges(workflow);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const numberOf = (name: string): number => Number(form.get(name) ?? '');
    save.mutate({
      error_handler_workflow_id: numberOf('handler') || null,
      max_execution_seconds: numberOf('seconds'),
      concurrency: numberOf('concurrency') || null,
    });
  };
  return (
    <Section title="Runs">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="flex flex-col gap-1">
          <label htmlFor={id} className="font-medium text-[13px]">
            Error workflow
          </label>
          {/* The options arrive later than the form. */}
          <select
            key={data === undefined ? 0 : 1}
            id={id}
            name="handler"
            className={selectClasses}
            defaultValue={handler ?? ''}
          >
            <option value="">None</option>
            {handler !== null && !others.some((other) => other.id === handler) && (
              <option value={handler}>A workflow that you may not see</option>
            )}
            {others.map((other) => (
              <option key={other.id} value={other.id}>
                {other.name} ({other.slug})
              </option>
            ))}
          </select>
          <p className="text-[12px] text-muted leading-4">
            Starts when a run of this workflow fails. It needs an error trigger.
          </p>
        </div>
        <TextField
          label="Longest duration of a run, in seconds"
          name="seconds"
          type="number"
          min={1}
          max={86_400}
          required
          defaultValue={workflow.max_execution_seconds}
        />
        <TextField
          label="Runs at the same time"
          name="concurrency"
          type="number"
          min={1}
          max={10_000}
          placeholder="No limit"
          defaultValue={workflow.concurrency ?? ''}
          hint="Further runs wait in the queue."
        />
        <SaveButton state={save} />
      </form>
    </Section>
  );
}

/** Changes fields of a workflow, and reads again what depends on them. */
export function useChanges({ slug }: Pick<Workflow, 'slug'>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (changes: Parameters<typeof changeWorkflow>[1]) => changeWorkflow(slug, changes),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['workflows'] }),
  });
}

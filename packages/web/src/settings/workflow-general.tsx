import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { changeWorkflow, type Workflow, workflowsQuery } from '../api/workflows.ts';
import { ContestNotice } from '../edits/contest-notice.tsx';
import type { ContestedField } from '../edits/contested-fields.ts';
import { inputClasses, selectClasses, TextField } from '../ui/field.tsx';
import { SaveButton } from './saved.tsx';
import { Section } from './section.tsx';
import { useSettings } from './use-settings.ts';

type Changes = Parameters<typeof changeWorkflow>[1];

/** What a field of a workflow is called in these forms. */
const names: Readonly<Record<string, string>> = {
  name: 'Name',
  description: 'Description',
  tags: 'Tags',
  is_active: 'Active',
  error_handler_workflow_id: 'Error workflow',
  max_execution_seconds: 'Longest duration of a run, in seconds',
  concurrency: 'Runs at the same time',
};

interface GeneralForm {
  readonly name: string;
  readonly description: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly isActive: boolean;
}

const generalForm = ({ name, description, tags, is_active: isActive }: Workflow): GeneralForm => ({
  ...{ name, description, tags: (tags ?? []).join(', '), isActive },
});

function generalChanges({ name, description, tags, isActive }: GeneralForm): Changes {
  const all = tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    ...{ name: name.trim(), description: description.trim(), is_active: isActive },
    tags: all.length === 0 ? null : [...new Set(all)],
  };
}

/** The values of a contested field as the form shows them. */
function generalValues({ mine, theirs }: ContestedField) {
  const textOf = (value: unknown): unknown => {
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return { mine: textOf(mine), theirs: textOf(theirs) };
}

/** Name, description, tags, and whether triggers start the workflow. */
export function WorkflowGeneral({ workflow }: { readonly workflow: Workflow }) {
  const id = useId();
  const { form, change, submit, edit } = useSettings(workflow, { formOf: generalForm, changesOf: generalChanges });
  return (
    <Section title="General">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ContestNotice contest={edit.contest} nameOf={(path) => names[path] ?? path} shown={generalValues} />
        <TextField label="Name" required value={form.name} onChange={({ target }) => change({ name: target.value })} />
        <div className="flex flex-col gap-1">
          <label htmlFor={id} className="font-medium text-[13px]">
            Description
          </label>
          <textarea
            id={id}
            rows={3}
            className={`${inputClasses} h-auto py-2`}
            value={form.description}
            onChange={({ target }) => change({ description: target.value })}
          />
        </div>
        <TextField
          label="Tags"
          value={form.tags}
          hint="Separated by commas. The list of workflows filters by them."
          autoComplete="off"
          onChange={({ target }) => change({ tags: target.value })}
        />
        <label className="flex items-center gap-2 text-[13px]">
          <input
            type="checkbox"
            className="switch"
            checked={form.isActive}
            onChange={({ target }) => change({ isActive: target.checked })}
          />
          Active: its triggers start runs
        </label>
        <SaveButton state={edit.state} isChanged={edit.isChanged} />
      </form>
    </Section>
  );
}

interface RunForm {
  readonly handler: string;
  readonly seconds: string;
  readonly concurrency: string;
}

const runForm = (workflow: Workflow): RunForm => ({
  handler: String(workflow.error_handler_workflow_id ?? ''),
  seconds: String(workflow.max_execution_seconds),
  concurrency: String(workflow.concurrency ?? ''),
});

const runChanges = ({ handler, seconds, concurrency }: RunForm): Changes => ({
  error_handler_workflow_id: Number(handler) || null,
  max_execution_seconds: Number(seconds),
  concurrency: Number(concurrency) || null,
});

/** What happens when a run fails, and how long runs may take. */
export function WorkflowRunSettings({ workflow }: { readonly workflow: Workflow }) {
  const id = useId();
  const { data } = useQuery(workflowsQuery({ limit: 1000, offset: 0 }));
  const others = (data?.items ?? []).filter((other) => other.id !== workflow.id);
  const { form, change, submit, edit } = useSettings(workflow, { formOf: runForm, changesOf: runChanges });
  const nameOf = (handler: unknown): string => {
    const found = others.find((other) => other.id === handler);
    return found === undefined ? 'A workflow that you may not see' : `${found.name} (${found.slug})`;
  };
  const shown = ({ path, mine, theirs }: ContestedField) => {
    const textOf = (value: unknown) => (path === 'error_handler_workflow_id' && value !== null ? nameOf(value) : value);
    return { mine: textOf(mine), theirs: textOf(theirs) };
  };
  return (
    <Section title="Runs">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ContestNotice contest={edit.contest} nameOf={(path) => names[path] ?? path} shown={shown} />
        <div className="flex flex-col gap-1">
          <label htmlFor={id} className="font-medium text-[13px]">
            Error workflow
          </label>
          <select
            id={id}
            className={selectClasses}
            value={form.handler}
            onChange={({ target }) => change({ handler: target.value })}
          >
            <option value="">None</option>
            {form.handler !== '' && !others.some((other) => String(other.id) === form.handler) && (
              <option value={form.handler}>A workflow that you may not see</option>
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
          type="number"
          min={1}
          max={86_400}
          required
          value={form.seconds}
          onChange={({ target }) => change({ seconds: target.value })}
        />
        <TextField
          label="Runs at the same time"
          type="number"
          min={1}
          max={10_000}
          placeholder="No limit"
          value={form.concurrency}
          hint="Further runs wait in the queue."
          onChange={({ target }) => change({ concurrency: target.value })}
        />
        <SaveButton state={edit.state} isChanged={edit.isChanged} />
      </form>
    </Section>
  );
}

/** Changes fields of a workflow, and reads again what depends on them. */
export function useChanges({ slug }: Pick<Workflow, 'slug'>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (changes: Changes) => changeWorkflow(slug, changes),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['workflows'] }),
  });
}

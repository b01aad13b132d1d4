import type { Schemas } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import {
  changeVariable,
  createVariable,
  readVariable,
  removeVariable,
  type Variable,
  type VariablePlace,
} from '../api/settings/variables.ts';
import { ContestNotice } from '../edits/contest-notice.tsx';
import type { ContestedField } from '../edits/contested-fields.ts';
import { useCheckedSave } from '../edits/use-checked-save.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { inputClasses, TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { changeOf, creationOf, formOf, textOf, type VariableForm } from './variable-form.ts';

interface VariableDialogProps {
  readonly place: VariablePlace;
  /** Null for a new one. */
  readonly variable: Variable | null;
  readonly onClose: () => void;
}

const noVariable: Variable = { name: '', value: '', is_secret: false };

const names: Readonly<Record<string, string>> = { value: 'Value', is_secret: 'Secret', allowed_hosts: 'Allowed hosts' };

/** A secret is shown nowhere. */
const shownValues =
  ({ isSecret }: VariableForm) =>
  ({ path, mine, theirs }: ContestedField) => ({ mine: path === 'value' && isSecret ? 'a new secret' : mine, theirs });

/** Creates or changes a variable. */
export function VariableDialog({ place, variable, onClose }: VariableDialogProps) {
  const id = useId();
  const cache = useQueryClient();
  const [form, setForm] = useState<VariableForm>(() => formOf(variable));
  const close = async (): Promise<void> => {
    await cache.invalidateQueries({ queryKey: ['variables', place] });
    onClose();
  };
  const create = useMutation({ mutationFn: () => createVariable(place, creationOf(form)), onSuccess: close });
  const edit = useCheckedSave<Variable, Schemas['VariableChanges']>({
    stored: variable ?? noVariable,
    changesOf: (before) => changeOf(before, form),
    read: () => readVariable(place, variable?.name ?? ''),
    write: (changes) => changeVariable(place, variable?.name ?? '', changes),
    onSaved: close,
  });
  const { isPending, error } = variable === null ? create : edit.state;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (variable === null) create.mutate();
    else void edit.save();
  };
  return (
    <Dialog
      title={variable === null ? 'Add a variable' : `Edit ${variable.name}`}
      isOpen
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={id} disabled={isPending}>
            Save
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-4">
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        <ContestNotice contest={edit.contest} nameOf={(path) => names[path] ?? path} shown={shownValues(form)} />
        {variable === null && (
          <TextField
            label="Name"
            required
            autoFocus
            autoComplete="off"
            spellCheck={false}
            value={form.name}
            hint={
              <>
                Expressions use it as <code>vars.{form.name.trim() === '' ? 'name' : form.name.trim()}</code>.
              </>
            }
            onChange={({ target }) => setForm({ ...form, name: target.value })}
          />
        )}
        <label className="flex items-center gap-2 text-[13px]">
          <input
            type="checkbox"
            className="switch"
            checked={form.isSecret}
            onChange={({ target }) => setForm({ ...form, isSecret: target.checked, value: form.value ?? '' })}
          />
          Secret: stored encrypted, never shown again
        </label>
        <ValueField id={`${id}-value`} form={form} variable={variable} onChange={setForm} />
        {form.isSecret && (
          <TextField
            label="Allowed hosts"
            required
            autoComplete="off"
            spellCheck={false}
            value={form.hosts}
            hint="The secret is sent only in requests to these hosts. Separate several with commas."
            onChange={({ target }) => setForm({ ...form, hosts: target.value })}
          />
        )}
      </form>
    </Dialog>
  );
}

interface ValueFieldProps {
  readonly id: string;
  readonly form: VariableForm;
  readonly variable: Variable | null;
  readonly onChange: (form: VariableForm) => void;
}

function ValueField({ id, form, variable, onChange }: ValueFieldProps) {
  const change = (value: string | null): void => onChange({ ...form, value });
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium text-[13px]">
        Value
      </label>
      {form.value === null && variable !== null ? (
        <div className="flex items-center gap-2">
          <output id={id} className={`${inputClasses} flex items-center bg-sunken font-mono text-[13px]`}>
            {textOf(variable.value)}
          </output>
          <Button aria-label="Replace the value" onClick={() => change('')}>
            Replace
          </Button>
        </div>
      ) : form.isSecret ? (
        <input
          id={id}
          type="password"
          className={inputClasses}
          required
          autoComplete="new-password"
          value={form.value ?? ''}
          onChange={({ target }) => change(target.value)}
        />
      ) : (
        <>
          <textarea
            id={id}
            rows={3}
            className={`${inputClasses} h-auto py-2 font-mono text-[13px]`}
            spellCheck={false}
            value={form.value ?? ''}
            onChange={({ target }) => change(target.value)}
          />
          <p className="text-[12px] text-muted leading-4">Text, or JSON: a number, true, a list or an object.</p>
        </>
      )}
    </div>
  );
}

interface RemoveVariableDialogProps {
  readonly place: VariablePlace;
  readonly variable: Variable;
  readonly onClose: () => void;
}

/** Asks before a variable is deleted: nothing restores it. */
export function RemoveVariableDialog({ place, variable: { name }, onClose }: RemoveVariableDialogProps) {
  const cache = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeVariable(place, name),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ['variables', place] });
      onClose();
    },
  });
  return (
    <Dialog
      title={`Delete the variable ${name}?`}
      isOpen
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </>
      }
    >
      <p>
        Later runs of nodes that use <code>vars.{name}</code> fail. This cannot be undone.
      </p>
      {remove.error !== null && <Notice kind="error">{remove.error.message}</Notice>}
    </Dialog>
  );
}

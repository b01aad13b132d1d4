import type { Schemas } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import {
  type Credential,
  type CredentialType,
  changeCredential,
  createCredential,
  credentialsKey,
  readCredential,
} from '../api/credentials.ts';
import { ContestNotice } from '../edits/contest-notice.tsx';
import type { ContestedField } from '../edits/contested-fields.ts';
import { useCheckedSave } from '../edits/use-checked-save.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { CredentialForm } from './credential-form.tsx';
import { credentialFields, isSecret, typeLooks } from './fields.ts';
import { changesOf, detailOf, problemsOf, valuesOf } from './form.ts';
import { TestNotice } from './test-notice.tsx';
import { TypeChoice } from './type-choice.tsx';
import { useCredentialTest } from './use-test.ts';

interface CredentialDialogProps {
  /** The credential to edit; null for a new one. */
  readonly credential: Credential | null;
  /** The type of a new credential; null if the user chooses it. */
  readonly type?: CredentialType | null;
  readonly onClose: () => void;
  /** Called with each saved state, e.g. to select a new credential in a form. */
  readonly onSaved?: (credential: Credential) => void;
}

/** Creates a credential or edits one. It stays open after a test that failed, so that the key can be corrected. */
export function CredentialDialog({ credential, type = null, onClose, onSaved }: CredentialDialogProps) {
  const [stored, setStored] = useState(credential);
  const [chosen, setChosen] = useState<CredentialType>(credential?.credential_type ?? type ?? 'llm');
  const edit = useEdit(stored, chosen);
  const formId = useId();
  const cache = useQueryClient();
  const test = useCredentialTest();
  const saved = (next: Credential): void => {
    setStored(next);
    edit.reset(next);
    void cache.invalidateQueries({ queryKey: credentialsKey });
    onSaved?.(next);
  };
  const create = useMutation({ mutationFn: edit.create, onSuccess: saved });
  const change = useCheckedSave<Partial<Credential>, Schemas['CredentialChanges']>({
    stored: stored ?? {},
    changesOf: () => edit.changes,
    read: () => readCredential(stored?.id ?? 0),
    write: (changes) => changeCredential(stored?.id ?? 0, changes),
    onSaved: (next) => saved(next as Credential),
  });
  const save = async (): Promise<Credential | null> => {
    if (stored !== null) return edit.isChanged ? ((await change.save()) as Credential | null) : stored;
    const created = await create.mutateAsync().catch(() => null);
    if (created !== null) change.restart(created);
    return created;
  };
  const run = async (isTested: boolean): Promise<void> => {
    if (!edit.check()) return;
    const next = await save();
    if (next === null) return;
    if (!isTested) return onClose();
    await test.mutateAsync(next).catch(() => null);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The dialog can be inside another form of the page: React forwards events to it.
    event.stopPropagation();
    void run(false);
  };
  const isPending = create.isPending || change.state.isPending || test.isPending;
  const isTested = test.data !== undefined && !edit.isChanged;
  const error = create.error ?? change.state.error ?? test.error;
  return (
    <Dialog
      title={stored === null ? 'New credential' : `Credential ${stored.name}`}
      description="All users of this installation can use a credential in their workflows. Nobody can read its secrets."
      isOpen
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>{isTested ? 'Close' : 'Cancel'}</Button>
          {chosen === 'llm' && (
            <Button disabled={isPending} onClick={() => void run(true)}>
              {test.isPending ? 'Testing…' : edit.isChanged ? 'Save and test' : 'Test'}
            </Button>
          )}
          <Button kind="primary" type="submit" form={formId} disabled={isPending || !edit.isChanged}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} noValidate autoComplete="off" className="flex flex-col gap-4 pt-1" onSubmit={submit}>
        <ContestNotice
          contest={change.contest}
          nameOf={(path) => nameOf(chosen, path)}
          onDecided={onClose}
          shown={(field) => shownValues(chosen, field)}
        />
        {stored === null && type === null && <TypeChoice value={chosen} onChange={setChosen} />}
        <TextField
          label="Name"
          placeholder={typeLooks[chosen].name}
          autoFocus={stored === null}
          autoComplete="off"
          value={edit.name}
          error={edit.nameProblem}
          onChange={({ target }) => edit.setName(target.value)}
        />
        <CredentialForm
          type={chosen}
          stored={stored?.detail ?? null}
          values={edit.values}
          problems={edit.problems}
          onChange={edit.setValues}
        />
        {error !== null && <Notice kind="error">{error.message}</Notice>}
        {isTested && <TestNotice result={test.data} />}
      </form>
    </Dialog>
  );
}

function fieldAt(type: CredentialType, path: string) {
  return credentialFields[type].find((field) => `detail.${field.path.join('.')}` === path);
}

function nameOf(type: CredentialType, path: string): string {
  return path === 'name' ? 'Name' : (fieldAt(type, path)?.label ?? path.replace(/^detail\./, ''));
}

/** A secret is shown nowhere; the service returns a mask of it. */
function shownValues(type: CredentialType, { path, mine, theirs }: ContestedField) {
  const field = fieldAt(type, path);
  return { mine: field !== undefined && isSecret(field) ? 'a new secret' : mine, theirs };
}

/** The texts of the form, whether they differ from what is stored, and how to store them. */
function useEdit(stored: Credential | null, type: CredentialType) {
  const [name, setName] = useState(stored?.name ?? '');
  const [byType, setByType] = useState(() => ({ [type]: valuesOf(type, stored?.detail ?? null) }));
  const [isChecked, setIsChecked] = useState(false);
  const values = byType[type] ?? valuesOf(type, null);
  const problems = problemsOf(type, values);
  const changes = {
    ...(name.trim() !== stored?.name && { name: name.trim() }),
    ...(stored !== null && detailChanges(type, values, stored)),
  };
  return {
    name,
    setName,
    values,
    setValues: (next: typeof values) => setByType({ ...byType, [type]: next }),
    isChanged: stored === null || Object.keys(changes).length > 0,
    problems: isChecked ? problems : {},
    nameProblem: isChecked && name.trim() === '' ? 'Enter a name.' : null,
    check: (): boolean => {
      setIsChecked(true);
      return name.trim() !== '' && Object.keys(problems).length === 0;
    },
    changes: changes as Schemas['CredentialChanges'],
    create: () => createCredential({ name: name.trim(), type, detail: detailOf(type, values) }),
    reset: (saved: Credential): void => {
      setName(saved.name);
      setByType({ [type]: valuesOf(type, saved.detail) });
      setIsChecked(false);
    },
  };
}

function detailChanges(type: CredentialType, values: ReturnType<typeof valuesOf>, stored: Credential) {
  const detail = changesOf(type, values, stored.detail);
  return Object.keys(detail).length > 0 && { detail };
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import {
  type Credential,
  type CredentialType,
  changeCredential,
  createCredential,
  credentialsKey,
} from '../api/credentials.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { CredentialForm } from './credential-form.tsx';
import { typeLooks } from './fields.ts';
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
  const save = useMutation({
    mutationFn: () => edit.save(),
    onSuccess: (saved) => {
      setStored(saved);
      edit.reset(saved);
      void cache.invalidateQueries({ queryKey: credentialsKey });
      onSaved?.(saved);
    },
  });
  const run = async (isTested: boolean): Promise<void> => {
    if (!edit.check()) return;
    const saved = await save.mutateAsync().catch(() => null);
    if (saved === null) return;
    if (!isTested) return onClose();
    await test.mutateAsync(saved).catch(() => null);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The dialog can be inside another form of the page: React forwards events to it.
    event.stopPropagation();
    void run(false);
  };
  const isPending = save.isPending || test.isPending;
  const isTested = test.data !== undefined && !edit.isChanged;
  const error = save.error ?? test.error;
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
        {stored === null && type === null && <TypeChoice value={chosen} onChange={setChosen} />}
        <TextField
          label="Name"
          placeholder={typeLooks[chosen].name}
          autoFocus={stored === null}
          autoComplete="off"
          maxLength={200}
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
    save: async (): Promise<Credential> => {
      if (stored === null) return createCredential({ name: name.trim(), type, detail: detailOf(type, values) });
      return Object.keys(changes).length === 0 ? stored : changeCredential(stored.id, changes);
    },
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

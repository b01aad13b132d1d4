import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { type Fact, type FactPlace, putFact, removeFact, removeFacts } from '../api/settings/facts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { inputClasses, TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { textOf, typedValue } from '../variables/variable-form.ts';

/** Performs a change of the facts of a place; afterwards the lists show it, and the dialog closes. */
function useFactChange(change: () => Promise<unknown>, place: FactPlace, onClose: () => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ['facts', place] });
      onClose();
    },
  });
}

interface FactDialogProps {
  readonly place: FactPlace;
  /** Null for a new one. */
  readonly fact: Fact | null;
  readonly onClose: () => void;
}

/** Stores a fact, or changes the value of one. */
export function FactDialog({ place, fact, onClose }: FactDialogProps) {
  const id = useId();
  const [key, setKey] = useState(fact?.key ?? '');
  const [value, setValue] = useState(() => (fact === null ? '' : textOf(fact.value)));
  const save = useFactChange(() => putFact(place, key, typedValue(value)), place, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog
      title={fact === null ? 'Add a fact' : `Edit ${fact.key}`}
      isOpen
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={id} disabled={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-4">
        {save.error !== null && <Notice kind="error">{save.error.message}</Notice>}
        {fact === null && (
          <TextField
            label="Key"
            required
            autoFocus
            autoComplete="off"
            value={key}
            hint="A fact with the same key is replaced."
            onChange={({ target }) => setKey(target.value)}
          />
        )}
        <div className="flex flex-col gap-1">
          <label htmlFor={`${id}-value`} className="font-medium text-[13px]">
            Value
          </label>
          <textarea
            id={`${id}-value`}
            rows={5}
            className={`${inputClasses} h-auto py-2 font-mono text-[13px]`}
            spellCheck={false}
            value={value}
            onChange={({ target }) => setValue(target.value)}
          />
          <p className="text-[12px] text-muted leading-4">Text, or JSON: a number, true, a list or an object.</p>
        </div>
      </form>
    </Dialog>
  );
}

interface RemoveFactsDialogProps {
  readonly place: FactPlace;
  /** Null for all facts of the place. */
  readonly fact: Fact | null;
  readonly onClose: () => void;
}

/** Asks before facts are deleted: nothing restores them. */
export function RemoveFactsDialog({ place, fact, onClose }: RemoveFactsDialogProps) {
  const change = () => (fact === null ? removeFacts(place) : removeFact(place, fact.key));
  const remove = useFactChange(change, place, onClose);
  return (
    <Dialog
      title={fact === null ? 'Delete all facts?' : `Delete the fact ${fact.key}?`}
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
      <p>Workflows no longer remember {fact === null ? 'any of them' : 'it'}. This cannot be undone.</p>
      {remove.error !== null && <Notice kind="error">{remove.error.message}</Notice>}
    </Dialog>
  );
}

import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { checkedSave, decidedEdit, type RecordEdit, type SavePorts } from './checked-save.ts';
import type { ContestedField, Fields } from './contested-fields.ts';

interface CheckedSaveOptions<Stored extends Fields, Changes extends object> extends SavePorts<Stored, Changes> {
  /** The record with which the edit begins. */
  readonly stored: Stored;
  /** What the form changes of a record. */
  readonly changesOf: (before: Stored) => Changes;
  /** Called with what the service has then. */
  readonly onSaved: (stored: Stored) => void | Promise<void>;
}

/** A decision that waits for a person. */
export interface Contest {
  readonly fields: readonly ContestedField[];
  readonly isPending: boolean;
  /** Returns whether the edit is stored then. */
  readonly decide: (isMine: boolean) => Promise<boolean>;
}

/** Saves the changes of a form, and asks about those that somebody else has changed as well. */
export function useCheckedSave<Stored extends Fields, Changes extends object>(
  options: CheckedSaveOptions<Stored, Changes>,
) {
  const [before, setBefore] = useState(options.stored);
  const [contested, setContested] = useState<readonly ContestedField[] | null>(null);
  const mutation = useMutation({
    mutationFn: (edit: RecordEdit<Stored, Changes>) => checkedSave(options, edit),
    onSuccess: async (outcome) => {
      setContested(outcome.kind === 'contested' ? outcome.fields : null);
      if (outcome.kind === 'contested') return;
      setBefore(outcome.stored);
      await options.onSaved(outcome.stored);
    },
  });
  const { isPending, error, data } = mutation;
  const changes = options.changesOf(before);
  const edit = { before, changes };
  const saved = async (given: RecordEdit<Stored, Changes>): Promise<Stored | null> => {
    const outcome = await mutation.mutateAsync(given).catch(() => null);
    return outcome?.kind === 'saved' ? outcome.stored : null;
  };
  const contest: Contest | null = contested && {
    ...{ fields: contested, isPending },
    decide: async (isMine) => (await saved(decidedEdit(edit, contested, isMine))) !== null,
  };
  return {
    isChanged: Object.keys(changes).length > 0,
    /** The edit begins with another record. */
    restart: setBefore,
    /** Returns what the service has then; null if a person has to decide first, or after an error. */
    save: () => saved(edit),
    contest,
    state: { isPending, error, isSuccess: data?.kind === 'saved' },
  };
}

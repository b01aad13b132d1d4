import { useContext, useRef, useSyncExternalStore } from 'react';
import { type FieldEvent, type ShownField, shownField } from '../../state/fields/field-draft.ts';
import { type FormField, handleFieldEvent } from './field-input.ts';
import { FormContext } from './form-context.ts';

/** What an input element shows and reports. */
export interface FieldInput extends ShownField {
  /** The field got another text: by a key, a paste, a completion or an undo inside of it. */
  readonly type: (text: string) => void;
  /** The field got another value without a text: one of several options. Undefined removes it. */
  readonly choose: (value: unknown) => void;
  readonly leave: () => void;
  /** Changes between a value and an expression. */
  readonly toggle: () => void;
  readonly reset: () => void;
}

/** What a field shows, and how it handles what is typed. */
export function useFieldInput(field: Omit<FormField, 'drafts' | 'storedAt'>): FieldInput {
  const { drafts, storedAt } = useContext(FormContext);
  const draft = useSyncExternalStore(drafts.subscribe, () => drafts.draft(field.path));
  const newest = useRef<FormField>({ ...field, drafts, storedAt });
  newest.current = { ...field, drafts, storedAt };
  const handle = (event: FieldEvent): void => handleFieldEvent(event, newest.current);
  return {
    ...shownField(draft, field),
    type: (text) => handle({ kind: 'typed', text }),
    choose: (value) => handle({ kind: 'chosen', value }),
    leave: () => handle({ kind: 'left' }),
    toggle: () => handle({ kind: 'toggled' }),
    reset: () => handle({ kind: 'reset' }),
  };
}

import { afterEvent, type FieldEvent, type FieldRules } from '../../state/fields/field-draft.ts';
import { keyOf, type NodeDrafts } from '../../state/fields/field-drafts.ts';

/** A field in a form. */
export interface FormField {
  readonly drafts: NodeDrafts;
  /** Names the field in the form. */
  readonly path: string;
  readonly rules: FieldRules;
  /** Its value in the form. Undefined if the config does not contain the key. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** The stored value of a field. */
  readonly storedAt: (path: string) => unknown;
}

/** Something happens to a field: its draft and its value change. */
export function handleFieldEvent(event: FieldEvent, field: FormField): void {
  const { drafts, path, value, onChange, storedAt } = field;
  if (event.kind !== 'left') drafts.begin(keyOf(path), storedAt(keyOf(path)));
  const { draft, effect } = afterEvent(drafts.draft(path), event, field);
  // The fields inside of it have other values then, or are not shown any more.
  if (event.kind !== 'typed' && event.kind !== 'left') drafts.clearInside(path);
  drafts.setDraft(path, draft);
  if (effect.kind === 'change') onChange(effect.value);
  if (effect.kind !== 'hold') return;
  // What was typed before and is not stored yet is not meant any more.
  const stored = storedAt(path);
  if (value !== stored) onChange(stored);
}

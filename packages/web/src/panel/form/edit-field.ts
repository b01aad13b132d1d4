import { isSameJson, type Json } from '@millrace/core/editing';
import type { NodeDrafts } from '../../state/fields/field-drafts.ts';
import { type NodeField, pathOf } from '../fields/node-fields.ts';
import type { FormEdits } from './form-edits.ts';
import { rejectionOf } from './rejection.ts';

interface EditedForm {
  readonly edits: FormEdits;
  readonly drafts: NodeDrafts;
}

/** A field of a form got a value. */
export function editField(
  { edits, drafts }: EditedForm,
  field: NodeField,
  { value, stored }: { readonly value: unknown; readonly stored: unknown },
): void {
  if (isSame(value, stored)) {
    edits.withdraw(pathOf(field));
    drafts.end(field.key);
    return;
  }
  drafts.begin(field.key, stored);
  edits.set(pathOf(field), value, rejectionOf(field, value));
}

/**
 * The edits of values that are the same as when their typing began, and those of values that changed meanwhile: they
 * would overwrite what somebody else did.
 */
export function dividedEdits(
  edits: ReadonlyMap<string, unknown>,
  drafts: NodeDrafts,
  { fields, stored }: { readonly fields: readonly NodeField[]; readonly stored: Readonly<Record<string, unknown>> },
): { readonly free: ReadonlyMap<string, unknown>; readonly contested: ReadonlyMap<string, unknown> } {
  const changed = new Set(
    fields.filter(({ key }) => drafts.bases.has(key) && !isSame(drafts.bases.get(key), stored[key])).map(pathOf),
  );
  for (const field of fields) if (edits.has(pathOf(field))) drafts.end(field.key);
  const part = (isContested: boolean) => new Map([...edits].filter(([path]) => changed.has(path) === isContested));
  return { free: part(false), contested: part(true) };
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameJson(one as Json, other as Json);
}

import { isSameJson, type Json } from '@millrace/core/editing';
import { type NodeField, pathOf } from '../fields/node-fields.ts';
import type { FormEdits } from './form-edits.ts';
import { rejectionOf } from './rejection.ts';

/** A field of a form got a value. */
export function editField(
  edits: FormEdits,
  field: NodeField,
  { value, stored }: { readonly value: unknown; readonly stored: unknown },
): void {
  if (isSame(value, stored)) edits.withdraw(pathOf(field));
  else edits.set(pathOf(field), value, rejectionOf(field, value));
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return isSameJson(one as Json, other as Json);
}

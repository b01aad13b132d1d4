import { isSameJson, type Json } from '@millrace/core/editing';
import type { NodeDrafts } from '../../state/fields/field-drafts.ts';
import { type NodeChanges, type NodeField, nodeChanges, pathOf } from '../fields/node-fields.ts';
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

/** What is stored of a form at once. */
interface FormChanges {
  /** For people: `Label, URL`. */
  readonly names: string;
  /** The paths of the fields that it changes. */
  readonly paths: readonly string[];
  readonly changes: NodeChanges;
}

/**
 * What to store of a node's form: what nobody else changed since its typing began, and what a person decides about.
 * Each is null if it is nothing.
 */
export function dividedChanges(
  edits: ReadonlyMap<string, unknown>,
  drafts: NodeDrafts,
  form: { readonly fields: readonly NodeField[]; readonly stored: Readonly<Record<string, unknown>> },
): { readonly free: FormChanges | null; readonly contested: FormChanges | null } {
  const { free, contested } = dividedEdits(edits, drafts, form);
  const changesFrom = (part: ReadonlyMap<string, unknown>): FormChanges | null => {
    if (part.size === 0) return null;
    const names = form.fields.filter((field) => part.has(pathOf(field))).map(({ label }) => label);
    return { names: names.join(', '), paths: [...part.keys()], changes: nodeChanges(part, form.fields) };
  };
  return { free: changesFrom(free), contested: changesFrom(contested) };
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

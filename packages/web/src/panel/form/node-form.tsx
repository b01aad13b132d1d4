import { useMemo } from 'react';
import type { NodeDrafts } from '../../state/fields/field-drafts.ts';
import type { FieldRequest } from '../../state/fields/field-request.ts';
import type { GraphNode } from '../../state/graph.ts';
import { FormContext, type FormState } from '../controls/form-context.ts';
import type { ExpressionNames } from '../expression/completions.ts';
import { type NodeField, pathOf, valueAt, valuesOf } from '../fields/node-fields.ts';
import { editField } from './edit-field.ts';
import { FieldList } from './field-list.tsx';
import type { FormEdits } from './form-edits.ts';

interface NodeFormProps {
  readonly slug: string;
  readonly names: ExpressionNames;
  readonly inserter: FormState['inserter'];
  readonly node: GraphNode;
  readonly fields: readonly NodeField[];
  readonly drafts: NodeDrafts;
  readonly request: FieldRequest | null;
  readonly roles: FormState['roles'];
  readonly edits: FormEdits;
  /** The current version of `edits.shown`, so that a change of it is rendered. */
  readonly shown: ReadonlyMap<string, unknown>;
}

/** The form of a node: its fields with their stored values and the edits that are not stored yet. */
export function NodeForm(props: NodeFormProps) {
  const { slug, node, names, inserter, fields, drafts, request, roles, edits, shown } = props;
  const stored = useMemo(() => valuesOf(node, fields, new Map()), [node, fields]);
  const state = useMemo<FormState>(
    () => ({
      ...{ slug, node, names, inserter, drafts, request, roles },
      storedAt: (path) => valueAt(stored, path),
      Fields: FieldList,
    }),
    [slug, node, names, inserter, drafts, request, roles, stored],
  );
  const values = valuesOf(node, fields, shown);
  const places = useMemo(() => new Map(fields.map((field) => [field.key, field])), [fields]);
  return (
    <FormContext value={state}>
      <FieldList
        fields={fields}
        path=""
        issueOf={(key) => {
          const field = places.get(key);
          return field && edits.heldBecause(pathOf(field));
        }}
        values={values}
        onChange={(changed, key) => {
          const field = places.get(key);
          if (field !== undefined) editField({ edits, drafts }, field, { value: changed[key], stored: stored[key] });
        }}
      />
    </FormContext>
  );
}

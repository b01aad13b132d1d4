import { useMemo } from 'react';
import type { GraphNode } from '../../state/graph.ts';
import { FormContext, type FormState } from '../controls/form-context.ts';
import type { ExpressionNames } from '../expression/completions.ts';
import { type NodeConfig, type NodeField, pathOf, valuesOf } from '../fields/node-fields.ts';
import { FieldList } from './field-list.tsx';
import type { FormEdits } from './form-edits.ts';
import { type KeptByNode, useKept } from './kept.ts';
import { rejectionOf } from './rejection.ts';

interface NodeFormProps {
  readonly slug: string;
  readonly names: ExpressionNames;
  readonly inserter: FormState['inserter'];
  readonly node: GraphNode;
  readonly fields: readonly NodeField[];
  readonly edits: FormEdits;
  /** The current version of `edits.shown`, so that a change of it is rendered. */
  readonly shown: ReadonlyMap<string, unknown>;
}

/** Texts that cannot be stored. */
const rejectedTexts: KeptByNode<string> = new Map();

/** The form of a node: its fields with their stored values and the edits that are not stored yet. */
export function NodeForm({ slug, node, names, inserter, fields, edits, shown }: NodeFormProps) {
  const rejected = useKept(rejectedTexts, node.id);
  const state = useMemo(
    () => ({ slug, node, names, inserter, rejected, Fields: FieldList }),
    [slug, node, names, inserter, rejected],
  );
  const values = valuesOf(node.config as NodeConfig, fields, shown);
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
          if (field === undefined) return;
          edits.set(pathOf(field), changed[key], rejectionOf(field, changed[key]));
        }}
      />
    </FormContext>
  );
}

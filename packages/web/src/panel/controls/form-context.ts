import { createContext, type ReactNode } from 'react';
import { FieldDrafts, type NodeDrafts } from '../../state/fields/field-drafts.ts';
import type { FieldRequest } from '../../state/fields/field-request.ts';
import type { GraphNode } from '../../state/graph.ts';
import type { ExpressionNames } from '../expression/completions.ts';
import type { Field } from '../fields/field.ts';
import type { FieldRole } from '../fields/tool-roles.ts';
import type { Values } from '../formats/values.ts';

export interface FieldListProps {
  readonly fields: readonly Field[];
  /** The path of the object that has the fields. */
  readonly path: string;
  readonly values: Values;
  readonly onChange: (values: Values, key: string) => void;
  /** Why the value of a field is not stored. */
  readonly issueOf?: (key: string) => string | undefined;
}

/** What every field of a form may need. */
export interface FormState {
  readonly slug: string;
  readonly node: GraphNode | null;
  /** What is typed into the fields and is not stored. */
  readonly drafts: NodeDrafts;
  /** The field that gets the focus. */
  readonly request: FieldRequest | null;
  /** The stored value of a field, by its path in the form. */
  readonly storedAt: (path: string) => unknown;
  /** Of a node that is a tool: what a field is for the model. */
  readonly roles: ReadonlyMap<string, FieldRole>;
  /** What the expressions of the node can use. */
  readonly names: ExpressionNames;
  /** Inserts a path into the expression that had the focus last; null if there was none. */
  readonly inserter: { current: ((path: string) => void) | null };
  /** The fields of an object inside a field. */
  readonly Fields: (props: FieldListProps) => ReactNode;
}

export const FormContext = createContext<FormState>({
  slug: '',
  node: null,
  drafts: new FieldDrafts().of({ id: 0, node_id: '', component_type: '' }),
  request: null,
  storedAt: () => undefined,
  roles: new Map(),
  names: { nodes: [], isInLoop: false, sample: {}, functions: [] },
  inserter: { current: null },
  Fields: () => null,
});

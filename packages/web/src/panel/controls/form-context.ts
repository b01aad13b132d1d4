import { createContext, type ReactNode } from 'react';
import type { GraphNode } from '../../state/graph.ts';
import type { ExpressionNames } from '../expression/completions.ts';
import type { Field } from '../fields/field.ts';
import type { Values } from './control.ts';

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
  /** Texts that cannot be stored, by the path of their field. */
  readonly rejected: Map<string, string>;
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
  rejected: new Map(),
  names: { nodes: [], isInLoop: false, sample: {}, functions: [] },
  inserter: { current: null },
  Fields: () => null,
});

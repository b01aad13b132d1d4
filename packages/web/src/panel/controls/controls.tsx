import type { ReactNode } from 'react';
import type { FieldKind } from '../fields/field.ts';
import { BooleanControl, ChoiceControl, ChoiceOrCountControl, ChoicesControl } from './choice-controls.tsx';
import { CodeControl } from './code-controls.tsx';
import type { AnyControlProps, ControlProps } from './control.ts';
import { CredentialControl, ModelControl } from './credential-controls.tsx';
import { CronControl } from './cron-control.tsx';
import { BareExpressionControl, PromptControl } from './expression-control.tsx';
import { AnyControl, JsonControl } from './json-controls.tsx';
import { MapControl, ObjectsControl, TextsControl } from './list-controls.tsx';
import { DurationControl, NumberControl } from './number-controls.tsx';
import { ObjectControl, VariantsControl } from './object-controls.tsx';
import { RulesControl } from './rules-control.tsx';
import { LongTextControl, TextControl } from './text-controls.tsx';

type Controls = { readonly [Kind in FieldKind['kind']]: (props: ControlProps<Kind>) => ReactNode };

const controls: Controls = {
  text: TextControl,
  prompt: PromptControl,
  markdown: LongTextControl,
  code: CodeControl,
  expression: BareExpressionControl,
  cron: CronControl,
  model: ModelControl,
  any: AnyControl,
  json: JsonControl,
  number: NumberControl,
  duration: DurationControl,
  boolean: BooleanControl,
  choice: ChoiceControl,
  choices: ChoicesControl,
  'choice-or-count': ChoiceOrCountControl,
  map: MapControl,
  texts: TextsControl,
  objects: ObjectsControl,
  object: ObjectControl,
  variants: VariantsControl,
  rules: RulesControl,
  credential: CredentialControl,
};

/** The input element for the kind of a field. */
export function Control({ kind, ...props }: AnyControlProps & { readonly kind: FieldKind }) {
  // Safe: the table has the control of each kind under the name of that kind.
  const ControlOfKind = controls[kind.kind] as (props: AnyControlProps & { readonly kind: FieldKind }) => ReactNode;
  return <ControlOfKind kind={kind} {...props} />;
}

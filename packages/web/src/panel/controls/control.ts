import type { Field, FieldKind } from '../fields/field.ts';
import { textOf } from '../formats/values.ts';
import type { FieldInput } from './use-field-input.ts';

/** What an input element needs that works for several kinds of fields. */
export interface AnyControlProps {
  /** The id of the input element, to which the label belongs. */
  readonly id: string;
  readonly field: Field;
  /** Names the field in the form: `extra_config.retry.max_attempts`. */
  readonly path: string;
  /** Undefined if the config does not contain the key. */
  readonly value: unknown;
  /** Undefined removes the key. */
  readonly onChange: (value: unknown) => void;
  /** The id of the element that describes the field. */
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  /** The text of the field, for the kinds that are typed. */
  readonly input: FieldInput;
}

/** What the input element for one kind of field needs. */
export interface ControlProps<Kind extends FieldKind['kind']> extends AnyControlProps {
  readonly kind: Extract<FieldKind, { readonly kind: Kind }>;
}

/** What an empty input element shows: the default, else an example. */
export function placeholderOf({ defaultValue, example }: Field): string {
  if (defaultValue !== undefined) return textOf(defaultValue);
  return example === undefined ? '' : `e.g. ${textOf(example)}`;
}

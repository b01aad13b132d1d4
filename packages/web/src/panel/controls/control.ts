import type { Field, FieldKind } from '../fields/field.ts';

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
  /** A text that cannot be stored, with the reason; null if the text is valid. */
  readonly onProblem: (problem: string | null) => void;
}

/** What the input element for one kind of field needs. */
export interface ControlProps<Kind extends FieldKind['kind']> extends AnyControlProps {
  readonly kind: Extract<FieldKind, { readonly kind: Kind }>;
}

/** The text of a value in an input element. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What an empty input element shows: the default, else an example. */
export function placeholderOf({ defaultValue, example }: Field): string {
  if (defaultValue !== undefined) return textOf(defaultValue);
  return example === undefined ? '' : `e.g. ${textOf(example)}`;
}

export type Values = Readonly<Record<string, unknown>>;

/** The value as an object; empty if it is none. */
export function asValues(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The object with a key set, or without it if the value is undefined. */
export function withKey(values: Values, key: string, value: unknown): Values {
  const { [key]: _before, ...others } = values;
  // In its old place, so that editing a key does not reorder the object.
  if (value === undefined) return others;
  return Object.hasOwn(values, key) ? { ...values, [key]: value } : { ...others, [key]: value };
}

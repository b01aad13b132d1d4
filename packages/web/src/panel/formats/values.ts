/** The text of a value in an input element. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
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

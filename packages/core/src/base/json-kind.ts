/** The kind of a JSON value, in words for a message: `a list`, `text`, `null`; `missing` if there is no value. */
export function jsonKind(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'empty text' : 'text';
    case 'number':
      return 'a number';
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return 'an object';
  }
}

/** Where in the config of a node an expression failed, as the service's message says. */
export interface FailedPlace {
  /** The path of the expression in the config, for example `fields.total`. */
  readonly field: string;
  readonly reason: string;
  readonly line: number;
  readonly column: number;
}

/** The place that the message of a failed expression names; null for the message of another error. */
export function failedPlace(code: string | null, message: string | null): FailedPlace | null {
  if (code !== 'expression' || message === null) return null;
  const parts = /^([^\s:]+): ([\s\S]+) \(line (\d+), column (\d+)\)$/.exec(message);
  if (parts === null) return null;
  const [, field = '', reason = '', line, column] = parts;
  return { field, reason, line: Number(line), column: Number(column) };
}

/** The value at a path such as `rules[0].value` or `headers["X-Key"]`; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  const names = Array.from(path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g), (match) => {
    return match[1] ?? match[2] ?? match[3] ?? '';
  });
  return names.reduce<unknown>((current, name) => {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    return (current as Readonly<Record<string, unknown>>)[name];
  }, value);
}

import { Problem } from '../errors.ts';

/** The error for a field of a node that a schema of the API cannot check. */
export function invalidField(path: readonly string[], msg: string): Problem {
  return new Problem('invalid', [{ type: 'value_error', loc: ['body', ...path], msg }]);
}

import { Problem, schemaIssues } from '@millrace/core';
import type { z } from 'zod';

/** Validates arguments of a command line with a schema of the API. @throws Problem `invalid` */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = schemaIssues(result.error).map(({ type, path, message }) => ({
    type,
    loc: ['body', ...path],
    msg: message,
  }));
  throw new Problem('invalid', issues);
}

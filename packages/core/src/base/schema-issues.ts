import { z } from 'zod';
import { missingMessage, schemaMessages } from './schema-messages.ts';

// The fallback for schemas without own messages. It is set globally, because users can violate any schema.
z.config({ localeError: schemaMessages });

/** A violation of one rule of a schema: its path in the value, and a message. */
export interface SchemaIssue {
  readonly type: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The type of an issue if the value is neither a plain value nor an expression. */
export const notExpressible = 'not_expressible';

type ZodIssue = z.core.$ZodIssue;

/** The issues that zod found, one per path: one for each unknown key, and for alternatives the issues inside them. */
export function schemaIssues(error: z.ZodError): readonly SchemaIssue[] {
  return error.issues.flatMap((issue) => plainIssues(issue, []));
}

function plainIssues(issue: ZodIssue, outer: SchemaIssue['path']): readonly SchemaIssue[] {
  const path = [...outer, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ type: issue.code, path: [...path, key], message: `Unknown key '${key}'.` }));
  }
  if (issue.code === 'invalid_union') {
    // The intended alternative is the one that matches at the top level: its issues lie deeper.
    const meant = issue.errors.find((errors) => errors.length > 0 && errors.every(({ path }) => path.length > 0));
    if (meant !== undefined) return meant.flatMap((inner) => plainIssues(inner, path));
  }
  // The only text that must contain this is the expression alternative of an `expressible` value.
  if (issue.code === 'invalid_format' && 'includes' in issue && issue.includes === '{{') {
    return [{ type: notExpressible, path, message: issue.message }];
  }
  // zod has no separate code for a missing value or a missing discriminator.
  const { message } = issue;
  return [{ type: message === missingMessage ? 'missing' : issue.code, path, message }];
}

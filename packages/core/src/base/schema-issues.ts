import { z } from 'zod';
import { missingWords, schemaWords } from './schema-words.ts';

// Beneath the words that a schema has of its own: for all schemas, as each of them may be the one that a user breaks.
z.config({ localeError: schemaWords });

/** One rule of a schema that a value breaks: where in the value, and what. */
export interface SchemaIssue {
  readonly type: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The type of an issue where neither a plain value nor an expression was given. */
export const notExpressible = 'not_expressible';

type ZodIssue = z.core.$ZodIssue;

/** What zod found, one issue a place: unknown keys each by itself, and of alternatives what is wrong inside them. */
export function schemaIssues(error: z.ZodError): readonly SchemaIssue[] {
  return error.issues.flatMap((issue) => plainIssues(issue, []));
}

function plainIssues(issue: ZodIssue, outer: SchemaIssue['path']): readonly SchemaIssue[] {
  const path = [...outer, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ type: issue.code, path: [...path, key], message: `Unknown key '${key}'.` }));
  }
  if (issue.code === 'invalid_union') {
    // The alternative that was meant is the one that fits from outside: its faults lie deeper.
    const meant = issue.errors.find((errors) => errors.length > 0 && errors.every(({ path }) => path.length > 0));
    if (meant !== undefined) return meant.flatMap((inner) => plainIssues(inner, path));
  }
  // The one text that is asked to hold this is the alternative that an `expressible` value has.
  if (issue.code === 'invalid_format' && 'includes' in issue && issue.includes === '{{') {
    return [{ type: notExpressible, path, message: issue.message }];
  }
  // zod has no code of its own for what is not there, be it a value or the word that tells alternatives apart.
  const { message } = issue;
  return [{ type: message === missingWords ? 'missing' : issue.code, path, message }];
}

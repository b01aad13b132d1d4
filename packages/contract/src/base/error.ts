import { z } from 'zod';

/** The body of most errors. */
export const errorBody = z
  .object({ detail: z.string() })
  .register(z.globalRegistry, { id: 'Error', description: 'What went wrong, as a sentence.' });

/** One thing that breaks a rule: where, and what. */
export const fieldIssue = z.object({
  type: z.string(),
  loc: z.array(z.union([z.string(), z.int()])).describe('Begins with `body`, `query` or `path`.'),
  msg: z.string(),
  pointer: z
    .string()
    .optional()
    .describe('JSON Pointer into the payload, where it breaks the `input_schema` of its workflow.'),
});

/** The body of a 422: a sentence, the fields that break their schema, or why an edge does not fit. */
export const invalidBody = z
  .object({
    detail: z.union([z.string(), z.array(fieldIssue), z.object({ validation_errors: z.array(z.string()) })]),
  })
  .register(z.globalRegistry, { id: 'InvalidError', description: 'What of the request breaks a rule.' });

import { z } from 'zod';
import { issue } from './issue.ts';
import { named } from './named.ts';

/** The body of most errors. */
export const errorBody = named('Error', z.object({ detail: z.string() }), {
  description: 'What went wrong, as a sentence.',
  example: { detail: 'Workflow not found.' },
});

/** One thing that breaks a rule: where, and what. */
export const fieldIssue = named(
  'FieldIssue',
  z.object({
    type: z.string(),
    loc: z.array(z.union([z.string(), z.int()])).describe('Begins with `body`, `query` or `path`.'),
    msg: z.string(),
    pointer: z
      .string()
      .optional()
      .describe('JSON Pointer into the payload, where it breaks the `input_schema` of its workflow.'),
  }),
  {
    description: 'One field that breaks a rule.',
    example: { type: 'missing', loc: ['body', 'name'], msg: 'is required' },
  },
);

/** The body of a 422: a sentence, the fields that break their schema, or why an edge does not fit. */
export const invalidBody = named(
  'InvalidError',
  z.object({
    detail: z.union([z.string(), z.array(fieldIssue), z.object({ validation_errors: z.array(z.string()) })]),
    issues: z
      .array(issue)
      .optional()
      .describe('The errors of a workflow that is not valid, as `validate/` shows them.'),
  }),
  {
    description: 'Which rules the request breaks.',
    example: { detail: [{ type: 'missing', loc: ['body', 'name'], msg: 'is required' }] },
  },
);

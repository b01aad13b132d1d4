import { z } from 'zod';
import { issue } from './issue.ts';
import { named } from './named.ts';

/** The body of most errors. */
export const errorBody = named('Error', z.object({ detail: z.string() }), {
  description: 'An error message.',
  example: { detail: 'Workflow not found.' },
});

/** One violation of a rule: its position and a message. */
export const fieldIssue = named(
  'FieldIssue',
  z.object({
    type: z.string(),
    loc: z
      .array(z.union([z.string(), z.int()]))
      .describe('The position of the field; starts with `body`, `query` or `path`.'),
    msg: z.string(),
    pointer: z
      .string()
      .optional()
      .describe('A JSON Pointer to the value in the payload that violates the `input_schema` of the workflow.'),
  }),
  {
    description: 'One invalid field.',
    example: { type: 'missing', loc: ['body', 'name'], msg: 'is required' },
  },
);

/** The body of a 422: a sentence, the invalid fields, or why an edge is invalid. */
export const invalidBody = named(
  'InvalidError',
  z.object({
    detail: z.union([z.string(), z.array(fieldIssue), z.object({ validation_errors: z.array(z.string()) })]),
    issues: z.array(issue).optional().describe('The errors of an invalid workflow, as `validate/` returns them.'),
  }),
  {
    description: 'Why the request is invalid.',
    example: { detail: [{ type: 'missing', loc: ['body', 'name'], msg: 'is required' }] },
  },
);

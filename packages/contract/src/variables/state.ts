import { z } from 'zod';
import { json } from '../base/json.ts';
import { named } from '../base/named.ts';

/** A value that persists between runs. */
export const stateValue = named('StateValue', z.object({ value: json.describe('Null if there is no value.') }), {
  description: 'A value that persists between runs.',
  example: { value: 42 },
});

/** The body that stores a value. */
export const newStateValue = named('NewStateValue', z.object({ value: json }), {
  description: 'A value to store.',
});

/** Which values of that name. */
export const stateQuery = z.object({
  scope: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("A scope that all workflows of the workflow's owner share; the workflow's own values when left out."),
});

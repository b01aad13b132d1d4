import { maxStateKey } from '@millrace/core';
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

/** Selects the workflow's values or a scope. */
export const stateQuery = z.object({
  scope: z
    .string()
    .min(1)
    .max(maxStateKey)
    .optional()
    .describe(
      "The name of a state scope, which all workflows of the same owner share; by default, the workflow's own values.",
    ),
});

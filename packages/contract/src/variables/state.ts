import { z } from 'zod';
import { json } from '../base/json.ts';

/** A value that persists between runs. */
export const stateValue = z
  .object({ value: json.describe('Null when there is no value.') })
  .register(z.globalRegistry, { id: 'StateValue', description: 'A value that persists between runs.' });

/** Which values of that name. */
export const stateQuery = z.object({
  scope: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("A scope that all workflows of the workflow's owner share; the workflow's own values when left out."),
});

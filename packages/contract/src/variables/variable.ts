import { type Variable, variableName } from '@millrace/core';
import { z } from 'zod';
import { json } from '../base/json.ts';
import { pageOf } from '../base/page.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

const hosts = z
  .array(z.string())
  .max(20)
  .nullish()
  .describe('Hosts or origins that a secret may be sent to. Required for a secret variable, refused for others.');

/** A value that expressions read as `vars.<name>`. */
export const variable = z
  .object({
    name: z.string(),
    value: json.describe('Of a secret variable the mask.'),
    is_secret: z.boolean(),
    allowed_hosts: z.array(z.string()).optional().describe('Only of a secret variable.'),
  })
  .register(z.globalRegistry, { id: 'Variable', description: 'A value that expressions read as `vars.<name>`.' });
type VariableBody = z.infer<typeof variable>;

export const variableList = pageOf(variable);

/** A variable to create. */
export const newVariableBody = z
  .object({
    name: variableName.describe('Unique among the variables of the instance, or of the workflow.'),
    value: json.describe('Any JSON; of a secret variable a text.'),
    is_secret: z.boolean().default(false).describe('Encrypts the value: only requests to `allowed_hosts` get it.'),
    allowed_hosts: hosts,
  })
  .register(furtherKeys, { shown: fieldsOf(variable) });

/** What to change in a variable. */
export const variableChanges = z
  .object({
    value: json.describe('A mask sent back leaves a secret unchanged.'),
    is_secret: z.boolean().describe('A secret variable becomes readable only together with a new value.'),
    allowed_hosts: hosts.describe('A further host needs the value again.'),
  })
  .partial()
  .register(furtherKeys, { shown: fieldsOf(variable) });

/** A variable as the API shows it. */
export function presentVariable({ name, value, isSecret, allowedHosts }: Variable): VariableBody {
  return { name, value, is_secret: isSecret, ...(isSecret && { allowed_hosts: [...allowedHosts] }) };
}

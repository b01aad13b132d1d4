import { type Variable, variableName } from '@millrace/core';
import { z } from 'zod';
import { json } from '../base/json.ts';
import { named } from '../base/named.ts';
import { pageOf } from '../base/page.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

const hosts = z
  .array(z.string())
  .max(20)
  .nullish()
  .describe('The hosts or origins to which a secret may be sent. Required for a secret variable, rejected for others.');

/** A value that expressions read as `vars.<name>`. */
export const variable = named(
  'Variable',
  z.object({
    name: z.string(),
    value: json.describe('The mask if the variable is secret.'),
    is_secret: z.boolean(),
    allowed_hosts: z.array(z.string()).optional().describe('Only for a secret variable.'),
  }),
  {
    description: 'A value that expressions read as `vars.<name>`.',
    example: { name: 'region', value: 'eu', is_secret: false },
  },
);
type VariableBody = z.infer<typeof variable>;

export const variableList = pageOf('VariableList', variable);

/** A variable to create. */
export const newVariableBody = named(
  'NewVariable',
  z.object({
    name: variableName.describe('Unique among the variables of the instance, or of the workflow.'),
    value: json.describe('Any JSON; for a secret variable, text.'),
    is_secret: z
      .boolean()
      .default(false)
      .describe('Whether the value is encrypted and sent only in requests to `allowed_hosts`.'),
    allowed_hosts: hosts,
  }),
  { description: 'A variable to create.' },
).register(furtherKeys, { shown: fieldsOf(variable) });

/** What to change in a variable. */
export const variableChanges = named(
  'VariableChanges',
  z
    .object({
      name: variableName.describe('A new name. Expressions that use the old one must be changed too.'),
      value: json.describe('A secret that is sent back masked is not changed.'),
      is_secret: z.boolean().describe('A secret variable can be made readable only together with a new value.'),
      allowed_hosts: hosts.describe('Adding a host requires sending the value again.'),
    })
    .partial(),
  { description: 'Changes to a variable.' },
).register(furtherKeys, { shown: fieldsOf(variable) });

/** A variable as the API shows it. */
export function presentVariable({ name, value, isSecret, allowedHosts }: Variable): VariableBody {
  return { name, value, is_secret: isSecret, ...(isSecret && { allowed_hosts: [...allowedHosts] }) };
}

import {
  asBoolean,
  asText,
  defineComponent,
  expressible,
  isObject,
  type Json,
  jsonKind,
  maxPersonText,
  own,
  type Person,
  type Step,
  StepError,
} from '@millrace/core';
import { z } from 'zod';

const config = z.strictObject({
  channel: z
    .string()
    .min(1)
    .describe(
      'Where the message came from. Ids of one channel are different from those of others. Default: the field `channel` of the input.',
    )
    .meta({ examples: ['support_form'] })
    .optional(),
  external_id: z
    .string()
    .min(1)
    .describe(
      'The id of the sender in that channel, which the channel must have verified. Default: the field `external_id` of the input.',
    )
    .meta({ examples: ['{{ trigger.payload.customer_id }}'] })
    .optional(),
  name: z
    .string()
    .describe('The name of the person; empty to keep the stored one. Default: the field `name` of the input.')
    .meta({ examples: ['{{ trigger.payload.name }}'] })
    .optional(),
  email: z
    .string()
    .describe('The email address of the person; empty to keep the stored one. Default: the field `email` of the input.')
    .meta({ examples: ['{{ trigger.payload.email }}'] })
    .optional(),
  link_by_email: expressible(z.boolean())
    .describe('Whether a sender who is new in the channel is the person with the same email address, if there is one.')
    .meta({ default: false, examples: [true] })
    .optional(),
});

type Config = z.infer<typeof config>;

export const identifyUser = defineComponent({
  type: 'identify_user',
  label: 'Identify User',
  category: 'Memory',
  icon: 'contact',
  color: '#f59e0b',
  description: `Finds the person who sent a message, or stores a new one. \`user_id\` is the same each time that the same \`external_id\`
comes from the same \`channel\`, in all workflows of one owner. It is for the scope \`user\` of \`memory_read\` and \`memory_write\`.

Values that the config does not set come from the fields of the input with the same names. A \`name\` and an \`email\` replace the
stored ones. \`user\` has the fields \`id\`, \`name\`, \`email\` and \`created_at\`. \`is_new\` is true if this step stored the person.

\`\`\`json
{ "channel": "support_form", "external_id": "{{ trigger.payload.customer_id }}" }
\`\`\`

With \`link_by_email\`, a sender who is new in the channel becomes the person who was stored first with the same email address.
Anybody can claim an address: use it only where the channel has verified the address, or one person gets the memory of another.`,
  errors: ['config', 'input', 'memory'],
  example: {
    workflow: `name: Greeting
trigger: webhook
steps:
  - id: person
    type: identify_user
    channel: shop
    external_id: "{{ trigger.payload.customer }}"
    name: "{{ trigger.payload.name }}"
  - id: greet
    type: template
    template: "{{ 'Nice to meet you' if person.is_new else 'Welcome back' }}, {{ person.user.name }}"
`,
    tests: `tests:
  - name: A new customer is stored
    payload: {customer: 17, name: Ann}
    expect:
      outputs: {person: {is_new: true}, greet: {output: 'Nice to meet you, Ann'}}
`,
  },
  inputs: [
    {
      name: 'input',
      dataType: 'object',
      required: true,
      description: 'The message, with the fields that the config does not set.',
    },
  ],
  outputs: [
    { name: 'user_id', dataType: 'text', description: 'The id of the person.' },
    { name: 'user', dataType: 'object', description: 'The person: `id`, `name`, `email` and `created_at`.' },
    { name: 'is_new', dataType: 'boolean', description: 'Whether this step stored the person.' },
  ],
  subInputs: [],
  // A person who is stored again by another attempt is the same person.
  effect: 'idempotent',
  version: 1,
  config,
  async run(step) {
    if (!isObject(step.input))
      throw new StepError('input', `The input must be an object, but it is ${jsonKind(step.input)}.`);
    const { person, isNew } = await step.ctx.people.identify({
      channel: needed(step, 'channel'),
      externalId: needed(step, 'external_id'),
      name: textIn(step, 'name'),
      email: textIn(step, 'email')?.toLowerCase() ?? null,
      linkByEmail: asBoolean(step.config.link_by_email ?? false, 'link_by_email'),
    });
    return { outputs: { user_id: person.id, user: shownPerson(person), is_new: isNew } };
  },
});

type Field = 'channel' | 'external_id' | 'name' | 'email';

function needed(step: Step<Config>, field: Field): string {
  const text = textIn(step, field);
  if (text !== null) return text;
  throw new StepError('config', `'${field}' is missing: set it, or connect an input with a field '${field}'.`);
}

/** A value of the config or of the input; null if it is missing or blank. */
function textIn({ config, input }: Step<Config>, field: Field): string | null {
  const given: Json = config[field] ?? (isObject(input) ? (own(input, field) ?? null) : null);
  if (given === null) return null;
  const text = asText(given, field).trim();
  if (text.length <= maxPersonText) return text === '' ? null : text;
  throw new StepError('config', `'${field}' must have at most ${maxPersonText} characters, but it has ${text.length}.`);
}

function shownPerson({ id, name, email, createdAt }: Person) {
  return { id, name, email, created_at: new Date(createdAt).toISOString() };
}

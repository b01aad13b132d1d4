import {
  type Credential,
  type CredentialType,
  credentialTypes,
  detailChanges,
  formatInstant,
  newDetails,
} from '@millrace/core';
import { z } from 'zod';
import { jsonObject } from '../base/json.ts';
import { named } from '../base/named.ts';
import { pageOf } from '../base/page.ts';
import { timestamp } from '../base/timestamp.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

const name = z.string().min(1).max(200);
const hint = 'Secret fields are masked.';

const common = {
  id: z.int(),
  name: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
};

/** The detail of each type in responses. Masks need not match the rules for the values that they replace. */
const shownDetails = {
  llm: z.object({
    provider_type: z.enum(['provider_a_compatible', 'provider_b']),
    api_key: z.string().describe('Masked.'),
    base_url: z.string(),
    organization_id: z.string(),
    custom_headers: z.record(z.string(), z.string()).describe('The values are masked.'),
  }),
  chat_bot: z.object({
    bot_token: z.string().describe('Masked.'),
    allowed_user_ids: z.string(),
  }),
  git: z.object({
    provider: z.string(),
    credential_type: z.enum(['token', 'ssh']),
    username: z.string(),
    ssh_private_key: z.string().describe('`****` if there is one.'),
    access_token: z.string().describe('Masked.'),
    webhook_secret: z.string().describe('Masked.'),
  }),
  tool: z.object({
    tool_type: z.string(),
    config: jsonObject.describe('Texts under keys that look secret are masked.'),
  }),
} as const;

function shown<Type extends keyof typeof shownDetails>(type: Type) {
  const detail = shownDetails[type].describe(hint);
  return z.object({ ...common, credential_type: z.literal(type), detail });
}

/** A stored secret with its configuration, masked. */
export const credential = named(
  'Credential',
  z.discriminatedUnion('credential_type', [shown('llm'), shown('chat_bot'), shown('git'), shown('tool')]),
  {
    description: 'A stored secret with its configuration, masked.',
    example: {
      id: 3,
      name: 'Local models',
      credential_type: 'llm',
      detail: {
        provider_type: 'provider_a_compatible',
        api_key: 'an-e****-key',
        base_url: 'http://127.0.0.1:8080/v1',
        organization_id: '',
        custom_headers: {},
      },
      created_at: '2026-01-31T12:00:00.000000',
      updated_at: '2026-01-31T12:00:00.000000',
    },
  },
);
type CredentialBody = z.infer<typeof credential>;

export const credentialList = pageOf('CredentialList', credential);

function wanted<Type extends CredentialType, Detail extends z.ZodType>(type: Type, detail: Detail) {
  return z.object({ name, credential_type: z.literal(type), detail });
}

/** A credential to create. */
export const newCredential = named(
  'NewCredential',
  z.discriminatedUnion('credential_type', [
    wanted('llm', newDetails.llm.prefault({})),
    wanted('chat_bot', newDetails.chat_bot.prefault({})),
    wanted('git', newDetails.git.prefault({})),
    wanted('tool', newDetails.tool.prefault({})),
  ]),
  { description: 'A credential to create.' },
).register(furtherKeys, { shown: fieldsOf(credential) });

/**
 * Changes of a credential. The allowed detail depends on the type, so the service validates it; the document shows the
 * four forms.
 */
export const credentialChanges = named(
  'CredentialChanges',
  z
    .object({
      name,
      detail: z
        .record(z.string(), z.unknown())
        .describe(
          "Only the fields to change, as defined for the credential's type. A field that is sent back masked is not changed.",
        )
        .meta({
          anyOf: credentialTypes.map((type) => {
            const { $schema: _draft, ...schema } = z.toJSONSchema(detailChanges[type], { io: 'input' });
            return schema;
          }),
        }),
    })
    .partial(),
  { description: 'Changes to a credential.' },
).register(furtherKeys, { shown: fieldsOf(credential) });

/** Credentials to delete: at most as many as one transaction can delete without delaying others. */
export const credentialBatch = named(
  'CredentialBatch',
  z.object({
    ids: z.array(z.int()).max(500).describe('Unknown ids are ignored.'),
  }),
  { description: 'Credentials to delete.' },
);

/** A credential as the API shows it. */
export function presentCredential(stored: Credential): CredentialBody {
  return {
    id: stored.id,
    name: stored.name,
    credential_type: stored.credentialType,
    // The masked form of a detail that the schema of its type has validated.
    detail: stored.detail,
    created_at: formatInstant(stored.createdAt),
    updated_at: formatInstant(stored.updatedAt),
  } as CredentialBody;
}

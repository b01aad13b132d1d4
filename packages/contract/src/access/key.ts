import { type ApiKey, formatInstant } from '@millrace/core';
import { z } from 'zod';
import { listOf, named } from '../base/named.ts';
import { moment, timestamp } from '../base/timestamp.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

const scope = z
  .enum(['full', 'webhook'])
  .describe('`full`: allows everything its user may do; `webhook`: only allows calling webhooks.');

const keyExample = {
  id: 7,
  name: 'the shop',
  prefix: 'mr_4f1c',
  scope: 'webhook',
  by_login: false,
  issued_by: 3,
  created_at: '2026-01-31T12:00:00.000000',
  expires_at: '2100-01-01T00:00:00.000000',
  last_used_at: null,
} as const;

/** An API key in a list. */
const apiKey = named(
  'ApiKey',
  z.object({
    id: z.int(),
    name: z.string(),
    prefix: z.string().describe('The first characters of the key, to recognise it.'),
    scope,
    by_login: z.boolean().describe('Whether a login created it, such as the session of a browser.'),
    issued_by: z
      .int()
      .nullable()
      .describe(
        'The `id` of the key with which it was created; null if there is none. Revoking that key revokes this one.',
      ),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
  }),
  {
    description: 'An API key, without the key itself.',
    example: keyExample,
  },
);
type ApiKeyBody = z.infer<typeof apiKey>;

export const apiKeyList = listOf('ApiKeyList', apiKey);

/** A new key: only this response shows the key itself. */
export const issuedKey = named(
  'IssuedKey',
  apiKey.extend({ key: z.string().describe('The key itself. No later response shows it.') }),
  {
    description: 'A new API key, with the key itself.',
    example: { ...keyExample, key: 'mr_4f1cEXAMPLEexampleEXAMPLEexampleEXAMPLEexampl' },
  },
);

/** A key to create. */
export const keyRequest = named(
  'NewApiKey',
  z.object({
    name: z.string().trim().min(1).max(200),
    expires_at: moment.nullish().describe('When the key expires; by default, never.'),
    scope: scope.default('full'),
  }),
  { description: 'An API key to create.' },
).register(furtherKeys, { shown: fieldsOf(apiKey) });

/** What happens to the keys and sessions that were created with a key. */
export const keyRemoval = z.object({
  keep_issued: z
    .enum(['true', 'false'])
    .default('false')
    .describe('`true` keeps the keys and sessions that were created with it, for a key that replaces this one.'),
});

/** A key without its secret, which is not stored. */
export function presentKey(key: ApiKey): ApiKeyBody {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scope: key.scope,
    by_login: key.byLogin,
    issued_by: key.issuedBy,
    created_at: formatInstant(key.createdAt),
    expires_at: key.expiresAt === null ? null : formatInstant(key.expiresAt),
    last_used_at: key.lastUsedAt === null ? null : formatInstant(key.lastUsedAt),
  };
}

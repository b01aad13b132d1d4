import { type ApiKey, formatInstant } from '@millrace/core';
import { z } from 'zod';
import { moment, timestamp } from '../base/timestamp.ts';
import { fieldsOf, furtherKeys } from '../base/unknown-keys.ts';

const scope = z
  .enum(['full', 'webhook'])
  .describe('`full`: everything its user may do; `webhook`: only to start workflows by webhook.');

/** An API key as lists show it. */
const apiKey = z.object({
  id: z.int(),
  name: z.string(),
  prefix: z.string().describe('The first characters of the key, to recognise it by.'),
  scope,
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
});
type ApiKeyBody = z.infer<typeof apiKey>;

export const apiKeyList = z.array(apiKey);

/** A key that was just made: the one answer that shows it. */
export const issuedKey = apiKey.extend({ key: z.string().describe('The key itself, shown this once.') });

export const keyRequest = z
  .object({
    name: z.string().trim().min(1).max(200),
    expires_at: moment.nullish().describe('When it stops being valid; never when left out.'),
    scope: scope.default('full'),
  })
  .register(furtherKeys, { shown: fieldsOf(apiKey) });

/** A key without its text, which is not stored. */
export function presentKey(key: ApiKey): ApiKeyBody {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scope: key.scope,
    created_at: formatInstant(key.createdAt),
    expires_at: key.expiresAt === null ? null : formatInstant(key.expiresAt),
    last_used_at: key.lastUsedAt === null ? null : formatInstant(key.lastUsedAt),
  };
}

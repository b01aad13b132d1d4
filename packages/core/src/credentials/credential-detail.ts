import { z } from 'zod';
import { type SchemaIssue, schemaIssues } from '../base/schema-issues.ts';
import type { CredentialType } from '../component/credential.ts';
import { headerLine, headerName, isConnectionHeader } from '../http/headers.ts';
import type { Json, JsonObject } from '../json.ts';

/** Longer than any token in use: JWTs with many claims have about 8 KiB, the usual limit for headers in servers. */
const maxToken = 8192;
/** An RSA key of 16,384 bits, the longest that ssh-keygen generates, has 12 KiB. */
const maxPrivateKey = 16_384;
/** Names and identifiers of other services. */
const maxIdentifier = 255;
/** Servers and proxies truncate longer URLs. */
const maxUrl = 2048;
/** Several thousand ids with their commas. */
const maxIdList = 20_000;
/** More custom headers than any provider requires. */
const maxHeaders = 20;
/** All custom headers together: the size that servers accept in addition to the usual headers. */
const maxHeadersLength = 8192;
/** A tool's whole config as JSON text. */
const maxConfig = 65_536;

const identifier = z.string().max(maxIdentifier);
/** A value that is sent in a header. A line break in it would begin another header. */
const headerToken = z
  .string()
  .max(maxToken)
  .regex(headerLine, 'must be one line of Latin-1 characters, without control characters');
const secretText = z
  .string()
  .max(maxToken)
  // The limit counts characters, not UTF-16 units, as the JSON Schema defines it.
  .regex(/^\P{Cc}*$/u, 'must be one line without control characters');

/** `http(s)://host[:port][/path]`: paths are appended to it, so user names, queries and fragments are not allowed. */
const baseUrl = z
  .string()
  .max(maxUrl)
  .regex(
    /^([hH][tT][tT][pP][sS]?:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?)?$/,
    'must begin with http:// or https:// and contain no user name, query or fragment',
  );

/** Headers of the connection or of a browser. No credential may set them. */
function isRejectedHeader(name: string): boolean {
  return isConnectionHeader(name) || name === 'cookie';
}

const customHeaders = z.record(z.string(), headerToken).superRefine((headers, context) => {
  const names = Object.keys(headers);
  const length = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length > maxHeadersLength) context.addIssue(`must have at most ${maxHeadersLength} characters in all`);
  if (names.length > maxHeaders) {
    context.addIssue(`must have at most ${maxHeaders} headers`);
    return;
  }
  const seen = new Set<string>();
  for (const name of names) {
    const issue = headerIssue(name.toLowerCase(), seen);
    if (issue !== null) context.addIssue({ code: 'custom', path: [name], message: issue });
  }
});

/** @param seen the names before this one, in lower case; this one is added to it */
function headerIssue(name: string, seen: Set<string>): string | null {
  if (!headerName.test(name)) return 'is not a valid header name';
  if (isRejectedHeader(name)) return 'must not be set: the service sets it';
  if (seen.has(name)) return 'is given twice: header names are case-insensitive';
  seen.add(name);
  return null;
}

const config = z
  .record(z.string(), z.unknown())
  .refine((value) => JSON.stringify(value).length <= maxConfig, `must have at most ${maxConfig} characters of JSON`);

/** The fields of each type's detail. */
const fields = {
  llm: {
    provider_type: z.enum(['provider_a_compatible', 'provider_b']).describe('The API of the provider.'),
    api_key: headerToken.describe('Secret: responses show its mask.'),
    base_url: baseUrl.describe(
      "The provider's base URL; empty for its public one. The secrets are sent only to its origin.",
    ),
    organization_id: headerToken.max(maxIdentifier).describe('The organization ID of provider A.'),
    custom_headers: customHeaders.describe(
      'Headers for each request. The values are secret; a header with an empty value is removed.',
    ),
  },
  chat_bot: {
    bot_token: secretText.describe('Secret: responses show its mask.'),
    allowed_user_ids: z.string().max(maxIdList).describe('User IDs on the platform, separated by commas.'),
  },
  git: {
    provider: identifier.min(1).describe('`git_host_a`, `git_host_b` or another.'),
    credential_type: z.enum(['token', 'ssh']).describe('How it authenticates.'),
    username: identifier,
    ssh_private_key: z.string().max(maxPrivateKey).describe('Secret: responses show `****`.'),
    access_token: secretText.describe('Secret: responses show its mask.'),
    webhook_secret: secretText.describe('Secret: responses show its mask. Verifies requests from the host.'),
  },
  tool: {
    tool_type: identifier.min(1),
    config: config.describe(
      'The configuration of the tool. Texts under keys that look secret are masked in responses.',
    ),
  },
} as const;

/** The details of new credentials: no unknown keys, with the specification's defaults. */
export const newDetails = {
  llm: z.strictObject({
    provider_type: fields.llm.provider_type.default('provider_a_compatible'),
    api_key: fields.llm.api_key.default(''),
    base_url: fields.llm.base_url.default(''),
    organization_id: fields.llm.organization_id.default(''),
    custom_headers: fields.llm.custom_headers.default({}),
  }),
  chat_bot: z.strictObject({
    bot_token: fields.chat_bot.bot_token.default(''),
    allowed_user_ids: fields.chat_bot.allowed_user_ids.default(''),
  }),
  git: z.strictObject({
    provider: fields.git.provider.default('git_host_a'),
    credential_type: fields.git.credential_type.default('token'),
    username: fields.git.username.default(''),
    ssh_private_key: fields.git.ssh_private_key.default(''),
    access_token: fields.git.access_token.default(''),
    webhook_secret: fields.git.webhook_secret.default(''),
  }),
  tool: z.strictObject({
    tool_type: fields.tool.tool_type.default('api'),
    config: fields.tool.config.default({}),
  }),
} as const satisfies Readonly<Record<CredentialType, z.ZodType>>;

/** The fields that may be changed in the details of each type. */
export const detailChanges = {
  llm: z.strictObject(fields.llm).partial(),
  chat_bot: z.strictObject(fields.chat_bot).partial(),
  git: z.strictObject(fields.git).partial(),
  tool: z.strictObject(fields.tool).partial(),
} as const satisfies Readonly<Record<CredentialType, z.ZodType>>;

/** The details as stored and, with masks in place of secrets, as responses show them. */
export type LlmDetail = z.infer<typeof newDetails.llm>;
export type GitDetail = z.infer<typeof newDetails.git>;

/** The rules that a whole detail violates after a merge: valid parts can exceed a limit together. */
export function detailIssues(type: CredentialType, detail: JsonObject): readonly SchemaIssue[] {
  return issuesOf(newDetails[type], detail);
}

/** The rules that changes violate, each with its path in the detail. */
export function detailChangeIssues(type: CredentialType, changes: Json): readonly SchemaIssue[] {
  return issuesOf(detailChanges[type], changes);
}

function issuesOf(schema: z.ZodType, value: Json): readonly SchemaIssue[] {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : schemaIssues(parsed.error);
}

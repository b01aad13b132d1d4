import { z } from 'zod';

/** Clients choose these keys; longer ones are a mistake. */
export const maxIdempotencyKeyLength = 255;

/** Requests errors instead of warnings. Every route of `addRoute` reads it. */
export const preferHeader = {
  Prefer: z
    .string()
    .optional()
    .describe('`handling=strict`: unknown keys and query parameters are errors (422). Otherwise they are ignored.'),
};

/** The same for a deletion that can require objects not to be in use. */
export const preferUnusedHeader = {
  Prefer: z
    .string()
    .optional()
    .describe(
      '`handling=strict`: objects that are in use are not deleted (409), and unknown keys and query parameters are errors (422).',
    ),
};

/** Makes a request safe to repeat: for the `headers` of a route that reads it. */
export const idempotencyKeyHeader = {
  'Idempotency-Key': z
    .string()
    .max(maxIdempotencyKeyLength)
    .optional()
    .describe(
      'A key that the client chooses for each operation. A request with a key that was used in the last 24 hours starts nothing and returns the first execution. With another body it is rejected (409).',
    ),
};

/** The signatures that a webhook accepts, one per `signature` of its trigger. */
export const signatureHeaders = {
  'X-Webhook-Signature': z
    .string()
    .optional()
    .describe(
      'For `hmac_sha256`: `t=<Unix seconds>,v1=<HMAC-SHA256, hex>`, at most 5 minutes old. docs/webhook-signatures.md describes the signed text.',
    ),
  'X-Hub-Signature-256': z.string().optional().describe('For `git_host_a`: `sha256=<HMAC-SHA256 of the body, hex>`.'),
  'X-Gitlab-Token': z.string().optional().describe('For `git_host_b`: the secret itself.'),
  'Webhook-Signature': z
    .string()
    .optional()
    .describe(
      'For `git_host_b`, with `Webhook-Id` and `Webhook-Timestamp`: `v1,<HMAC-SHA256, base64>`, at most 5 minutes old.',
    ),
  'Stripe-Signature': z.string().optional().describe('For `stripe`: `t=<Unix seconds>,v1=<HMAC-SHA256, hex>`.'),
  'X-Slack-Signature': z
    .string()
    .optional()
    .describe('For `slack`, with the time in `X-Slack-Request-Timestamp`: `v0=<HMAC-SHA256, hex>`.'),
};

/** A response header in the document. */
interface AnswerHeader {
  readonly description: string;
  readonly schema: { readonly type: 'string' | 'integer' };
}

/** Headers of successful responses, by the request header that the operation reads. */
export const headersOfSuccess: Readonly<Record<string, Readonly<Record<string, AnswerHeader>>>> = {
  'Idempotency-Key': {
    'Idempotent-Replayed': {
      description: '`true` if an earlier request with the same key started the execution. Nothing was started.',
      schema: { type: 'string' },
    },
  },
  Prefer: {
    'Millrace-Warning': {
      description: 'A problem of the request that did not prevent it, e.g. an unknown key.',
      schema: { type: 'string' },
    },
    'Preference-Applied': { description: 'The preference that was applied.', schema: { type: 'string' } },
  },
};

const retryAfter: AnswerHeader = {
  description: 'The number of seconds after which to try again.',
  schema: { type: 'integer' },
};

/** Headers of every response with a status. */
export const headersOfStatus: Readonly<Record<string, Readonly<Record<string, AnswerHeader>>>> = {
  401: {
    'WWW-Authenticate': { description: 'How to authenticate: `Bearer`.', schema: { type: 'string' } },
  },
  405: { Allow: { description: 'The methods that are accepted.', schema: { type: 'string' } } },
  429: { 'Retry-After': retryAfter },
  503: { 'Retry-After': retryAfter },
};

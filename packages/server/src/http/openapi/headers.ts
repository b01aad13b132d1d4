import { z } from 'zod';

/** A client chooses these keys; longer ones are a mistake. */
export const maxIdempotencyKeyLength = 255;

/** Asks for errors instead of warnings. Every route of `addRoute` reads it. */
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
      'Chosen by the client, one for each thing to do. A request with a key that was used in the last 24 hours starts nothing and gets the first execution again. With another body it is refused (409).',
    ),
};

/** The signatures that a webhook takes, one for each `signature` of its trigger. */
export const signatureHeaders = {
  'X-Webhook-Signature': z
    .string()
    .optional()
    .describe(
      'For `hmac_sha256`: `t=<Unix seconds>,v1=<HMAC-SHA256, hex>`, at most 5 minutes old. docs/webhook-signatures.md says what is signed.',
    ),
  'X-Hub-Signature-256': z.string().optional().describe('For `git_host_a`: `sha256=<HMAC-SHA256 of the body, hex>`.'),
  'X-Gitlab-Token': z.string().optional().describe('For `git_host_b`: the secret itself.'),
  'Stripe-Signature': z.string().optional().describe('For `stripe`: `t=<Unix seconds>,v1=<HMAC-SHA256, hex>`.'),
  'X-Slack-Signature': z
    .string()
    .optional()
    .describe('For `slack`, with the time in `X-Slack-Request-Timestamp`: `v0=<HMAC-SHA256, hex>`.'),
};

/** A header of an answer, as the document shows it. */
interface AnswerHeader {
  readonly description: string;
  readonly schema: { readonly type: 'string' | 'integer' };
}

/** Headers that a successful answer may have, by the header of the request that an operation reads. */
export const headersOfSuccess: Readonly<Record<string, Readonly<Record<string, AnswerHeader>>>> = {
  'Idempotency-Key': {
    'Idempotent-Replayed': {
      description: '`true` when an earlier request with the same key started the execution. Nothing was started.',
      schema: { type: 'string' },
    },
  },
  Prefer: {
    'Millrace-Warning': {
      description: 'What is wrong with the request, though it was carried out, e.g. a key that is not known.',
      schema: { type: 'string' },
    },
    'Preference-Applied': { description: 'The preference that was applied.', schema: { type: 'string' } },
  },
};

const retryAfter: AnswerHeader = {
  description: 'Seconds after which to try again.',
  schema: { type: 'integer' },
};

/** Headers that every answer of a status has. */
export const headersOfStatus: Readonly<Record<string, Readonly<Record<string, AnswerHeader>>>> = {
  401: {
    'WWW-Authenticate': { description: 'How to authenticate: `Bearer`.', schema: { type: 'string' } },
  },
  405: { Allow: { description: 'The methods that are accepted.', schema: { type: 'string' } } },
  429: { 'Retry-After': retryAfter },
  503: { 'Retry-After': retryAfter },
};

import type { IncomingHttpHeaders } from 'node:http';
import { type SignatureScheme, signatureSchemes } from '@millrace/core';
import type { FastifyRequest } from 'fastify';
import type { ShownProof, WebhookTarget } from '../../services/triggers/webhooks.ts';
import { idempotencyKeyIn, sha256, usesOwnHeader } from '../plumbing/idempotency-key.ts';

/** The header of each signature scheme. */
const headerOf = {
  hmac_sha256: 'x-webhook-signature',
  git_host_a: 'x-hub-signature-256',
  git_host_b: 'x-gitlab-token',
  stripe: 'stripe-signature',
  slack: 'x-slack-signature',
} as const satisfies Record<SignatureScheme, string>;

/** Standard Webhooks, the second form of `git_host_b`. */
const standardHeaders = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' } as const;
const slackTime = 'x-slack-request-timestamp';
const noBody = Buffer.alloc(0);

/** Alternatives to an API key: a signature, a user name and password, or a verify token. */
export function proofIn(request: FastifyRequest): ShownProof {
  return (trigger, at) => {
    const { headers } = request;
    const scheme = schemeIn(headers, trigger?.signature ?? null);
    if (scheme !== null) {
      const signed = {
        scheme,
        signature: textIn(headers, headerOf[scheme]) ?? '',
        standard: scheme === 'git_host_b' ? standardIn(headers) : null,
        timestamp: scheme === 'slack' ? textIn(headers, slackTime) : null,
        idempotencyKey: idempotencyKeyIn(headers, trigger?.dedupeHeader),
        body: bodyOf(request),
        at,
      };
      return { kind: 'signature', request: signed };
    }
    const pair = basicPair(headers.authorization);
    if (pair !== null) return { kind: 'basic', pair };
    const token = handshakeOf(request)?.token ?? null;
    return token === null ? null : { kind: 'token', token };
  };
}

/** Whether a request has no kind of authentication. */
export function hasNoProof(request: FastifyRequest): boolean {
  return proofIn(request)(null, 0) === null;
}

/** The scheme of the trigger if the request has its header, otherwise any scheme that the request has. */
function schemeIn(headers: IncomingHttpHeaders, wanted: SignatureScheme | null): SignatureScheme | null {
  const present = signatureSchemes.filter(
    (scheme) => textIn(headers, headerOf[scheme]) !== null || (scheme === 'git_host_b' && standardIn(headers) !== null),
  );
  return present.find((scheme) => scheme === wanted) ?? present[0] ?? null;
}

function standardIn(headers: IncomingHttpHeaders) {
  const signature = textIn(headers, standardHeaders.signature);
  if (signature === null) return null;
  const [id, timestamp] = [textIn(headers, standardHeaders.id), textIn(headers, standardHeaders.timestamp)];
  return { id: id ?? '', timestamp: timestamp ?? '', signature };
}

function textIn(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

function basicPair(authorization: string | undefined): string | null {
  const [, base64] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '') ?? [];
  return base64 === undefined ? null : Buffer.from(base64, 'base64').toString();
}

/** Meta verifies a URL with a GET whose query has a token and a text that the response must repeat. */
export function handshakeOf({ method, query }: FastifyRequest): { token: string; challenge: string } | null {
  const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query as Record<string, unknown>;
  if (method !== 'GET' || mode !== 'subscribe') return null;
  return typeof token === 'string' && typeof challenge === 'string' ? { token, challenge } : null;
}

/**
 * The idempotency key of a signed delivery. Stripe and Slack sign no headers, so an intercepted request could be sent
 * again with another `Idempotency-Key`: their signed time and body are the key instead. `hmac_sha256` signs the
 * delivery's key; without one, its signature is the key.
 */
export function deliveryKey(request: FastifyRequest, { trigger }: Pick<WebhookTarget, 'trigger'>): string | null {
  const { headers, caller } = request;
  const given = idempotencyKeyIn(headers, trigger.dedupeHeader);
  const { signature: scheme } = trigger;
  const signature = scheme === null || caller !== null ? null : textIn(headers, headerOf[scheme]);
  if (signature === null) return given;
  if (scheme === 'stripe') return signedKey(/(?:^|,) *t=([0-9]+)/.exec(signature)?.[1] ?? '', request);
  if (scheme === 'slack') return signedKey(textIn(headers, slackTime) ?? '', request);
  return scheme === 'hmac_sha256' ? (given ?? signature) : given;
}

/**
 * The hash of the body, which must be the same for each request with an `Idempotency-Key`; null for another header of
 * the trigger, whose senders may count their attempts in the body.
 */
export function deliveryBody(request: FastifyRequest, { trigger }: Pick<WebhookTarget, 'trigger'>): string | null {
  return usesOwnHeader(request.headers, trigger.dedupeHeader) ? null : sha256(bodyOf(request));
}

function signedKey(time: string, request: FastifyRequest): string {
  return `${time}.${sha256(bodyOf(request))}`;
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return (body as Buffer | undefined) ?? noBody;
}

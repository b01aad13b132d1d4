import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '@millrace/core';
import type { FastifyReply } from 'fastify';
import type { ManualStart } from '../../services/executions/manual-start.ts';
import { maxIdempotencyKeyLength } from '../openapi/headers.ts';

/**
 * The key by which a request is known when it is sent again; null where it has none. It is in `Idempotency-Key`, or before
 * that in the header that is named.
 */
export function idempotencyKeyIn(headers: IncomingHttpHeaders, own: string | null = null): string | null {
  const value = usesOwnHeader(headers, own) ? headers[own] : headers['idempotency-key'];
  if (value === undefined || value === '') return null;
  return typeof value === 'string' ? value : value.join(',');
}

/** Whether the key is in the header that is named, and not in `Idempotency-Key`. */
export function usesOwnHeader(headers: IncomingHttpHeaders, own: string | null): own is string {
  // The name is a user's, and need not be that of a header: every object has a `constructor`.
  return own !== null && Object.hasOwn(headers, own) && headers[own] !== undefined;
}

/** The key of an API call, with the hash of its body as the route's schema reads it; null without a key. */
export function idempotencyOf(headers: IncomingHttpHeaders, body: unknown): ManualStart['idempotency'] {
  const key = checkedIdempotencyKey(idempotencyKeyIn(headers));
  return key === null ? null : { key, bodyHash: sha256(JSON.stringify(body ?? {})) };
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Says that an earlier request with the same key was answered, and nothing was started. */
export function markReplayed(reply: FastifyReply): void {
  reply.header('idempotent-replayed', 'true');
}

/** Returns the key as it is. @throws Problem `invalid` when it is too long */
export function checkedIdempotencyKey(key: string | null): string | null {
  if (key === null || key.length <= maxIdempotencyKeyLength) return key;
  throw new Problem('invalid', `Idempotency-Key must have at most ${maxIdempotencyKeyLength} characters.`);
}

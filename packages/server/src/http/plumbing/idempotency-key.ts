import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '@millrace/core';
import type { FastifyReply } from 'fastify';
import type { ManualStart } from '../../services/executions/manual-start.ts';
import { maxIdempotencyKeyLength } from '../openapi/headers.ts';

/**
 * The key that identifies a repeated request; null if it has none. The key is in the named header, or otherwise in
 * `Idempotency-Key`.
 */
export function idempotencyKeyIn(headers: IncomingHttpHeaders, own: string | null = null): string | null {
  const value = usesOwnHeader(headers, own) ? headers[own] : headers['idempotency-key'];
  if (value === undefined || value === '') return null;
  return typeof value === 'string' ? value : value.join(',');
}

/** Whether the key is in the named header instead of `Idempotency-Key`. */
export function usesOwnHeader(headers: IncomingHttpHeaders, own: string | null): own is string {
  // The name comes from a user and may not be a header: every object has a `constructor`.
  return own !== null && Object.hasOwn(headers, own) && headers[own] !== undefined;
}

/** The key of an API call, with the hash of its validated body; null without a key. */
export function idempotencyOf(headers: IncomingHttpHeaders, body: unknown): ManualStart['idempotency'] {
  const key = checkedIdempotencyKey(idempotencyKeyIn(headers));
  return key === null ? null : { key, bodyHash: sha256(JSON.stringify(body ?? {})) };
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Sets the header which states that an earlier request with this key started the execution. */
export function markReplayed(reply: FastifyReply): void {
  reply.header('idempotent-replayed', 'true');
}

/** Returns the key unchanged. @throws Problem `invalid` if it is too long */
export function checkedIdempotencyKey(key: string | null): string | null {
  if (key === null || key.length <= maxIdempotencyKeyLength) return key;
  throw new Problem('invalid', `Idempotency-Key must have at most ${maxIdempotencyKeyLength} characters.`);
}

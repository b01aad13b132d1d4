import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '@millrace/core';
import { maxIdempotencyKeyLength } from '../openapi/headers.ts';

/**
 * The key by which a request is known when it is sent again; null where it has none. It is in `Idempotency-Key`, or before
 * that in the header that is named.
 */
export function idempotencyKeyIn(headers: IncomingHttpHeaders, own: string | null = null): string | null {
  // The name is a user's, and need not be that of a header: every object has a `constructor`.
  const first = own !== null && Object.hasOwn(headers, own) ? headers[own] : undefined;
  const value = first ?? headers['idempotency-key'];
  if (value === undefined || value === '') return null;
  return typeof value === 'string' ? value : value.join(',');
}

/** Returns the key as it is. @throws Problem `invalid` when it is too long */
export function checkedIdempotencyKey(key: string | null): string | null {
  if (key === null || key.length <= maxIdempotencyKeyLength) return key;
  throw new Problem('invalid', `Idempotency-Key must have at most ${maxIdempotencyKeyLength} characters.`);
}

import type { Instant } from '@millrace/core';
import type { Idempotency, IdempotentUse } from '../../store/executions.ts';

/** How long a key identifies a request. */
const idempotentForMs: Instant = 24 * 60 * 60 * 1000;

/** The use of a request's key at a time. Equal keys with different scopes are different keys. */
export function idempotentUse(scope: string, given: Idempotency | null, at: Instant): IdempotentUse | null {
  return given && { ...given, key: `${scope}:${given.key}`, since: at - idempotentForMs };
}

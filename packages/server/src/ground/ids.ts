import { randomBytes, randomFillSync } from 'node:crypto';

// Random bytes for many ids are drawn at once: a system call for each would cost more than the id.
const pool = Buffer.alloc(4096);
let used = pool.length;

/** A UUIDv7 (RFC 9562): 48 bits of milliseconds, then random bits, so that ids sort by creation time. */
export function newExecutionId(now: number = Date.now()): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.toString('hex', used, used + 10);
  used += 10;
  const time = Math.floor(now).toString(16).padStart(12, '0');
  // Version 7, and the two variant bits 10 before the second random group.
  const variant = ((Number.parseInt(random.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

/** An API key: `mr_` and 43 url-safe characters, which are 32 random bytes. */
export function newApiKey(): string {
  return `mr_${randomBytes(32).toString('base64url')}`;
}

/** The token of the setup link: 16 random bytes, so that the link fits in a line of 80 characters. */
export function newSetupToken(): string {
  return randomBytes(16).toString('base64url');
}

/** The name of a sequence of events: no two sequences have the same, in any process. */
export function newEpoch(): string {
  return randomBytes(12).toString('base64url');
}

/** The random part of a generated node id: 8 hex digits. */
export function newNodeSuffix(): string {
  return randomBytes(4).toString('hex');
}

/** Replaces a secret in a request until it is sent: letters and digits only, so that no encoding changes it. */
export function newPlaceholder(): string {
  return `secret${randomBytes(16).toString('hex')}`;
}

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { SecretKey } from './secret-key.ts';

/** A separate key for signatures, so that the use of one key reveals nothing about the other. */
const purpose = 'millrace signature';

/** The signature of a text: `<key id>.<HMAC-SHA256 in base64url>`. */
export function signatureBy({ id, key }: SecretKey, text: string): string {
  const bytes = Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
  return `${id}.${createHmac('sha256', bytes).update(text).digest('base64url')}`;
}

/** Whether it is this key's signature of the text, compared in constant time. */
export function isSignedBy(key: SecretKey, text: string, signature: string): boolean {
  const [wanted, given] = [Buffer.from(signatureBy(key, text)), Buffer.from(signature)];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Problem } from '@millrace/core';
import type { SecretKey } from './secret-key.ts';

/** Random, so that no counter has to be stored: safe for about 4 billion seals per key (NIST SP 800-38D, 8.3). */
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = 'aes-256-gcm';

/**
 * Seals a text: `<key id>.<nonce, ciphertext and tag in base64url>`. The binding is authenticated with it, so that a
 * seal opens only with the same binding.
 */
export function seal({ id, key }: SecretKey, binding: string, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(bound(id, binding));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `${id}.${Buffer.concat(parts).toString('base64url')}`;
}

/** The id of the key that a text was sealed with. */
export function keyIdOf(sealed: string): string {
  return sealed.slice(0, Math.max(0, sealed.indexOf('.')));
}

/**
 * The text, exactly as it was sealed.
 * @throws Problem `secret_unreadable` if any bit of it, or of its binding, was changed
 */
export function open({ id, key }: SecretKey, binding: string, sealed: string): string {
  const text = sealed.slice(id.length + 1);
  const bytes = Buffer.from(text, 'base64url');
  // Node's decoder accepts characters of the other alphabet and bits past the end; a seal has only one valid form.
  if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== text) throw unreadable();
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(bound(id, binding));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    throw unreadable();
  }
}

function bound(keyId: string, binding: string): Buffer {
  return Buffer.from(`${keyId}.${binding}`);
}

/** The error for every secret that cannot be opened, whatever the reason. */
export function unreadable(): Problem {
  return new Problem(
    'secret_unreadable',
    'The stored secret of this credential cannot be opened: it is damaged, or its key is missing. ' +
      'Restore the key, or delete the credential and make it again.',
  );
}

import { createSecretKey, hkdfSync, type KeyObject, randomBytes, scryptSync } from 'node:crypto';

/** A key that seals secrets, with the id by which seals name it. */
export interface SecretKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** AES-256. */
const keyBytes = 32;
/** 32 random bits tell the few keys of an installation apart. */
const idBytes = 4;
/** A fixed salt, as the operator's text is all there is: what it buys is that each guess costs some 50 ms. */
const salt = 'millrace secret key';

/** The text of a new random key, as the key file holds it. */
export function newKeyText(): string {
  return randomBytes(keyBytes).toString('base64url');
}

/** Whether a line of the key file can be a key. */
export function isKeyText(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The key that a line of the key file holds. */
export function keyOfText(text: string): SecretKey {
  return secretKey(Buffer.from(text, 'base64url'));
}

/** The key that the operator's own text stands for. */
export function keyOfPhrase(phrase: string): SecretKey {
  return secretKey(scryptSync(phrase.normalize('NFC'), salt, keyBytes));
}

/** The id says nothing of the key: both come from it by a one-way function. */
function secretKey(bytes: Buffer): SecretKey {
  const id = Buffer.from(hkdfSync('sha256', bytes, salt, 'id', idBytes)).toString('hex');
  return { id, key: createSecretKey(bytes) };
}

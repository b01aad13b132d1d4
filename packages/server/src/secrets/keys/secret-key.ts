import { createSecretKey, hkdfSync, type KeyObject, randomBytes, scryptSync } from 'node:crypto';

/** A key that seals secrets, with the id that seals refer to. */
export interface SecretKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** AES-256. */
const keyBytes = 32;
/** 32 random bits distinguish the few keys of an installation. */
const idBytes = 4;
/** A fixed salt, because there is only the operator's text: the derivation makes each guess cost about 50 ms. */
const salt = 'millrace secret key';

/** The text of a new random key, as stored in the key file. */
export function newKeyText(): string {
  return randomBytes(keyBytes).toString('base64url');
}

/** Whether a line of the key file is in the form of a key. */
export function isKeyText(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The key in a line of the key file. */
export function keyOfText(text: string): SecretKey {
  return secretKey(Buffer.from(text, 'base64url'));
}

/** The key derived from the operator's own text. */
export function keyOfPhrase(phrase: string): SecretKey {
  return secretKey(scryptSync(phrase.normalize('NFC'), salt, keyBytes));
}

/** The id reveals nothing about the key: both are derived with a one-way function. */
function secretKey(bytes: Buffer): SecretKey {
  const id = Buffer.from(hkdfSync('sha256', bytes, salt, 'id', idBytes)).toString('hex');
  return { id, key: createSecretKey(bytes) };
}

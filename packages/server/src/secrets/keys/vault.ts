import type { Keyring } from './keyring.ts';
import { keyIdOf, open, seal, unreadable } from './seal.ts';
import type { SecretKey } from './secret-key.ts';
import { isSignedBy, signatureBy } from './signature.ts';

/** Seals and opens texts. Each is bound to the object that it belongs to. */
export interface Vault {
  seal(binding: string, text: string): string;
  /** @throws Problem `secret_unreadable` */
  open(binding: string, sealed: string): string;
  /** Signs a text with the current key: deterministic and safe in URLs. */
  sign(text: string): string;
  /** Whether this is the signature of a text by any key that this process has. */
  isSigned(text: string, signature: string): boolean;
  /** Reads which key is current, after a rotation elsewhere has changed it. @throws Problem `secret_unreadable` */
  followKey(): Promise<void>;
}

/** Returns the id of the key that is current in the database; null before the first. */
export type CurrentKeyId = () => Promise<string | null>;

/** A vault that seals with one of the keys of a keyring. */
export function createVault(keyring: Keyring, first: SecretKey, currentKeyId: CurrentKeyId): Vault {
  let current = first;
  const find = (id: string): SecretKey => {
    // A rotation in progress elsewhere seals with a key that did not exist when this process started.
    if (keyring.find(id) === undefined) keyring.reload();
    const key = keyring.find(id);
    if (key === undefined) throw unreadable();
    return key;
  };
  return {
    seal(binding, text) {
      keyring.markUsed();
      return seal(current, binding, text);
    },
    open: (binding, sealed) => open(find(keyIdOf(sealed)), binding, sealed),
    sign: (text) => signatureBy(current, text),
    isSigned(text, signature) {
      const key = keyring.find(keyIdOf(signature));
      return key !== undefined && isSignedBy(key, text, signature);
    },
    async followKey() {
      current = find((await currentKeyId()) ?? '');
    },
  };
}

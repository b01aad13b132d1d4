import { fixedKeyring } from '../../src/secrets/keyring.ts';
import { keyOfText, newKeyText } from '../../src/secrets/secret-key.ts';
import { createVault, type Vault } from '../../src/secrets/vault.ts';
import type { Store } from '../../src/store/store.ts';

/** A vault with a key of its own, which the store takes as its current one before anything that is written later. */
export function testVault(store: Pick<Store, 'secretKeys'>): Vault {
  const key = keyOfText(newKeyText());
  void store.secretKeys.adopt({ id: key.id, checkValue: 'not looked at by the store' });
  return createVault(fixedKeyring([key]), key, () => Promise.resolve(key.id));
}

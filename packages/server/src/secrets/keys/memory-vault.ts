import { fixedKeyring } from './keyring.ts';
import { keyOfText, newKeyText } from './secret-key.ts';
import type { KeyRecords } from './unlock.ts';
import { createVault, type Vault } from './vault.ts';

/** A vault for a store in memory, with a key that is lost with the process. The store adopts it as its current key. */
export function memoryVault(store: { readonly secretKeys: Pick<KeyRecords, 'adopt'> }): Vault {
  const key = keyOfText(newKeyText());
  void store.secretKeys.adopt({ id: key.id, checkValue: 'not looked at by the store' });
  return createVault(fixedKeyring([key]), key, () => Promise.resolve(key.id));
}

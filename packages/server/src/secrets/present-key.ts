import { Problem } from '@millrace/core';
import type { Vault } from './keys/vault.ts';

/** Each failed attempt means that a rotation has just replaced the key: this many in a row never happen by chance. */
const maxTries = 5;

/** Runs a write that seals something; repeats it with the new key if a rotation has replaced the current one. */
export async function withPresentKey<T>(vault: Vault, write: () => Promise<T | 'key_replaced'>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const result = await write();
    if (result !== 'key_replaced') return result;
    await vault.followKey();
  }
  throw new Problem(
    'secret_unreadable',
    'Secrets are sealed by a new key, which this service does not have: restart it with that key.',
  );
}

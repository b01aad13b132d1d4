import type { Json } from '@millrace/core';
import type { Vault } from './keys/vault.ts';

/**
 * The values that the seal of a secret variable is bound to: with any other owner, name, mask or hosts it does not
 * open.
 */
export interface VariableSubject {
  readonly workflowId: number | null;
  readonly name: string;
  /** The mask. */
  readonly value: Json;
  readonly allowedHosts: readonly string[];
}

/** Seals the value of a secret variable. */
export function sealVariable(vault: Vault, subject: VariableSubject, secret: string): string {
  return vault.seal(bindingOf(subject), secret);
}

/** Opens the value of a secret variable. @throws Problem `secret_unreadable` */
export function openVariable(vault: Vault, stored: VariableSubject & { readonly sealed: string }): string {
  return vault.open(bindingOf(stored), stored.sealed);
}

/** The same secret under the vault's current key. */
export function resealVariable(vault: Vault, stored: VariableSubject & { readonly sealed: string }): string {
  return sealVariable(vault, stored, openVariable(vault, stored));
}

function bindingOf({ workflowId, name, value, allowedHosts }: VariableSubject): string {
  return JSON.stringify(['variable', workflowId, name, value, allowedHosts]);
}

import { type JsonObject, type LlmDetail, own, Problem, secretNames } from '@millrace/core';
import type { Vault } from './keys/vault.ts';

/** The values that a credential's seal is bound to: with any other row, type, name or mask it does not open. */
export interface SealSubject {
  readonly id: number;
  readonly name: string;
  readonly credentialType: string;
  /** The masked detail as JSON text. */
  readonly masked: string;
}

/** The sealed part of a credential. */
export interface CredentialSecret {
  readonly detail: JsonObject;
  /**
   * For each secret of an LLM credential (`api_key`, `custom_headers.<name>`), the origin that it was entered for, and
   * for each secret of a tool credential (`config.token`…) its origins; it may be sent only there. Sealed with the
   * secret, so that nobody who can write to the database can send it elsewhere.
   */
  readonly origins: Readonly<Record<string, string | readonly string[]>>;
}

/** Seals a credential's secret, bound to the credential. */
export function sealSecret(vault: Vault, subject: SealSubject, secret: CredentialSecret): string {
  return vault.seal(bindingOf(subject), JSON.stringify(secret));
}

/** Opens a credential's secret. @throws Problem `secret_unreadable` */
export function openSecret(vault: Vault, stored: SealSubject & { readonly sealed: string }): CredentialSecret {
  return JSON.parse(vault.open(bindingOf(stored), stored.sealed)) as CredentialSecret;
}

/** The same secret under the vault's current key. */
export function resealSecret(vault: Vault, stored: SealSubject & { readonly sealed: string }): string {
  const binding = bindingOf(stored);
  return vault.seal(binding, vault.open(binding, stored.sealed));
}

function bindingOf({ id, name, credentialType, masked }: SealSubject): string {
  return JSON.stringify(['credential.detail', id, credentialType, name, masked]);
}

/** The public API addresses of the two types of providers. The paths of provider B already contain `/v1`. */
const publicBaseUrls = {
  provider_a_compatible: 'https://api.openai.com/v1',
  provider_b: 'https://api.anthropic.com',
} as const;

type Address = Pick<LlmDetail, 'base_url' | 'provider_type'>;

/** The address to which an LLM credential's paths are appended, without a trailing slash. */
export function baseUrlOf({ base_url: given, provider_type: type }: Address): string {
  const address = (given === '' ? publicBaseUrls[type] : given).replace(/\/+$/, '');
  // Some users enter the address of provider B with the version that its paths begin with.
  return type === 'provider_b' ? address.replace(/\/v1$/, '') : address;
}

/** The origin of an LLM credential's address. @throws Problem `invalid` if it is not a URL */
export function originOf(detail: Address): string {
  const url = URL.parse(baseUrlOf(detail));
  if (url !== null) return url.origin;
  throw new Problem('invalid', [
    { type: 'value_error', loc: ['body', 'detail', 'base_url'], msg: 'is not a valid URL' },
  ]);
}

/** The origins of an LLM credential's secrets after a change: newly entered secrets get the current origin. */
export function boundOrigins(
  detail: JsonObject,
  given: ReadonlySet<string>,
  before: CredentialSecret['origins'],
): CredentialSecret['origins'] {
  const origin = originOf(detail as unknown as LlmDetail);
  return Object.fromEntries(
    secretNames(detail).map((name) => [name, given.has(name) ? origin : String(own(before, name) ?? origin)]),
  );
}

/** The secrets that may not be sent to the credential's current origin, named as in `secretNames`. */
export function lockedSecrets({ detail, origins }: CredentialSecret): readonly string[] {
  const origin = originOf(detail as unknown as LlmDetail);
  return secretNames(detail).filter((name) => own(origins, name) !== origin);
}

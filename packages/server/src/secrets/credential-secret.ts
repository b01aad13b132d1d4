import { type JsonObject, type LlmDetail, own, Problem, secretNames } from '@millrace/core';
import type { Vault } from './keys/vault.ts';

/** What a credential's seal is bound to: any other row, type, name or mask around it, and it does not open. */
export interface SealSubject {
  readonly id: number;
  readonly name: string;
  readonly credentialType: string;
  /** The masked detail as JSON text. */
  readonly masked: string;
}

/** What is sealed of a credential. */
export interface CredentialSecret {
  readonly detail: JsonObject;
  /**
   * By secret (`api_key`, `custom_headers.<name>`) the origin that an LLM credential's was entered for, and
   * (`config.token`…) the origins that a tool's was, to which alone it may be sent. Sealed with it, so that nobody who
   * writes to the database can send it elsewhere.
   */
  readonly origins: Readonly<Record<string, string | readonly string[]>>;
}

/** Seals a credential's secret for its place. */
export function sealSecret(vault: Vault, subject: SealSubject, secret: CredentialSecret): string {
  return vault.seal(bindingOf(subject), JSON.stringify(secret));
}

/** Opens a credential's secret. @throws Problem `secret_unreadable` */
export function openSecret(vault: Vault, stored: SealSubject & { readonly sealed: string }): CredentialSecret {
  return JSON.parse(vault.open(bindingOf(stored), stored.sealed)) as CredentialSecret;
}

/** The same secret under the vault's present key. */
export function resealSecret(vault: Vault, stored: SealSubject & { readonly sealed: string }): string {
  const binding = bindingOf(stored);
  return vault.seal(binding, vault.open(binding, stored.sealed));
}

function bindingOf({ id, name, credentialType, masked }: SealSubject): string {
  return JSON.stringify(['credential.detail', id, credentialType, name, masked]);
}

/** Where the interfaces of the two kinds of providers are, publicly. The paths of provider B have their `/v1` themselves. */
const publicBaseUrls = {
  provider_a_compatible: 'https://api.openai.com/v1',
  provider_b: 'https://api.anthropic.com',
} as const;

type Address = Pick<LlmDetail, 'base_url' | 'provider_type'>;

/** The address to which an LLM credential's paths are added, without a slash at its end. */
export function baseUrlOf({ base_url: given, provider_type: type }: Address): string {
  const address = (given === '' ? publicBaseUrls[type] : given).replace(/\/+$/, '');
  // Some give the address of provider B with the version that its paths begin with.
  return type === 'provider_b' ? address.replace(/\/v1$/, '') : address;
}

/** The origin of an LLM credential's address. @throws Problem `invalid` when it is none */
export function originOf(detail: Address): string {
  const url = URL.parse(baseUrlOf(detail));
  if (url !== null) return url.origin;
  throw new Problem('invalid', [
    { type: 'value_error', loc: ['body', 'detail', 'base_url'], msg: 'is not a valid URL' },
  ]);
}

/** The origins of an LLM credential's secrets after a change: those given anew are for where it points now. */
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

/** The secrets that may not be sent to where the credential points now, as `secretNames` names them. */
export function lockedSecrets({ detail, origins }: CredentialSecret): readonly string[] {
  const origin = originOf(detail as unknown as LlmDetail);
  return secretNames(detail).filter((name) => own(origins, name) !== origin);
}

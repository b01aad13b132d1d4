import type { Credential, CredentialType, Instant } from '@millrace/core';
import type { Page } from './page.ts';

/** Secrets with their configuration. The store holds only sealed texts and cannot open them. */
export interface CredentialStore {
  /**
   * `key_replaced` if the seal was not made with the current key: nothing is stored, and the caller must seal with the
   * new key. `full` if there are already as many as `most`.
   */
  insert(params: NewCredential): Promise<Credential | 'key_replaced' | 'full'>;
  byId(id: number): Promise<Credential | null>;
  /** With its sealed detail, for code that can open it. */
  sealedById(id: number): Promise<SealedCredential | null>;
  /** Newest first. */
  list(params: { limit: number; offset: number }): Promise<Page<Credential>>;
  /** The credentials with these ids, by id. */
  named(ids: readonly number[]): Promise<readonly CredentialName[]>;
  /**
   * The credentials with these names, by id. Names need not be unique: of those with the same name, only the two oldest,
   * which show that it is shared.
   */
  withNames(names: readonly string[]): Promise<readonly CredentialName[]>;
  /** The id and name of the 1,000 oldest credentials, to suggest one. */
  names(): Promise<readonly Pick<Credential, 'id' | 'name'>[]>;
  /** `stale` if it changed since `revision` was read: nothing is stored. */
  update(params: CredentialUpdate): Promise<Credential | 'stale' | 'missing' | 'key_replaced'>;
  /** Deletes the credentials that exist, and returns their ids. Nodes that use them keep their references. */
  remove(ids: readonly number[]): Promise<readonly number[]>;
  /** The same, if no node uses any of them. Otherwise deletes nothing. */
  removeUnused(ids: readonly number[]): Promise<CredentialRemoval>;
  /**
   * The nodes that name one of the credentials, in the newest or the published version of a workflow that is not
   * deleted. Newest workflow first, then by node id.
   */
  uses(params: { ids: readonly number[]; viewerId: number; limit: number; offset: number }): Promise<CredentialUses>;
  /** Some of the credentials after this id that were sealed with a key other than the current one, oldest first. */
  sealedByOldKeys(params: { afterId: number; limit: number }): Promise<readonly SealedCredential[]>;
  /** Stores the same secret sealed with another key; readers see no change. `stale` as in update. */
  reseal(params: { id: number; revision: number; sealed: string }): Promise<'stored' | 'stale' | 'key_replaced'>;
}

/** A node that names a credential. */
export interface CredentialUse {
  readonly workflowSlug: string;
  readonly nodeId: string;
}

/** The uses that a user may see. */
export interface CredentialUses extends Page<CredentialUse> {
  /** True if there are more, in workflows that the user may not see. */
  readonly hasHidden: boolean;
}

/** The ids of the deleted credentials, or of those that are in use: then none was deleted. */
export type CredentialRemoval = { readonly removed: readonly number[] } | { readonly used: readonly number[] };

/** The fields of a credential that YAML texts and workflow checks need. */
export interface CredentialName extends Pick<Credential, 'id' | 'name' | 'credentialType'> {
  readonly hasWebhookSecret: boolean;
}

/** The values that a seal is bound to: it opens only with these values. */
export interface SealSubject {
  readonly id: number;
  readonly name: string;
  readonly credentialType: CredentialType;
  /** The masked detail as JSON text. */
  readonly masked: string;
}

/** A credential to be stored. */
export interface NewCredential {
  readonly name: string;
  readonly credentialType: CredentialType;
  /** The masked detail as JSON text. */
  readonly masked: string;
  /** The credentials that may exist, with this one. */
  readonly most: number;
  /**
   * Called in the transaction with the id of the credential, possibly twice. The result begins with the key's id and a
   * dot.
   */
  readonly seal: (subject: SealSubject) => string;
  readonly at: Instant;
}

/** New content for a credential, stored only if it has not changed since `revision`. */
export interface CredentialUpdate {
  readonly id: number;
  readonly revision: number;
  readonly name: string;
  /** The masked detail as JSON text. */
  readonly masked: string;
  readonly sealed: string;
  readonly at: Instant;
}

/** A credential as it is stored. */
export interface SealedCredential extends SealSubject {
  readonly sealed: string;
  readonly revision: number;
}

/** The keys that seal the secrets: their ids and sealed check values, never the keys. */
export interface SecretKeyStore {
  list(): Promise<readonly SecretKeyRecord[]>;
  /** Makes a key the current one; the previous key remains until no secret needs it. */
  adopt(params: { id: string; checkValue: string }): Promise<void>;
  /** Whether any secret is stored. */
  hasSecrets(): Promise<boolean>;
  /** Deletes the keys that no secret is sealed with, except the current one. Returns the remaining keys. */
  retire(): Promise<readonly SecretKeyRecord[]>;
}

/** A key as it is stored. */
export interface SecretKeyRecord {
  readonly id: string;
  readonly checkValue: string;
  readonly isCurrent: boolean;
}

import type { Credential, CredentialType, Instant } from '@millrace/core';
import type { Page } from './page.ts';

/** Secrets with their configuration. The store has sealed texts only and cannot open them. */
export interface CredentialStore {
  /** `key_replaced` when the seal is not by the current key: nothing is stored, and the caller must seal by the new one. */
  insert(params: NewCredential): Promise<Credential | 'key_replaced'>;
  byId(id: number): Promise<Credential | null>;
  /** With its sealed detail, for those who can open it. */
  sealedById(id: number): Promise<SealedCredential | null>;
  /** Newest first. */
  list(params: { limit: number; offset: number }): Promise<Page<Credential>>;
  /** All of them, by id, as texts name them, with their types. Names need not be unique. */
  names(): Promise<readonly CredentialName[]>;
  /** `stale` when it was written since `revision` was read: nothing is stored. */
  update(params: CredentialUpdate): Promise<Credential | 'stale' | 'missing' | 'key_replaced'>;
  /** Removes those that exist, and returns their ids. Nodes that use them keep their references. */
  remove(ids: readonly number[]): Promise<readonly number[]>;
  /** Some of those after this id that another key than the current one has sealed, oldest first. */
  sealedByOldKeys(params: { afterId: number; limit: number }): Promise<readonly SealedCredential[]>;
  /** The same secret under another key: for no reader has anything changed. `stale` as in update. */
  reseal(params: { id: number; revision: number; sealed: string }): Promise<'stored' | 'stale' | 'key_replaced'>;
}

/** What texts and checks of workflows ask of a credential. */
export interface CredentialName extends Pick<Credential, 'id' | 'name' | 'credentialType'> {
  readonly hasWebhookSecret: boolean;
}

/** What a seal is bound to: it opens for these values alone. */
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
  /** Called in the transaction with the id that the credential gets, perhaps twice. Begins with its key's id and a dot. */
  readonly seal: (subject: SealSubject) => string;
  readonly at: Instant;
}

/** A credential's new content, if nobody has written it since `revision`. */
export interface CredentialUpdate {
  readonly id: number;
  readonly revision: number;
  readonly name: string;
  /** The masked detail as JSON text. */
  readonly masked: string;
  readonly sealed: string;
  readonly at: Instant;
}

/** A credential as it lies on the disk. */
export interface SealedCredential extends SealSubject {
  readonly sealed: string;
  readonly revision: number;
}

/** Which keys seal the secrets: their ids and sealed words to know them by, never the keys. */
export interface SecretKeyStore {
  list(): Promise<readonly SecretKeyRecord[]>;
  /** Makes a key the current one; the one before stays until nothing needs it. */
  adopt(params: { id: string; checkValue: string }): Promise<void>;
  /** Forgets the keys that seal nothing any more, except the current one. Returns those that are left. */
  retire(): Promise<readonly SecretKeyRecord[]>;
}

/** A key as the store knows it. */
export interface SecretKeyRecord {
  readonly id: string;
  readonly checkValue: string;
  readonly isCurrent: boolean;
}

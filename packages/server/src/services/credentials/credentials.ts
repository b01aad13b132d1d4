import {
  type Credential,
  type CredentialType,
  detailChangeIssues,
  detailIssues,
  isSameJson,
  type Json,
  type JsonObject,
  type MergedDetail,
  maskDetail,
  mergeDetail,
  newDetail,
  newDetails,
  Problem,
  type SchemaIssue,
  type User,
} from '@millrace/core';
import type { Logger } from 'pino';
import type { Clock } from '../../ground/clock.ts';
import { Queues } from '../../ground/queues.ts';
import { boundOrigins, type CredentialSecret, openSecret, sealSecret } from '../../secrets/credential-secret.ts';
import { boundGitOrigins } from '../../secrets/git-origin.ts';
import type { Vault } from '../../secrets/keys/vault.ts';
import { withPresentKey } from '../../secrets/present-key.ts';
import { boundToolOrigins } from '../../secrets/tool-secret.ts';
import type { CredentialUses, SealedCredential } from '../../store/credentials.ts';
import type { Page } from '../../store/page.ts';
import type { Store } from '../../store/store.ts';

/** Who performs an action, for the log: by id, as names are personal data. */
export interface Actor {
  readonly userId: number;
  readonly keyId: number | null;
}

/** The detail in a request; it was parsed from JSON. */
type GivenDetail = Readonly<Record<string, unknown>>;

/** A credential to create. Its detail has the form of its type. */
export interface CredentialRequest {
  readonly name: string;
  readonly credentialType: CredentialType;
  readonly detail: GivenDetail;
}

/** The changes of a credential; its detail contains only the fields to change. */
export interface CredentialChange {
  readonly name?: string;
  readonly detail?: GivenDetail;
}

/** Credentials that were not deleted because nodes use some of them. */
export interface CredentialsInUse {
  /** The ids of those that nodes use. */
  readonly used: readonly number[];
  /** The first of their uses, as the caller may see them. */
  readonly uses: CredentialUses;
}

/** The credentials of the installation: everybody with a full key may use and change all of them. */
export interface Credentials {
  /** Newest first. */
  list(page: { readonly limit: number; readonly offset: number }): Promise<Page<Credential>>;
  /** @throws Problem `not_found` */
  find(id: number | null): Promise<Credential>;
  /** @throws Problem `invalid` */
  create(actor: Actor, request: CredentialRequest): Promise<Credential>;
  /** @throws Problem `invalid`, `not_found`, `secret_unreadable`, or `conflict` if every attempt was stale */
  update(actor: Actor, id: number, change: CredentialChange): Promise<Credential>;
  /** Nodes that use it keep its id, and their steps fail. @throws Problem `not_found` */
  remove(actor: Actor, id: number): Promise<void>;
  /** Unknown ids are ignored. */
  removeAll(actor: Actor, ids: readonly number[]): Promise<void>;
  /** Deletes all of them, or none and returns their uses if a node uses one. Unknown ids are ignored. */
  removeUnused(actor: Actor, ids: readonly number[]): Promise<CredentialsInUse | null>;
  /** The nodes that use a credential, in workflows that the user may see. */
  uses(
    id: number,
    page: { readonly viewerId: number; readonly limit: number; readonly offset: number },
  ): Promise<CredentialUses>;
}

interface CredentialsPorts {
  readonly store: Pick<Store, 'credentials'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly vault: Vault;
  readonly log: Pick<Logger, 'info'>;
}

/**
 * An attempt fails only if another process has written meanwhile, as a rotation does. This many in a row are very
 * unlikely.
 */
const maxTries = 5;

/** Uses listed with a rejected deletion: as many as a page of a list has by default. */
const listedUses = 50;

/** All users share them; their lists and checks were tested with as many. */
const maxCredentials = 1000;

export function createCredentials(ports: CredentialsPorts): Credentials {
  const { store, clock, vault, log } = ports;
  const updates = new Queues();
  const logRemoved = (actor: Actor, removed: readonly number[]): void => {
    for (const credentialId of removed) log.info({ ...actor, credentialId }, 'credential deleted');
  };
  return {
    list: (page) => store.credentials.list(page),
    async find(id) {
      const credential = id === null ? null : await store.credentials.byId(id);
      if (credential === null) throw credentialNotFound();
      return credential;
    },
    async create(actor, { name, credentialType, detail }) {
      const given = withoutDefaults(credentialType, detail);
      const secret = secretOf(credentialType, newDetail(credentialType, detail as JsonObject), {});
      const masked = maskedText(credentialType, secret.detail);
      const credential = await withPresentKey(vault, () =>
        store.credentials.insert({
          name,
          credentialType,
          masked,
          most: maxCredentials,
          seal: (subject) => sealSecret(vault, subject, secret),
          at: clock.now(),
        }),
      );
      if (credential === 'full') throw tooMany();
      log.info(
        { ...actor, credentialId: credential.id, fields: ['name', ...detailFields(given)] },
        'credential created',
      );
      return credential;
    },
    async update(actor, id, change) {
      const credential = await updates.run(id, () => update(ports, id, change));
      const fields = [...(change.name === undefined ? [] : ['name']), ...detailFields(change.detail ?? {})];
      log.info({ ...actor, credentialId: id, fields }, 'credential changed');
      return credential;
    },
    async remove(actor, id) {
      const removed = await store.credentials.remove([id]);
      if (removed.length === 0) throw credentialNotFound();
      logRemoved(actor, removed);
    },
    async removeAll(actor, ids) {
      logRemoved(actor, await store.credentials.remove(ids));
    },
    async removeUnused(actor, ids) {
      const outcome = await store.credentials.removeUnused(ids);
      if ('used' in outcome) return credentialsInUse(store, { id: actor.userId }, outcome.used);
      logRemoved(actor, outcome.removed);
      return null;
    },
    uses: (id, page) => store.credentials.uses({ ids: [id], ...page }),
  };
}

function tooMany(): Problem {
  const msg = `There are ${maxCredentials} credentials: delete one first.`;
  return new Problem('invalid', [{ type: 'too_many', loc: ['body'], msg }]);
}

async function update(ports: CredentialsPorts, id: number, change: CredentialChange): Promise<Credential> {
  const { store, clock, vault } = ports;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const result = await withPresentKey(vault, async () => {
      const stored = await store.credentials.sealedById(id);
      if (stored === null) return 'missing';
      const opened = openSecret(vault, stored);
      const secret = changedSecret(stored.credentialType, opened, change.detail);
      if (isUnchanged({ stored, opened }, { name: change.name, secret })) return 'unchanged';
      const masked = maskedText(stored.credentialType, secret.detail);
      const subject = { id, name: change.name ?? stored.name, credentialType: stored.credentialType, masked };
      const sealed = sealSecret(vault, subject, secret);
      const { revision } = stored;
      return store.credentials.update({ id, revision, name: subject.name, masked, sealed, at: clock.now() });
    });
    const credential = result === 'unchanged' ? ((await store.credentials.byId(id)) ?? 'missing') : result;
    if (credential === 'missing') throw credentialNotFound();
    if (credential !== 'stale') return credential;
  }
  throw new Problem('conflict', 'Others are changing this credential. Try again.');
}

interface Before {
  readonly stored: SealedCredential;
  readonly opened: CredentialSecret;
}

/** True if a change would store what is stored already. */
function isUnchanged(
  { stored, opened }: Before,
  { name, secret }: { readonly name: string | undefined; readonly secret: CredentialSecret },
): boolean {
  if (name !== undefined && name !== stored.name) return false;
  return isSameJson(secret.detail, opened.detail) && isSameJson({ ...secret.origins }, { ...opened.origins });
}

function changedSecret(
  type: CredentialType,
  stored: CredentialSecret,
  changes: GivenDetail | undefined,
): CredentialSecret {
  if (changes === undefined) return stored;
  reject(detailChangeIssues(type, changes as JsonObject));
  return secretOf(type, mergeDetail(type, stored.detail, changes as JsonObject), stored.origins);
}

function secretOf(
  type: CredentialType,
  { detail, given, issues }: MergedDetail,
  origins: CredentialSecret['origins'],
): CredentialSecret {
  reject(issues);
  reject(detailIssues(type, detail));
  return { detail, origins: originsAfter() };

  function originsAfter(): CredentialSecret['origins'] {
    if (type === 'llm') return boundOrigins(detail, given, origins);
    if (type === 'git') return boundGitOrigins(detail, given, origins);
    return type === 'tool' ? boundToolOrigins(detail, given, origins) : {};
  }
}

function reject(issues: readonly SchemaIssue[]): void {
  if (issues.length === 0) return;
  throw new Problem(
    'invalid',
    issues.map(({ type, path, message }) => ({ type, loc: ['body', 'detail', ...path], msg: message })),
  );
}

function maskedText(type: CredentialType, detail: JsonObject): string {
  return JSON.stringify(maskDetail(type, detail));
}

/** The fields that differ from their defaults: a request contains all defaults. */
function withoutDefaults(type: CredentialType, detail: GivenDetail): GivenDetail {
  const defaults: GivenDetail = newDetails[type].parse({});
  return Object.fromEntries(
    Object.entries(detail as JsonObject).filter(
      ([field, value]) => !isSameJson(value, (defaults[field] ?? null) as Json),
    ),
  );
}

/** The names of the fields, for the log; nothing below them, where keys are chosen by the user. */
function detailFields(detail: GivenDetail): readonly string[] {
  return Object.keys(detail).map((field) => `detail.${field}`);
}

/** The error for a credential that does not exist. */
function credentialNotFound(): Problem {
  return new Problem('not_found', 'Credential not found.');
}

/** What a caller sees of credentials in use. */
async function credentialsInUse(
  store: Pick<Store, 'credentials'>,
  viewer: Pick<User, 'id'>,
  used: readonly number[],
): Promise<CredentialsInUse> {
  const uses = await store.credentials.uses({ ids: used, viewerId: viewer.id, limit: listedUses, offset: 0 });
  return { used, uses };
}

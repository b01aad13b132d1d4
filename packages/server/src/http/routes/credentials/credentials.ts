import {
  camelKeys,
  credential,
  credentialBatch,
  credentialChanges,
  credentialInUse,
  credentialList,
  credentialUseList,
  hiddenUses,
  newCredential,
  pageQuery,
  presentCredential,
  presentCredentialInUse,
  presentCredentialUses,
} from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Actor, Credentials } from '../../../services/credentials/credentials.ts';
import { prefersStrict } from '../../handling/prefer.ts';
import { addWarning } from '../../handling/warning.ts';
import { preferUnusedHeader } from '../../openapi/headers.ts';
import { addRoute, type Caller, pathId, Rejection } from '../../plumbing/route.ts';

const tag = 'Credentials';
const collection = '/api/v1/credentials/';
const item = `${collection}:credential_id/`;

/** The endpoints of credentials. They accept secrets but never return them. */
export function addCredentials(app: FastifyInstance, credentials: Credentials): void {
  const load = found(credentials);
  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: 'listCredentials',
    summary: 'Lists the credentials, newest first',
    tag,
    access: 'user',
    query: pageQuery,
    success: { status: 200, schema: credentialList },
    handle: async ({ query }) => {
      const { items, total } = await credentials.list(query);
      return { items: items.map(presentCredential), total };
    },
  });
  addRoute(app, {
    method: 'POST',
    path: collection,
    operationId: 'createCredential',
    summary: 'Creates a credential',
    tag,
    access: 'user',
    body: newCredential,
    examples: [
      {
        name: 'Local models',
        credential_type: 'llm',
        detail: { api_key: 'an-example-key', base_url: 'http://127.0.0.1:8080/v1' },
      },
    ],
    success: { status: 201, schema: credential },
    handle: async ({ caller, body }) => presentCredential(await credentials.create(actorOf(caller), camelKeys(body))),
  });
  addBatchDeletion(app, credentials);
  addRoute(app, {
    method: 'GET',
    path: item,
    operationId: 'getCredential',
    summary: 'Reads a credential; its secrets are masked',
    tag,
    access: 'user',
    success: { status: 200, schema: credential },
    load,
    handle: async ({ loaded }) => presentCredential(loaded),
  });
  addRoute(app, {
    method: 'PATCH',
    path: item,
    operationId: 'updateCredential',
    summary: 'Changes a credential; a secret that is sent back masked is not changed',
    tag,
    access: 'user',
    body: credentialChanges,
    examples: [{ name: 'Models on this machine' }],
    success: { status: 200, schema: credential },
    load,
    handle: async ({ caller, loaded, body }) =>
      presentCredential(await credentials.update(actorOf(caller), loaded.id, camelKeys(body))),
  });
  addCredentialRemoval(app, credentials);
}

/** The endpoint that deletes several credentials. */
function addBatchDeletion(app: FastifyInstance, credentials: Credentials): void {
  addRoute(app, {
    method: 'POST',
    path: `${collection}batch-delete/`,
    operationId: 'deleteCredentials',
    summary: 'Deletes several credentials; with `Prefer: handling=strict` only if no node uses any of them',
    tag,
    access: 'user',
    body: credentialBatch,
    examples: [{ ids: [1] }],
    success: { status: 204, schema: null },
    headers: preferUnusedHeader,
    rejections: { 409: credentialInUse.describe('A node uses it, and the request has `Prefer: handling=strict`.') },
    handle: ({ caller, body, request }) =>
      prefersStrict(request.headers)
        ? removeUnused(credentials, caller, body.ids)
        : credentials.removeAll(actorOf(caller), body.ids),
  });
}

/** The endpoints that list the uses of a credential, and delete it. */
function addCredentialRemoval(app: FastifyInstance, credentials: Credentials): void {
  const load = found(credentials);
  addRoute(app, {
    method: 'GET',
    path: `${item}usage/`,
    operationId: 'listCredentialUses',
    summary: 'Lists the nodes that use a credential, newest workflow first; Millrace-Warning reports hidden ones',
    tag,
    access: 'user',
    query: pageQuery,
    success: { status: 200, schema: credentialUseList },
    load,
    handle: async ({ caller, loaded, query, reply }) => {
      const uses = await credentials.uses(loaded.id, { viewerId: caller.user.id, ...query });
      if (uses.hasHidden) addWarning(reply, hiddenUses);
      return presentCredentialUses(uses);
    },
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    operationId: 'deleteCredential',
    summary:
      'Deletes a credential; with `Prefer: handling=strict` only if no node uses it. Nodes that use it keep its id and fail',
    tag,
    access: 'user',
    success: { status: 204, schema: null },
    headers: preferUnusedHeader,
    rejections: { 409: credentialInUse.describe('A node uses it, and the request has `Prefer: handling=strict`.') },
    load,
    handle: ({ caller, loaded, request }) =>
      prefersStrict(request.headers)
        ? removeUnused(credentials, caller, [loaded.id])
        : credentials.remove(actorOf(caller), loaded.id),
  });
}

/** Deletes credentials for a strict caller: none of them if a node uses one. */
async function removeUnused(
  credentials: Credentials,
  caller: Caller,
  ids: readonly number[],
): Promise<Rejection | undefined> {
  const inUse = await credentials.removeUnused(actorOf(caller), ids);
  return inUse === null ? undefined : new Rejection(409, presentCredentialInUse(inUse));
}

/** Finds the credential that a path names. */
function found(credentials: Credentials) {
  return (_caller: Caller, params: Readonly<Record<string, string>>) => credentials.find(pathId(params.credential_id));
}

function actorOf({ user, key }: Caller): Actor {
  return { userId: user.id, keyId: key?.id ?? null };
}

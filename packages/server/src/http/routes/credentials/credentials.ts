import {
  camelKeys,
  credential,
  credentialBatch,
  credentialChanges,
  credentialList,
  newCredential,
  pageQuery,
  presentCredential,
} from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Actor, Credentials } from '../../../services/credentials/credentials.ts';
import { addRoute, type Caller, pathId } from '../../plumbing/route.ts';

const tag = 'Credentials';
const collection = '/api/v1/credentials/';
const item = `${collection}:credential_id/`;

/** The endpoints of credentials. Secrets go in by them and never come out. */
export function addCredentials(app: FastifyInstance, credentials: Credentials): void {
  const load = (_caller: Caller, params: Readonly<Record<string, string>>) =>
    credentials.find(pathId(params.credential_id));
  addRoute(app, {
    method: 'GET',
    path: collection,
    operationId: 'listCredentials',
    summary: 'Lists the credentials, newest first',
    tag,
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
  addRoute(app, {
    method: 'POST',
    path: `${collection}batch-delete/`,
    operationId: 'deleteCredentials',
    summary: 'Deletes several credentials',
    tag,
    body: credentialBatch,
    examples: [{ ids: [1] }],
    success: { status: 204, schema: null },
    handle: ({ caller, body }) => credentials.removeAll(actorOf(caller), body.ids),
  });
  addRoute(app, {
    method: 'GET',
    path: item,
    operationId: 'getCredential',
    summary: 'Reads a credential; its secrets are masked',
    tag,
    success: { status: 200, schema: credential },
    load,
    handle: async ({ loaded }) => presentCredential(loaded),
  });
  addRoute(app, {
    method: 'PATCH',
    path: item,
    operationId: 'updateCredential',
    summary: 'Changes a credential; a mask that is sent back leaves its secret unchanged',
    tag,
    body: credentialChanges,
    examples: [{ name: 'Models on this machine' }],
    success: { status: 200, schema: credential },
    load,
    handle: async ({ caller, loaded, body }) =>
      presentCredential(await credentials.update(actorOf(caller), loaded.id, camelKeys(body))),
  });
  addRoute(app, {
    method: 'DELETE',
    path: item,
    operationId: 'deleteCredential',
    summary: 'Deletes a credential; nodes that use it keep its id, and their steps fail',
    tag,
    success: { status: 204, schema: null },
    load,
    handle: ({ caller, loaded }) => credentials.remove(actorOf(caller), loaded.id),
  });
}

function actorOf({ user, key }: Caller): Actor {
  return { userId: user.id, keyId: key.id };
}

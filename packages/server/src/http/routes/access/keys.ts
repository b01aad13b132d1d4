import { apiKeyList, issuedKey, keyRemoval, keyRequest, presentKey } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Keys } from '../../../services/access/keys.ts';
import type { Users } from '../../../services/access/users.ts';
import { numberParameter } from '../../openapi/path-parameters.ts';
import { addRoute, pathId } from '../../plumbing/route.ts';
import { managedUser } from './managed-user.ts';

const tag = 'Users';

interface KeyRoutes {
  readonly keys: Keys;
  readonly users: Pick<Users, 'find'>;
}

/** The endpoints of API keys: the caller's own, and those of all users for admins. */
export function addKeys(app: FastifyInstance, { keys, users }: KeyRoutes): void {
  addOwnKeys(app, keys);
  addKeysOfUsers(app, { keys, users });
}

function addOwnKeys(app: FastifyInstance, keys: Keys): void {
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/users/me/keys/',
    operationId: 'listKeys',
    summary: "Lists the caller's API keys",
    tag,
    access: 'user',
    success: { status: 200, schema: apiKeyList },
    handle: async ({ caller }) => (await keys.list(caller.user)).map(presentKey),
  });
  addRoute(app, {
    method: 'POST',
    path: '/api/v1/users/me/keys/',
    operationId: 'createKey',
    summary: 'Creates an API key; only this response shows it',
    tag,
    access: 'user',
    body: keyRequest,
    examples: [{ name: 'the shop', scope: 'webhook', expires_at: '2100-01-01' }],
    success: { status: 201, schema: issuedKey },
    handle: async ({ caller, body: { name, scope, expires_at: expiresAt = null } }) => {
      const { apiKey, key } = await keys.issue(caller.user, {
        name,
        scope,
        expiresAt,
        issuedBy: caller.key?.id ?? null,
      });
      return { ...presentKey(apiKey), key };
    },
  });
  addRoute(app, {
    method: 'DELETE',
    path: '/api/v1/users/me/keys/:key_id/',
    params: { key_id: numberParameter('The key, by its `id`.') },
    operationId: 'deleteKey',
    summary: 'Revokes an API key, and all keys and sessions that were created with it, immediately',
    tag,
    access: 'owner',
    query: keyRemoval,
    success: { status: 204, schema: null },
    load: ({ user }, { key_id }) => keys.find(user, pathId(key_id)),
    handle: ({ caller, loaded, query }) =>
      query.keep_issued === 'true' ? keys.end(caller.user, loaded.id) : keys.revoke(caller.user, loaded.id),
  });
}

function addKeysOfUsers(app: FastifyInstance, { keys, users }: KeyRoutes): void {
  const path = '/api/v1/users/:username/keys/';
  const load = managedUser(users);
  addRoute(app, {
    method: 'GET',
    path,
    operationId: 'listKeysOfUser',
    summary: 'Lists the API keys and sessions of a user',
    tag,
    access: 'admin',
    success: { status: 200, schema: apiKeyList },
    load,
    handle: async ({ loaded }) => (await keys.list(loaded)).map(presentKey),
  });
  addRoute(app, {
    method: 'DELETE',
    path,
    operationId: 'deleteKeysOfUser',
    summary: 'Revokes all API keys and sessions of a user immediately',
    tag,
    access: 'admin',
    success: { status: 204, schema: null },
    load,
    handle: ({ loaded }) => keys.revokeAll(loaded),
  });
  addRoute(app, {
    method: 'DELETE',
    path: `${path}:key_id/`,
    params: { key_id: numberParameter('The key, by its `id`.') },
    operationId: 'deleteKeyOfUser',
    summary: 'Revokes an API key or session of a user, and all that were created with it, immediately',
    tag,
    access: 'admin',
    success: { status: 204, schema: null },
    load: async (caller, parameters) => {
      const user = await load(caller, parameters);
      return { user, key: await keys.find(user, pathId(parameters.key_id)) };
    },
    handle: ({ loaded: { user, key } }) => keys.revoke(user, key.id),
  });
}

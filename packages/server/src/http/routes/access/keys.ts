import { apiKeyList, issuedKey, keyRequest, presentKey } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { Keys } from '../../../services/access/keys.ts';
import { numberParameter } from '../../openapi/path-parameters.ts';
import { addRoute, pathId } from '../../plumbing/route.ts';

const tag = 'Users';

/** The endpoints of the caller's own API keys. */
export function addKeys(app: FastifyInstance, keys: Keys): void {
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
      const { apiKey, key } = await keys.issue(caller.user, { name, scope, expiresAt });
      return { ...presentKey(apiKey), key };
    },
  });
  addRoute(app, {
    method: 'DELETE',
    path: '/api/v1/users/me/keys/:key_id/',
    params: { key_id: numberParameter('The key, by its `id`.') },
    operationId: 'deleteKey',
    summary: 'Revokes an API key immediately',
    tag,
    access: 'owner',
    success: { status: 204, schema: null },
    load: ({ user }, { key_id }) => keys.find(user, pathId(key_id)),
    handle: ({ caller, loaded }) => keys.revoke(caller.user, loaded.id),
  });
}

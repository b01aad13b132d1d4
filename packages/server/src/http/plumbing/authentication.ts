import { Problem, type User } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authentication, Identity } from '../../services/access/authentication.ts';
import type { SessionCookie } from '../handling/session-cookie.ts';
import { type FailedAuth, tooManyFailures } from './failed-auth.ts';
import type { QueryKeys } from './query-keys.ts';
import type { RouteAuth } from './route.ts';

interface AuthenticationPorts {
  readonly authentication: Pick<Authentication, 'identify'>;
  readonly sessionCookie: SessionCookie;
  readonly failedAuth: FailedAuth;
  readonly queryKeys: QueryKeys;
}

interface SocketPorts {
  readonly sessionCookie: SessionCookie;
  readonly authentication: Pick<Authentication, 'identify' | 'stands'>;
  readonly failedAuth: FailedAuth;
  readonly queryKeys: QueryKeys;
}

/** Replaces a key that was sent ambiguously; it is never a valid key. */
const ambiguous = '';

/**
 * Requires an API key or a session for every request, before its body is read. A route is public only if its definition
 * contains `auth: 'none'`. Webhooks accept no session: pages of other sites may call them.
 */
export function addAuthentication(
  app: FastifyInstance,
  { authentication, failedAuth, queryKeys, sessionCookie }: AuthenticationPorts,
): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', (request, _reply, done) => {
    // Without a route, the response is 404 for everybody and reveals nothing.
    const auth = request.is404 ? 'none' : (request.routeOptions.config.auth ?? 'key');
    if (auth === 'none') return done();
    const sent = auth === 'webhook' ? eitherKey(request, 'api_key') : bearerKey(request);
    const session = sent === null && auth === 'key' ? sessionCookie.read(request) : null;
    const key = sent ?? session;
    // The trigger defines how else a webhook authenticates, so the route checks it.
    if (key === null && auth === 'webhook') return done();
    if (key === null) return done(unauthenticated(auth, 'Not authenticated'));
    const settle = (identity: Identity | null): void => {
      if (identity !== null && (identity.key.scope === 'full' || auth === 'webhook')) {
        request.caller = identity;
        if (auth === 'webhook') queryKeys.note(request, 'api_key', identity.key);
        done();
      } else if (identity !== null) {
        done(new Problem('key_scope', 'This API key may only start workflows by webhook.'));
      } else if (session !== null) {
        // A page whose session has expired asks again and again. That is no attack: nobody can guess a session.
        done(unauthenticated(auth, 'The session has ended: log in again.'));
      } else {
        const wait = failedAuth.count(request.ip);
        done(wait === null ? unauthenticated(auth, 'Invalid or missing API key.') : tooManyFailures(wait));
      }
    };
    const found = authentication.identify(key);
    // A recently used key is found in the cache: most requests need no promise.
    if (found instanceof Promise) found.then(settle, done);
    else settle(found);
  });
}

/** The user of a WebSocket, and whether the key is still valid. */
export interface SocketPrincipal {
  readonly user: User;
  readonly keyId: number;
  /** Cheap: called for every event. */
  stands(): boolean;
  /** Reads the store. */
  recheck(): Promise<boolean>;
}

/** Authenticates WebSockets. */
export interface SocketAuthentication {
  /**
   * With the header, or with `?token=` because browsers cannot set headers; null if neither contains a key. A wrong key
   * is answered with a close code, however many there were before: a browser hides the status of a handshake from its
   * page.
   */
  authenticate(request: FastifyRequest): Promise<SocketPrincipal | 'wrong' | null>;
  /** With a key from a message; null if it is wrong. */
  identify(token: string, address: string): Promise<SocketPrincipal | null>;
}

export function socketAuthentication(ports: SocketPorts): SocketAuthentication {
  const { authentication, failedAuth, queryKeys, sessionCookie } = ports;

  async function identityOf(token: string): Promise<Identity | null> {
    const identity = await authentication.identify(token);
    return identity?.key.scope === 'full' ? identity : null;
  }

  function principalOf(token: string, identity: Identity): SocketPrincipal {
    return {
      user: identity.user,
      keyId: identity.key.id,
      stands: () => authentication.stands(identity),
      recheck: async () => (await authentication.identify(token)) !== null,
    };
  }

  /** A socket with a session must come from a page, whose origin has been checked. */
  async function ofSession(request: FastifyRequest): Promise<SocketPrincipal | 'wrong' | null> {
    const session = request.headers.origin === undefined ? null : sessionCookie.read(request);
    if (session === null) return null;
    const identity = await identityOf(session);
    return identity === null ? 'wrong' : principalOf(session, identity);
  }

  return {
    async identify(token, address) {
      const identity = await identityOf(token);
      if (identity === null) failedAuth.count(address);
      return identity && principalOf(token, identity);
    },
    async authenticate(request) {
      const key = eitherKey(request, 'token');
      if (key === null && request.headers.authorization === undefined) return ofSession(request);
      const identity = key === null ? null : await identityOf(key);
      if (key !== null && identity !== null) {
        queryKeys.note(request, 'token', identity.key);
        return principalOf(key, identity);
      }
      failedAuth.count(request.ip);
      return 'wrong';
    },
  };
}

/** The key in `Authorization: Bearer`; null if there is none. */
function bearerKey(request: FastifyRequest): string | null {
  const header = request.headers.authorization;
  if (header === undefined) return null;
  // Node uses the first of repeated headers; a proxy in front may have checked the last.
  if (isRepeated(request.raw.rawHeaders)) return ambiguous;
  return /^Bearer +([^ ]+) *$/i.exec(header)?.[1] ?? null;
}

function isRepeated(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 'authorization'.length && name.toLowerCase() === 'authorization') count += 1;
  }
  return count > 1;
}

/** The key from the header or, for senders that cannot set headers, from the query; null if there is none. */
function eitherKey(request: FastifyRequest, parameter: 'api_key' | 'token'): string | null {
  const header = bearerKey(request);
  const query = (request.query as Readonly<Record<string, unknown>>)[parameter];
  if (query === undefined) return header;
  if (typeof query !== 'string') return ambiguous;
  return header === null || header === query ? query : ambiguous;
}

function unauthenticated(auth: RouteAuth, message: string): Problem {
  return auth === 'webhook' ? webhookUnauthenticated() : new Problem('not_authenticated', message);
}

/** The specification's message for webhooks has no full stop and is the same for every cause. */
export function webhookUnauthenticated(): Problem {
  return new Problem('not_authenticated', 'Invalid or missing API key');
}

import { Problem, type User } from '@millrace/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authentication, Identity } from '../../services/access/authentication.ts';
import type { SessionCookie } from '../handling/session-cookie.ts';
import { isOpenToPasses, type Passes } from '../own-api/passes.ts';
import { type FailedAuths, tooManyFailures } from './failed-auth.ts';
import { foreignPage, isSentByOwnPage, type Site } from './origin.ts';
import type { QueryKeys } from './query-keys.ts';
import type { RouteAuth } from './route.ts';

interface AuthenticationPorts {
  readonly authentication: Pick<Authentication, 'identify'>;
  readonly failedAuths: FailedAuths;
  readonly queryKeys: QueryKeys;
  readonly sessionCookie: SessionCookie;
  readonly site: Site;
  readonly passes: Passes;
}

interface SocketPorts extends Omit<AuthenticationPorts, 'authentication' | 'passes'> {
  readonly authentication: Pick<Authentication, 'identify' | 'stands'>;
}

/** Replaces a key that was sent ambiguously; it is never a valid key. */
const ambiguous = '';

/**
 * Requires an API key or a session for every request, before its body is read. A route is public only if its definition
 * contains `auth: 'none'`. Pages of other sites may call webhooks and URLs with a secret, so these accept no session.
 */
export function addAuthentication(app: FastifyInstance, ports: AuthenticationPorts): void {
  const { authentication, sessionCookie, site, passes } = ports;
  app.decorateRequest('caller', null);
  app.addHook('onRequest', (request, _reply, done) => {
    // Without a route, the response is 404 for everybody and reveals nothing.
    const auth = request.is404 ? 'none' : (request.routeOptions.config.auth ?? 'key');
    if (auth === 'none') return done();
    const session = acceptsSession(request, auth) ? sessionCookie.read(request) : null;
    if (session !== null && !isSentByOwnPage(site, request)) return done(foreignPage());
    const key = session ?? (auth === 'webhook' ? eitherKey(request, 'api_key') : bearerKey(request));
    // The trigger defines how else a webhook authenticates, so the route checks it.
    if (key === null && auth === 'webhook') return done();
    if (key === null) return done(unauthenticated(auth, 'Not authenticated'));
    const owner = session === null ? passes.take(key) : null;
    if (owner !== null) return done(checkPass(request, owner));
    const settle = (identity: Identity | null): void => {
      if (session === null) done(checkKey(request, { auth, identity }, ports));
      else done(checkSession(request, identity));
    };
    const found = authentication.identify(key);
    // A recently used key is found in the cache: most requests need no promise.
    if (found instanceof Promise) found.then(settle, done);
    else settle(found);
  });
}

function acceptsSession({ routeOptions }: FastifyRequest, auth: RouteAuth): boolean {
  return auth === 'key' && routeOptions.config.fromAnywhere !== true;
}

interface FoundKey {
  readonly auth: RouteAuth;
  readonly identity: Identity | null;
}

/** Sets the caller; returns the error for a key that may not call the route. */
function checkKey(
  request: FastifyRequest,
  { auth, identity }: FoundKey,
  { failedAuths, queryKeys }: AuthenticationPorts,
): Problem | undefined {
  if (identity === null) {
    const wait = failedAuths[auth === 'webhook' ? 'webhooks' : 'keys'].count(request.ip);
    return wait === null ? unauthenticated(auth, 'Invalid or missing API key.') : tooManyFailures(wait);
  }
  if (identity.key.scope !== 'full' && auth !== 'webhook')
    return new Problem('key_scope', 'This API key may only start workflows by webhook.');
  request.caller = identity;
  if (auth === 'webhook') queryKeys.note(request, 'api_key', identity.key);
  return undefined;
}

/**
 * The same for the key of a session. An ended session does not count as a wrong guess: the pages of a browser repeat it
 * until their user logs in again, and nobody can guess a login key.
 */
function checkSession(request: FastifyRequest, identity: Identity | null): Problem | undefined {
  if (identity?.key.byLogin !== true) return unauthenticated('key', 'The session has ended. Log in again.');
  request.caller = identity;
  return undefined;
}

/** The same for a request of this process for the owner of a run. */
function checkPass(request: FastifyRequest, user: User): Problem | undefined {
  const { method, routeOptions } = request;
  if (!isOpenToPasses(method, routeOptions.url ?? ''))
    return new Problem('not_for_tools', 'Tools of agents may not use this endpoint.');
  request.caller = { user, key: null };
  return undefined;
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
   * With the header, with `?token=` because browsers cannot set headers, or with a session; null without any of them. A
   * wrong key is answered with a close code, however many there were before: a browser hides the status of a handshake
   * from its page.
   */
  authenticate(request: FastifyRequest): Promise<SocketPrincipal | 'wrong' | null>;
  /** The same for a request that is authenticated already; null for one of this process. */
  ofCaller(request: FastifyRequest): Promise<SocketPrincipal | null>;
  /** With a key from a message; null if it is wrong. */
  identify(token: string, address: string): Promise<SocketPrincipal | null>;
}

export function socketAuthentication(ports: SocketPorts): SocketAuthentication {
  const { authentication, failedAuths, queryKeys, sessionCookie, site } = ports;

  async function identityOf(token: string): Promise<Identity | null> {
    const identity = await authentication.identify(token);
    return identity?.key.scope === 'full' ? identity : null;
  }

  function principalOf(token: string, identity: Identity): SocketPrincipal {
    let newest = identity;
    return {
      user: identity.user,
      keyId: identity.key.id,
      stands: () => authentication.stands(newest),
      recheck: async () => {
        const found = await authentication.identify(token);
        // A session that was renewed expires later than before.
        newest = found ?? newest;
        return found !== null;
      },
    };
  }

  async function ofSession(request: FastifyRequest): Promise<SocketPrincipal | 'wrong' | null> {
    const session = sessionCookie.read(request);
    if (session === null) return null;
    const identity = isSentByOwnPage(site, request) ? await identityOf(session) : null;
    return identity?.key.byLogin === true ? principalOf(session, identity) : 'wrong';
  }

  return {
    async ofCaller(request) {
      const key = request.caller?.key === null ? null : (bearerKey(request) ?? sessionCookie.read(request));
      if (key === null) return null;
      const identity = await identityOf(key);
      if (identity === null) throw unauthenticated('key', 'Invalid or missing API key.');
      return principalOf(key, identity);
    },
    async identify(token, address) {
      const identity = await identityOf(token);
      if (identity === null) failedAuths.keys.count(address);
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
      failedAuths.keys.count(request.ip);
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

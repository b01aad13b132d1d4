import { Problem } from '@millrace/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Authentication, Identity } from '../services/authentication.ts';
import type { FailedAuth } from './failed-auth.ts';
import type { RouteAuth } from './route.ts';

interface AuthenticationPorts {
  readonly authentication: Pick<Authentication, 'identify'>;
  readonly failedAuth: FailedAuth;
}

/** A larger body that nobody will read costs more than a new connection. */
const maxUnreadBytes = 64 * 1024;

/** What stands for a key that was shown in a way that leaves open which one is meant: it is no key. */
const ambiguous = '';

/**
 * Asks every request for an API key, before its body is read. A route is open only when its own definition says so
 * (`auth: 'none'`); one that says nothing needs a key.
 */
export function addAuthentication(app: FastifyInstance, { authentication, failedAuth }: AuthenticationPorts): void {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', (request, reply, done) => {
    // Without a route the answer is 404 for everybody, and says nothing.
    const auth = request.is404 ? 'none' : (request.routeOptions.config.auth ?? 'key');
    if (auth === 'none') return done();
    const key = auth === 'webhook' ? webhookKey(request) : bearerKey(request);
    if (key === null) return refuse(reply, done, unauthenticated(auth, 'Not authenticated'));
    const settle = (identity: Identity | null): void => {
      if (identity !== null && (identity.key.scope === 'full' || auth === 'webhook')) {
        request.caller = identity;
        done();
      } else {
        const isTooMany = failedAuth.count(request.ip) !== null;
        refuse(reply, done, isTooMany ? tooMany() : unauthenticated(auth, 'Invalid or missing API key.'));
      }
    };
    const found = authentication.identify(key);
    // A key seen a moment ago is known at once: no promise on the way of most requests.
    if (found instanceof Promise) found.then(settle, done);
    else settle(found);
  });
}

/** The key in `Authorization: Bearer`; null when there is none. */
export function bearerKey(request: FastifyRequest): string | null {
  const header = request.headers.authorization;
  if (header === undefined) return null;
  // Node keeps the first of repeated headers; a proxy in front may have looked at the last.
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

/** A webhook's key: from the header, or from `?api_key=` for senders that cannot set headers. */
function webhookKey(request: FastifyRequest): string | null {
  const header = bearerKey(request);
  const query = queryKey(request, 'api_key');
  if (header === null || query === null) return header ?? query;
  return header === query ? header : ambiguous;
}

/** A key in the query; null when there is none. */
export function queryKey(request: FastifyRequest, name: 'api_key' | 'token'): string | null {
  const value = (request.query as Readonly<Record<string, unknown>>)[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : ambiguous;
}

function unauthenticated(auth: RouteAuth, message: string): Problem {
  // The webhook's words have no full stop, and are the same whatever was wrong.
  return new Problem('not_authenticated', auth === 'webhook' ? 'Invalid or missing API key' : message);
}

function tooMany(): Problem {
  return new Problem('rate_limited', 'Too many failed authentications. Try again in a minute.');
}

function refuse(reply: FastifyReply, done: HookHandlerDoneFunction, problem: Problem): void {
  const { headers } = reply.request;
  const isLarge = Number(headers['content-length'] ?? 0) > maxUnreadBytes;
  if (isLarge || headers['transfer-encoding'] !== undefined) reply.header('connection', 'close');
  done(problem);
}

import { presentUser, sessionRequest, setupState, user } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Clock } from '../../../ground/clock.ts';
import type { Proof, Sessions } from '../../../services/access/sessions.ts';
import type { SessionCookie } from '../../handling/session-cookie.ts';
import type { FailedAuth } from '../../plumbing/failed-auth.ts';
import { addPublicRoute, addRoute } from '../../plumbing/route.ts';

interface SessionRoutes {
  readonly sessions: Sessions;
  readonly sessionCookie: SessionCookie;
  readonly failedAuth: FailedAuth;
  readonly clock: Pick<Clock, 'now'>;
}

const tag = 'Users';
const path = '/api/v1/auth/session/';

/** The endpoints with which a browser logs in and out. */
export function addSessions(app: FastifyInstance, { sessions, sessionCookie, failedAuth, clock }: SessionRoutes): void {
  addPublicRoute(app, {
    method: 'POST',
    path,
    operationId: 'openSession',
    summary: 'Logs a browser in: sets a session cookie',
    tag,
    body: sessionRequest,
    examples: [{ username: 'operator', password: 'correct horse battery' }],
    success: { status: 200, schema: user },
    handle: async ({ body, request, reply }) => {
      const login = await failedAuth.guess(request.ip, () => sessions.open(proofIn(body)));
      const seconds = Math.floor(((login.apiKey.expiresAt ?? clock.now()) - clock.now()) / 1000);
      sessionCookie.set(request, reply, { key: login.key, seconds });
      return presentUser(login.user);
    },
  });
  addRoute(app, {
    method: 'DELETE',
    path,
    operationId: 'closeSession',
    summary: 'Logs a browser out: revokes the key of its session',
    tag,
    access: 'user',
    success: { status: 204, schema: null },
    handle: async ({ caller, request, reply }) => {
      // A request with an API key has no session to end.
      if (request.headers.authorization === undefined) await sessions.close(caller);
      sessionCookie.clear(request, reply);
    },
  });
  addPublicRoute(app, {
    method: 'GET',
    path: '/api/v1/auth/setup/',
    operationId: 'getSetup',
    summary: 'Says whether nobody has logged in yet',
    tag,
    success: { status: 200, schema: setupState },
    handle: async () => ({ needed: await sessions.isSetupNeeded() }),
  });
}

function proofIn(body: z.output<typeof sessionRequest>): Proof {
  if ('api_key' in body) return { kind: 'key', key: body.api_key };
  if ('setup_token' in body) return { kind: 'setup', token: body.setup_token };
  return { kind: 'password', username: body.username, password: body.password };
}

import { presentUser, sessionRequest, sessionState, setupState, user } from '@millrace/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { FirstLogin } from '../../../services/access/first-login.ts';
import type { Login } from '../../../services/access/logins.ts';
import type { Sessions } from '../../../services/access/sessions.ts';
import type { SessionCookie } from '../../handling/session-cookie.ts';
import type { FailedAuths } from '../../plumbing/failed-auth.ts';
import { foreignPage, isSentByOwnPage, type Site } from '../../plumbing/origin.ts';
import type { PasswordGuesses } from '../../plumbing/password-guesses.ts';
import { addPublicRoute } from '../../plumbing/route.ts';

interface SessionRoutes {
  readonly sessions: Sessions;
  readonly firstLogin: FirstLogin;
  readonly sessionCookie: SessionCookie;
  readonly failedAuths: Pick<FailedAuths, 'keys'>;
  readonly guesses: PasswordGuesses;
  readonly site: Site;
}

const tag = 'Users';
const path = '/api/v1/auth/session/';

/** The endpoints with which a browser logs in and out, and learns who is logged in. */
export function addSessions(app: FastifyInstance, routes: SessionRoutes): void {
  const { sessions, firstLogin, sessionCookie, guesses, site } = routes;
  addPublicRoute(app, {
    method: 'POST',
    path,
    operationId: 'openSession',
    summary: 'Logs a browser in: sets a session cookie that is valid for a week',
    tag,
    body: sessionRequest,
    examples: [{ username: 'operator', password: 'correct horse battery' }],
    success: { status: 200, schema: user },
    handle: async ({ body, request, reply }) => {
      const login = await openSession(routes, request, body);
      // The new cookie replaces the one of an earlier session, whose key would stay valid.
      const earlier = isSentByOwnPage(site, request) ? sessionCookie.read(request) : null;
      if (earlier !== null) await sessions.close(earlier);
      sessionCookie.set(request, reply, login);
      if ('password' in body) guesses.remember(request, reply, login.user.username);
      return presentUser(login.user);
    },
  });
  addPublicRoute(app, {
    method: 'GET',
    path,
    operationId: 'getSession',
    summary: 'Reads who is logged in to this browser, and renews the session',
    tag,
    success: { status: 200, schema: sessionState },
    handle: async ({ request, reply }) => {
      const key = sessionCookie.read(request);
      if (key !== null && !isSentByOwnPage(site, request)) throw foreignPage();
      const session = key === null ? null : await sessions.resume(key);
      if (session === null) return { user: null, setup_needed: await firstLogin.isNeeded() };
      if (session.renewed !== null) sessionCookie.set(request, reply, session.renewed);
      return { user: presentUser(session.user), setup_needed: false };
    },
  });
  addPublicRoute(app, {
    method: 'DELETE',
    path,
    operationId: 'closeSession',
    summary: 'Logs a browser out: revokes the key in its session cookie and deletes the cookie',
    tag,
    success: { status: 204, schema: null },
    handle: async ({ request, reply }) => {
      const key = sessionCookie.read(request);
      if (key !== null && !isSentByOwnPage(site, request)) throw foreignPage();
      if (key !== null) await sessions.close(key);
      sessionCookie.clear(request, reply);
    },
  });
  addPublicRoute(app, {
    method: 'GET',
    path: '/api/v1/auth/setup/',
    operationId: 'getSetup',
    summary: 'Reports whether nobody has logged in yet',
    tag,
    success: { status: 200, schema: setupState },
    handle: async () => ({ needed: await firstLogin.isNeeded() }),
  });
}

function openSession(
  { sessions, failedAuths, guesses }: SessionRoutes,
  request: FastifyRequest,
  body: z.output<typeof sessionRequest>,
): Promise<Login> {
  if ('api_key' in body) {
    return failedAuths.keys.check(request.ip, () => sessions.open({ kind: 'key', key: body.api_key }));
  }
  if ('setup_token' in body) {
    return guesses.ofStranger(request, null, () => sessions.open({ kind: 'setup', token: body.setup_token }));
  }
  const { username, password } = body;
  return guesses.ofStranger(request, username, (source) =>
    sessions.open({ kind: 'password', username, password, source }),
  );
}

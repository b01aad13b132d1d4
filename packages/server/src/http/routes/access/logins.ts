import { login, loginRequest } from '@millrace/contract';
import { formatInstant } from '@millrace/core';
import type { FastifyInstance } from 'fastify';
import type { Logins } from '../../../services/access/logins.ts';
import type { PasswordGuesses } from '../../plumbing/password-guesses.ts';
import { addPublicRoute } from '../../plumbing/route.ts';

interface LoginRoutes {
  readonly logins: Logins;
  readonly guesses: PasswordGuesses;
}

/** The endpoint that exchanges a password for an API key. */
export function addLogins(app: FastifyInstance, { logins, guesses }: LoginRoutes): void {
  addPublicRoute(app, {
    method: 'POST',
    path: '/api/v1/auth/token/',
    operationId: 'logIn',
    summary: 'Logs in: returns an API key for a password',
    tag: 'Users',
    body: loginRequest,
    examples: [{ username: 'operator', password: 'correct horse battery' }],
    success: { status: 200, schema: login },
    handle: async ({ body, request }) => {
      const { apiKey, key } = await guesses.ofStranger(request, body.username, (source) =>
        logins.logIn({ ...body, source }, 'program'),
      );
      const expiresAt = apiKey.expiresAt ?? Number.POSITIVE_INFINITY;
      return { token: key, token_type: 'bearer', key_id: apiKey.id, expires_at: formatInstant(expiresAt) };
    },
  });
}

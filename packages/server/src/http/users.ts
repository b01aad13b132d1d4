import { presentUser, user } from '@millrace/contract';
import type { FastifyInstance } from 'fastify';
import { addRoute } from './route.ts';

/** The endpoints of users. */
export function addUsers(app: FastifyInstance): void {
  addRoute(app, {
    method: 'GET',
    path: '/api/v1/auth/me/',
    summary: 'Says who the key belongs to',
    tag: 'Users',
    success: { status: 200, schema: user },
    handle: async ({ caller }) => presentUser(caller.user),
  });
}
